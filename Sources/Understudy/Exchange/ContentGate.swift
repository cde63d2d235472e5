import Contract
import HTTP1

/// What may be said of the content of a request: nothing here decodes it, and nothing takes a part of it for the whole.
enum ContentGate {
  /// - Parameter hasContent: Whether the request has a body, which may be yet to come.
  static func refusal(for request: Request, _ operation: Contract.Operation, hasContent: Bool) -> Reply? {
    if operation.method == .put, let range = request.value(named: "content-range") {
      return .problem(.partialPut(request.text(range)))
    }
    guard operation.body != nil, hasContent, let coding = coding(of: request) else { return nil }
    var reply = Reply.problem(.unknownCoding(coding))
    reply.fields.append(ReplyField("Accept-Encoding", "identity"))
    return reply
  }

  /// The content codings of the body, if it has any (RFC 9110 section 8.4).
  private static func coding(of request: Request) -> String? {
    guard request.first(.contentEncoding) != nil, let codings = request.combined("content-encoding") else { return nil }
    let isPlain = codings.lowercased().split(separator: ",").allSatisfy { coding in
      ["", "identity"].contains(String(coding).trimmingBlanks)
    }
    return isPlain ? nil : codings
  }
}

extension Problem {
  fileprivate static func partialPut(_ range: String) -> Problem {
    Problem(
      400, "partial-put", "A part is no whole",
      "Content-Range is «\(range)»; PUT takes the whole representation (RFC 9110 section 14.5).")
  }
}
