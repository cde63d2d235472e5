import Contract
import HTTP1
import Primitives
import Services

/// The access control of the control API: programs on this machine, or clients with the token; no pages of other sites
/// but those of `--control-origin`. In front of a backend, pages of the traffic's origin are the backend's, and are refused.
struct AccessControl: Sendable {
  /// True if the server listens on loopback only.
  let isLoopback: Bool
  /// The required bearer token, if one was set.
  let token: String?
  /// The port of the control API in front of a backend; nil if one port serves everything.
  var controlPort: ControlPort?

  /// A port that serves the control API and no page of the backend.
  struct ControlPort: Sendable {
    let number: Int
    /// True if the traffic's origin serves no more of the control API than its probes.
    let isOnly: Bool
    /// The origin whose pages may use the port, besides its own.
    let allowedOrigin: String?
  }

  /// Returns the refusal of a request.
  ///
  /// - Parameters:
  ///   - operation: Nil if the path or the method has none.
  ///   - port: The labels of the port at which the request arrived.
  func refusal(for request: borrowing Request, _ operation: Contract.Operation?, at port: Labels) -> Response? {
    if operation?.semantics.access == .probes { return nil }
    if let controlPort, !port.isControl, let refusal = controlPort.refusal(onTrafficOrigin: request, operation) {
      return refusal
    }
    if let operation, operation.semantics.access != .controllers { return nil }
    if port.isControl, isAllowed(request), Preflight(request, allowed: nil) != nil { return nil }
    if let token { return refusal(for: request, token) }
    guard isLoopback else { preconditionFailure("a server that others reach has a token") }
    guard let host = request.host, HostField(request.bytes[host]).isLoopback else {
      return .problem(.foreignHost(request.host.map { request.text($0) } ?? ""))
    }
    if port.isControl, isAllowed(request) { return nil }
    let own = request.scheme.rawValue + "://" + request.text(host).lowercased()
    for value in request.values(of: .origin) {
      let origin = request.text(value)
      guard origin.lowercased() == own else { return .problem(.foreignOrigin(origin)) }
    }
    return isFromForeignPage(request) ? .problem(.foreignPage) : nil
  }

  /// Returns true if a page of the allowed origin sends a request.
  private func isAllowed(_ request: borrowing Request) -> Bool {
    guard let allowed = controlPort?.allowedOrigin, let origin = request.only(.origin) else { return false }
    return request.holds(origin, allowed)
  }

  /// Returns the fields that let a page of the allowed origin read a response, without credentials (Fetch standard,
  /// section 3.2); none for other requests.
  func fields(for request: borrowing Request, at port: Labels) -> [ResponseField] {
    guard port.isControl, let allowed = controlPort?.allowedOrigin else { return [] }
    guard isAllowed(request) else { return [ResponseField("Vary", "Origin")] }
    var fields = [ResponseField("Access-Control-Allow-Origin", allowed), ResponseField("Vary", "Origin")]
    if let preflight = Preflight(request, allowed: nil) {
      fields.append(ResponseField("Access-Control-Allow-Methods", preflight.methods))
      if let names = preflight.fields { fields.append(ResponseField("Access-Control-Allow-Headers", names)) }
    }
    return fields
  }

  /// True if a page of another site sends the request without `Origin`, as for images, scripts and frames: browsers
  /// report this (Fetch Metadata, section 2). Following a link is allowed: the user sees the response, the page with
  /// the link does not.
  private func isFromForeignPage(_ request: borrowing Request) -> Bool {
    guard
      request.hasFetchMetadata("Sec-Fetch-Site", "cross-site")
        || request.hasFetchMetadata("Sec-Fetch-Site", "same-site")
    else { return false }
    return !request.isNavigation
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

extension AccessControl.ControlPort {
  /// Returns the answer to a request for the control API on the traffic's origin: a redirection of a person who opens one
  /// of its pages, a refusal of what a page of the backend sends; nil for a program.
  fileprivate func refusal(onTrafficOrigin request: borrowing Request, _ operation: Contract.Operation?) -> Response? {
    // A browser without Fetch Metadata opens a page as programs do, and asks for HTML.
    let opensPage = operation?.semantics.access == .visitors && Accept(request.combined(.accept) ?? "").prefersHTML
    if request.isNavigation || opensPage {
      return Response(302, fields: [ResponseField("Location", url(of: request))])
    }
    if isOnly { return .problem(.elsewhere(url(of: request), "The control API has a port of its own.")) }
    let isFromPage = request.has(.origin) || request.value(named: "Referer") != nil || request.isFromBrowser
    guard isFromPage else { return nil }
    return .problem(.elsewhere(url(of: request), "Pages of the backend must not use the control API."))
  }

  /// Returns the URL of a request at this port: with its host name, its labels and its path.
  private func url(of request: borrowing Request) -> String {
    let host = request.host.map { HostField(request.bytes[$0]).host } ?? "localhost"
    let query = request.query.map { "?" + request.text($0) } ?? ""
    return "\(request.scheme.rawValue)://\(host):\(number)\(request.text(request.path))\(query)"
  }
}

extension Request {
  /// True if a person opens a page in a browser, by a link, an address or a reload (Fetch Metadata).
  fileprivate var isNavigation: Bool {
    knownMethod == .get && hasFetchMetadata("Sec-Fetch-Mode", "navigate")
      && hasFetchMetadata("Sec-Fetch-Dest", "document")
  }

  /// True if a browser sends the request.
  fileprivate var isFromBrowser: Bool { value(named: "Sec-Fetch-Site") != nil }

  fileprivate func hasFetchMetadata(_ name: String, _ value: String) -> Bool {
    self.value(named: name).map { holds($0, value, ignoringCase: true) } ?? false
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

  fileprivate static func elsewhere(_ url: String, _ reason: String) -> Problem {
    Problem(
      403, "control-port", "The control API is at another port", "\(reason) Use \(url).")
  }
}
