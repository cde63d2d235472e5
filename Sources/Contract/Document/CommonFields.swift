import JSON

extension Parameter {
  static let sandbox = Parameter(
    "Understudy-Sandbox", in: .header,
    "The sandbox of the request. A label in the host or in the path selects it, too.", schema: .string(format: .label),
    example: JSONExample("default", "The sandbox that always exists", "default"))

  static let idempotencyKey = Parameter(
    "Idempotency-Key", in: .header,
    """
    Identifies one write and all its retries. A repeated key with the same body, method and path gets the response to \
    the first request; with another body it gets 422. For a GET that writes, the query counts as the body.
    """,
    schema: .string(minimumLength: 1, maximumLength: 255),
    example: JSONExample("uuid", "A new UUID for each write", "8e03978e-40d5-43dd-bc93-6894a57f9324"))

  static let ifNoneMatch = Parameter(
    "If-None-Match", in: .header, "Entity tags that the client has. If one of them is current, the response is 304.",
    example: JSONExample("tag", "A tag of an older state", "\"cbf29ce484222325\""))

  static let ifMatch = Parameter(
    "If-Match", in: .header,
    "Entity tags, or `*`. If none of them is current, the response is 412 and nothing changes.",
    example: JSONExample("any", "Any current state", "*"))
}

extension DeclaredField {
  static let noSniff = DeclaredField(
    "X-Content-Type-Options", "Browsers must not guess another media type than that of `Content-Type`.",
    schema: .constant(.string(PagePolicy.contentTypeOptions)))
  static let pagePolicy = DeclaredField(
    PagePolicy.fieldName, "Browsers must not run the response as a page of this origin.",
    schema: .constant(.string(PagePolicy.inert))
  )

  /// The policy field of a response that is a page with a policy of its own.
  static let ownPagePolicy = DeclaredField(
    PagePolicy.fieldName, "The page's permissions. Browsers must not run other formats as a page of this origin.",
    schema: .string(minimumLength: 1))

  static let allowOrigin = DeclaredField(
    "Access-Control-Allow-Origin",
    "The request's `Origin`, or `*` where it has none: pages of every site may read the response.")
  static let allowCredentials = DeclaredField(
    "Access-Control-Allow-Credentials", "Sent where the request has an `Origin`: credentials may be included.",
    always: false, schema: .constant("true"))
  static let varyByRequest = DeclaredField(
    "Vary", "The request fields that a cache must compare.", schema: .constant("Understudy-Sandbox, Prefer, Origin"))
  static let vary = DeclaredField("Vary", "`Accept`, which chose the form.", schema: .constant("Accept"))
  static let requestID = DeclaredField(
    "Understudy-Request", "The request's id in the journal.", schema: .string(format: .digits))
  static let requestIDIfAny = DeclaredField(
    "Understudy-Request", "The request's id in the journal, where its sandbox is known.", always: false,
    schema: .string(format: .digits))
  static let fault = DeclaredField(
    "Understudy-Fault", "What was planned to go wrong, in words, and which preference of `Prefer` was not understood.",
    always: false)
  static let serverTiming = DeclaredField(
    "Server-Timing", "The planned and the actual delay, where one was planned.", always: false)
}
