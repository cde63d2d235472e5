import Contract
import HTTP1
import Primitives
import Services

/// The access control of the control API: programs on this machine, or clients with the token; never pages of other
/// sites.
struct AccessControl: Sendable {
  /// True if the server listens on loopback only.
  let isLoopback: Bool
  /// The required bearer token, if one was set.
  let token: String?

  /// Returns the refusal of a request.
  ///
  /// - Parameter operation: Nil if the path or the method has none.
  func refusal(for request: borrowing Request, _ operation: Contract.Operation?) -> Response? {
    if let operation, operation.semantics.access != .controllers { return nil }
    if let token { return refusal(for: request, token) }
    guard isLoopback else { preconditionFailure("a server that others reach has a token") }
    guard let host = request.host, HostField(request.bytes[host]).isLoopback else {
      return .problem(.foreignHost(request.host.map { request.text($0) } ?? ""))
    }
    let own = request.scheme.rawValue + "://" + request.text(host).lowercased()
    for value in request.values(of: .origin) {
      let origin = request.text(value)
      guard origin.lowercased() == own else { return .problem(.foreignOrigin(origin)) }
    }
    return isFromForeignPage(request) ? .problem(.foreignPage) : nil
  }

  /// True if a page of another site sends the request without `Origin`, as for images, scripts and frames: browsers
  /// report this (Fetch Metadata, section 2). Following a link is allowed: the user sees the response, the page with
  /// the link does not.
  private func isFromForeignPage(_ request: borrowing Request) -> Bool {
    func hasValue(_ name: String, _ value: String) -> Bool {
      request.value(named: name).map { request.holds($0, value, ignoringCase: true) } ?? false
    }
    guard hasValue("Sec-Fetch-Site", "cross-site") || hasValue("Sec-Fetch-Site", "same-site") else { return false }
    let isLink = hasValue("Sec-Fetch-Mode", "navigate") && hasValue("Sec-Fetch-Dest", "document")
    return !isLink || request.knownMethod != .get
  }

  private func refusal(for request: borrowing Request, _ token: String) -> Response? {
    if let field = request.first(.authorization) {
      let credentials = request.text(field.value)
      let scheme = "bearer "
      if credentials.lowercased().hasPrefix(scheme),
        Self.isEqual(String(credentials.dropFirst(scheme.count)).trimmingBlanks, token)
      {
        return nil
      }
    }
    var response = Response.problem(.unauthorized)
    response.fields.append(ResponseField("WWW-Authenticate", Self.challenge))
    return response
  }

  static let challenge = "Bearer realm=\"understudy\""

  /// Compares in a time that does not depend on the position of the first difference.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    var difference = left.count ^ right.count
    for index in 0..<right.count { difference |= Int(right[index] ^ (index < left.count ? left[index] : 0)) }
    return difference == 0
  }
}

extension Problem {
  fileprivate static func foreignHost(_ host: String) -> Problem {
    Problem(
      403, "foreign-host", "The control API accepts only loopback host names",
      "Host is «\(host)»; use localhost, a name under .localhost, 127.0.0.1 or [::1].")
  }

  fileprivate static let foreignPage = Problem(
    403, "foreign-page", "Pages of other sites must not use the control API",
    "According to Sec-Fetch-Site, a page of another origin sent the request.")
}
