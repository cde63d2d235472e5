import JSON

extension Parameter {
  static let sandbox = Parameter(
    "Understudy-Sandbox", in: .header,
    "The sandbox to ask; the label in the host or in the path says the same.", schema: .string(format: .label),
    example: JSONExample("default", "The one that always exists", "default"))

  static let idempotencyKey = Parameter(
    "Idempotency-Key", in: .header,
    """
    Names one write, whatever number of tries it takes. The same key with the same body, method and path finds the \
    reply that was given to the first; with another body it is answered 422.
    """,
    schema: .string(minimumLength: 1, maximumLength: 255),
    example: JSONExample("uuid", "A fresh UUID for each write", "8e03978e-40d5-43dd-bc93-6894a57f9324"))

  static let ifNoneMatch = Parameter(
    "If-None-Match", in: .header, "Entity tags that the client has: 304 when one of them is what stands.",
    example: JSONExample("tag", "A tag of an older state", "\"cbf29ce484222325\""))

  static let ifMatch = Parameter(
    "If-Match", in: .header, "Entity tags, or `*`: 412 and no change when none of them is what stands.",
    example: JSONExample("any", "Whatever stands", "*"))
}

extension ResponseField {
  static let allowOrigin = ResponseField(
    "Access-Control-Allow-Origin", "Pages of every site may read it.", schema: .constant("*"))
  static let vary = ResponseField("Vary", "`Accept`, which chose the form.", schema: .constant("Accept"))
  static let requestID = ResponseField(
    "Understudy-Request", "The request's id in the journal.", schema: .string(format: .digits))
  static let fault = ResponseField("Understudy-Fault", "What was planned to go wrong, in words.", always: false)
  static let serverTiming = ResponseField(
    "Server-Timing", "The planned and the actual delay, where one was planned.", always: false)
}
