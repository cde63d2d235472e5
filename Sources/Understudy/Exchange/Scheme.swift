import HTTP1

/// How a client reaches the server. URLs that a reply contains have the same, so that they can be followed.
enum Scheme: String, Sendable {
  case http
  /// Through a proxy in front that ends TLS.
  case https
}

extension Request {
  /// What a proxy says in `X-Forwarded-Proto` about the client's side; without that the server's own, http.
  var scheme: Scheme {
    guard let field = first(.xForwardedProto) else { return .http }
    return holds(field.value, Scheme.https.rawValue, ignoringCase: true) ? .https : .http
  }
}
