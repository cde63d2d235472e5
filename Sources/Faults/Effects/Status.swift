package import JSON

/// Another response instead of the API's: a problem document unless the rule has a body.
package struct Status: FaultActionEffect {
  package static let kind = Effect.Kind(
    "status", value: code.member.shape, parameters: [retryAfter.member, isDate.member, content.member],
    Effect.Kind.Page(
      "Another response instead of the API's: a problem document, unless the rule has a body.",
      wire:
        "The status with `application/problem+json`, or `body` as `application/json`. A status below 400 without "
        + "`body` has no content. `Retry-After` is in whole seconds, rounded up.",
      limit: "In phase `after` the request is applied, and its response is replaced. `body` cannot be used with 204, "
        + "205 and 304, which have no content.",
      example: #"{"status": 503, "retryAfter": "2s"}"#),
    alias: "code"
  ) { reader throws(ValidationError) in try Status(reader) }
  private static let code = Key.integer("status", in: 200...599, "The status code.", isRequired: true)
  private static let retryAfter = Key.duration(
    "retryAfter", in: .zero ... .seconds(86_400), "The value of `Retry-After`.")
  private static let isDate = Key.flag(
    "retryAfterDate", "True for an HTTP date instead of seconds; needs `retryAfter`.", fallback: false)
  private static let content = Key<JSONValue>("body", .any, "The body, any JSON value.", expectation: "any value") {
    $0
  }

  /// The status codes without content (RFC 9110 section 15); a client would read a body as the beginning of the next
  /// response.
  private static let statusesWithoutContent = [204, 205, 304]

  package let status: Int
  package let retryAfter: Duration?
  package let isRetryAfterDate: Bool
  package let responseBody: JSONValue?

  package init(_ status: Int, retryAfter: Duration? = nil, isRetryAfterDate: Bool = false) {
    self.status = status
    self.retryAfter = retryAfter
    self.isRetryAfterDate = isRetryAfterDate
    responseBody = nil
  }

  private init(_ reader: Reader) throws(ValidationError) {
    status = try reader.value(Self.code)
    retryAfter = try reader.optional(Self.retryAfter)
    isRetryAfterDate = try reader.value(Self.isDate)
    responseBody = try reader.optional(Self.content)
    if isRetryAfterDate, retryAfter == nil {
      throw ValidationError(reader.pointer / "retryAfterDate", "expected \"retryAfter\" beside it")
    }
    if responseBody != nil, Self.statusesWithoutContent.contains(status) {
      throw ValidationError(reader.pointer / "body", "expected no body with status \(status), which has no content")
    }
  }

  package var kind: Effect.Kind { Self.kind }

  package var action: FaultAction {
    .status(
      StatusResponse(
        status: status, retryAfter: retryAfter, isRetryAfterDate: isRetryAfterDate, body: responseBody))
  }

  package var value: JSONValue { .int(status) }

  package var parameters: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if let retryAfter { members.append(JSONValue.Member("retryAfter", .duration(retryAfter))) }
    if isRetryAfterDate { members.append(JSONValue.Member("retryAfterDate", true)) }
    if let responseBody { members.append(JSONValue.Member("body", responseBody)) }
    return members
  }
}
