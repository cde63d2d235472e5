import Foundation

/// The place of a control API: where to connect to, and what precedes `/_mock` in the path.
struct Origin: Sendable {
  let host: String
  let port: Int
  let path: String
  /// The value of the field `Host`.
  let authority: String

  init(_ url: URL) throws(BackendError) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty else {
      throw .unusable("\(url.absoluteString) is no address of a server; expected one as in http://127.0.0.1:8080")
    }
    guard scheme == "http" else {
      throw .unusable("The control API is used over http, not \(scheme): give the server's own address and port.")
    }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    port = url.port ?? 80
    authority = (self.host.contains(":") ? "[\(self.host)]" : self.host) + (url.port.map { ":\($0)" } ?? "")
    path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
  }
}
