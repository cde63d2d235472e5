import Contract
import HTTP1
import Primitives

/// The `Host` field of requests to the backend, and with it the name by which the backend knows itself.
enum UpstreamHost: Sendable, Equatable {
  /// The client's own, without the label of a sandbox.
  case client
  /// The same for all requests. The scheme is that of the backend's URLs, which a TLS terminator may have changed.
  case fixed(Scheme, authority: String)

  /// Parses `client`, `api.example` or `https://api.example`; nil if the text is none of them.
  init?(_ text: String) {
    if text == "client" {
      self = .client
      return
    }
    let parts = text.split(separator: "://", maxSplits: 1).map(String.init)
    guard let authority = parts.last, Authority.isValid(authority),
      let scheme = parts.count == 1 ? .http : Scheme(rawValue: parts[0].lowercased())
    else { return nil }
    self = .fixed(scheme, authority: authority)
  }

  /// The standard for a backend: a program on this machine is asked by the client's name for it, as if it were asked
  /// directly; another machine may serve several names.
  init(of address: BaseURL) {
    self = address.isLoopback ? .client : .fixed(.http, authority: address.authority)
  }

  /// Returns the value of the field for an exchange.
  func authority(for exchange: borrowing Exchange, to address: BaseURL) -> String {
    switch self {
    case .fixed(_, let authority): return authority
    case .client:
      // Only HTTP/1.0 allows a request without the field.
      guard let host = exchange.request.host else { return address.authority }
      let field = HostField(exchange.request.bytes[host])
      guard let label = exchange.sandbox?.name, label != Sandboxes.defaultName,
        field.names.contains(label)
      else {
        return exchange.request.text(host)
      }
      let name = (field.names.filter { $0 != label } + ["localhost"]).joined(separator: ".")
      return field.port.map { "\(name):\($0)" } ?? name
    }
  }

  /// The scheme of the backend's URLs.
  var scheme: Scheme { if case .fixed(let scheme, _) = self { scheme } else { .http } }

  /// The field's value if it is the same for all requests.
  var fixedAuthority: String? { if case .fixed(_, let authority) = self { authority } else { nil } }
}
