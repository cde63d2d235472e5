package import JSON

/// Another reply in place of the API's: a problem document unless the rule has a body.
package struct Status: FateEffect {
  static let kind = Effect.Kind.status
  static let furtherKeys = ["retryAfter", "retryAfterDate", "body"]
  static let longestWait = Duration.seconds(86_400)
  /// RFC 9110 gives these no content, and a client would take it for the next reply's first bytes.
  static let bodiless = [204, 205, 304]

  package let status: Int
  package let retryAfter: Duration?
  package let isRetryAfterDate: Bool
  package let replyBody: JSON?

  package init(_ status: Int, retryAfter: Duration? = nil, isRetryAfterDate: Bool = false, body: JSON? = nil) {
    self.status = status
    self.retryAfter = retryAfter
    self.isRetryAfterDate = isRetryAfterDate
    replyBody = body
  }

  init(_ reader: Reader) throws(Violation) {
    status = try reader.requiredInteger("status", in: 200...599)
    retryAfter = try reader.duration("retryAfter", in: .zero...Self.longestWait)
    isRetryAfterDate = try reader.flag("retryAfterDate") ?? false
    replyBody = reader.object["body"]
    if isRetryAfterDate, retryAfter == nil {
      throw Violation(reader.pointer / "retryAfterDate", "expected \"retryAfter\" beside it")
    }
    if replyBody != nil, Self.bodiless.contains(status) {
      throw Violation(reader.pointer / "body", "expected no body with status \(status), which has no content")
    }
  }

  var effect: Effect { .status(self) }

  var fate: Fate {
    .status(
      StatusReply(
        status: status, retryAfter: retryAfter, isRetryAfterDate: isRetryAfterDate, body: replyBody))
  }

  var members: [JSON.Member] {
    var members = [JSON.Member("status", .int(status))]
    if let retryAfter { members.append(JSON.Member("retryAfter", .duration(retryAfter))) }
    if isRetryAfterDate { members.append(JSON.Member("retryAfterDate", true)) }
    if let replyBody { members.append(JSON.Member("body", replyBody)) }
    return members
  }
}
