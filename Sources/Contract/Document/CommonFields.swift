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
    reply that was given to the first; with another body it is answered 422. Where GET writes, its query stands for \
    the body.
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
  static let noSniff = ResponseField(
    "X-Content-Type-Options", "The media type is what `Content-Type` says.",
    schema: .constant(.string(PagePolicy.contentTypeOptions)))
  static let pagePolicy = ResponseField(
    PagePolicy.fieldName, "No browser takes it for a page of this origin.", schema: .constant(.string(PagePolicy.inert))
  )

  /// The policy field of a response that is a page with a policy of its own.
  static let ownPagePolicy = ResponseField(
    PagePolicy.fieldName, "What the page may do; no browser takes any other form for a page of this origin.",
    schema: .string(minimumLength: 1))

  static let allowOrigin = ResponseField(
    "Access-Control-Allow-Origin",
    "The request's `Origin`, or `*` where it has none: pages of every site may read the response.")
  static let allowCredentials = ResponseField(
    "Access-Control-Allow-Credentials", "Sent where the request has an `Origin`: credentials may be included.",
    always: false, schema: .constant("true"))
  static let varyByRequest = ResponseField(
    "Vary", "The request fields that a cache must compare.", schema: .constant("Understudy-Sandbox, Prefer, Origin"))
  static let vary = ResponseField("Vary", "`Accept`, which chose the form.", schema: .constant("Accept"))
  static let requestID = ResponseField(
    "Understudy-Request", "The request's id in the journal.", schema: .string(format: .digits))
  static let requestIDIfAny = ResponseField(
    "Understudy-Request", "The request's id in the journal, where its sandbox is known.", always: false,
    schema: .string(format: .digits))
  static let fault = ResponseField(
    "Understudy-Fault", "What was planned to go wrong, in words, and which preference of `Prefer` was not understood.",
    always: false)
  static let serverTiming = ResponseField(
    "Server-Timing", "The planned and the actual delay, where one was planned.", always: false)
}
