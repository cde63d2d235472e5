import Contract
import JSON

extension Parameter {
  static let sandbox = Parameter(
    "Understudy-Sandbox", in: .header,
    "The sandbox of the request. A label in the host or in the path selects it, too.", schema: .string(format: .label),
    example: JSONExample("default", "The sandbox that always exists", "default"))

  /// Returns the parameter of an operation. Its example is that operation's own: a program that sends the examples of
  /// the document uses no key for two meanings.
  static func idempotencyKey(of operation: Operation) -> Parameter {
    Parameter(
      "Idempotency-Key", in: .header,
      "Identifies one write and all its retries: a repetition gets the response to the first request.",
      schema: .string(minimumLength: 1, maximumLength: 255),
      example: JSONExample("own", "A new key for each write", .string("example-of-\(operation.id)")))
  }

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
    "The request's `Origin`, or `*` if it has none: pages of every site may read the response.")
  static let allowCredentials = DeclaredField(
    "Access-Control-Allow-Credentials", "Sent if the request has an `Origin`: credentials may be included.",
    always: false, schema: .constant("true"))
  /// Returns the `Vary` field of a response.
  static func vary(ofLinked response: DeclaredResponse, in operation: Operation) -> DeclaredField {
    let (plain, linked) = (VariedFields.ofEveryResponse, VariedFields.ofLinkedResponse)
    let hasOwnLinks = operation.semantics.hasLinks && response.status < 400
    // A 304 has the field as the 200 would have it (RFC 9110 section 15.4.5).
    let described = response.status == 304 ? operation.documentation.responses.filter { $0.status == 200 } : [response]
    let mayHaveLinks = described.contains { $0.fields.contains { $0.name == VariedFields.link } }
    guard hasOwnLinks || mayHaveLinks else {
      return DeclaredField(
        "Vary", "The request fields that a cache must compare.", schema: .constant(.string(plain)))
    }
    return DeclaredField(
      "Vary", "The request fields that a cache must compare; also those of a proxy if the response has links.",
      schema: hasOwnLinks ? .constant(.string(linked)) : .string(choices: [plain, linked]))
  }
  static let vary = DeclaredField("Vary", "`Accept`, which selects the format.", schema: .constant("Accept"))
  static let requestID = DeclaredField(
    "Understudy-Request", "The request's id in the journal.", schema: .string(format: .digits))
  static let requestIDIfAny = DeclaredField(
    "Understudy-Request", "The request's id in the journal; absent if its sandbox is unknown.", always: false,
    schema: .string(format: .digits))
  static let fault = DeclaredField(
    "Understudy-Fault", "The planned faults as text, and the preference of `Prefer` that was not understood.",
    always: false)
  static let idempotentReplayed = DeclaredField(
    IdempotencyKey.replayField, "Sent if this is the stored response to an earlier request with the `Idempotency-Key`.",
    always: false, schema: .constant("true"))
  static let serverTiming = DeclaredField(
    "Server-Timing", "The planned and the measured delay (`actual`); absent if none was planned.", always: false)
}
