import Contract
import HTTP1
import Primitives
import Services

/// The server's policy for the content of requests: it supports neither content codings nor partial content.
enum ContentPolicy {
  /// Returns the refusal of a request's content.
  ///
  /// - Parameter hasContent: True if the request has a body, which may not have arrived yet.
  static func refusal(for request: borrowing Request, _ operation: Contract.Operation, hasContent: Bool) -> Response? {
    if operation.method == .put, let range = request.value(named: "content-range") {
      return .problem(.partialPut(request.text(range)))
    }
    guard operation.documentation.body != nil, hasContent, let coding = coding(of: request) else { return nil }
    var response = Response.problem(.unknownCoding(coding))
    response.fields.append(ResponseField("Accept-Encoding", "identity"))
    return response
  }

  /// Returns the content codings of the body, if it has any (RFC 9110 section 8.4).
  private static func coding(of request: borrowing Request) -> String? {
    guard let codings = request.combined(.contentEncoding) else { return nil }
    let isPlain = codings.lowercased().split(separator: ",").allSatisfy { coding in
      ["", "identity"].contains(String(coding).trimmingBlanks)
    }
    return isPlain ? nil : codings
  }
}

extension Problem {
  fileprivate static func partialPut(_ range: String) -> Problem {
    Problem(
      400, "partial-put", "The content is partial",
      "Content-Range is «\(range)», but PUT needs the whole representation (RFC 9110 section 14.5).")
  }
}
