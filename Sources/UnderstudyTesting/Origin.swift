import Foundation

/// The origin of a control API: the address to connect to, and the path before `/_mock`.
struct Origin: Sendable {
  let host: String
  let port: Int
  private(set) var path: String
  /// The value of the field `Host`.
  let authority: String

  init(_ url: URL) throws(BackendError) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty else {
      throw .unusable(
        "\(url.absoluteString) is not the address of a server; expected one as in "
          + "http://127.0.0.1:8080")
    }
    guard scheme == "http" else {
      throw .unusable("The control API is used over http, not \(scheme): give the server's own address and port.")
    }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    port = url.port ?? 80
    authority = (self.host.contains(":") ? "[\(self.host)]" : self.host) + (url.port.map { ":\($0)" } ?? "")
    path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
  }

  /// Returns the origin of a sandbox's control API: its label replaces those in the path.
  func sandbox(_ name: String) -> Origin {
    var origin = self
    origin.path = path.split(separator: "/").filter { !$0.hasPrefix("@") }.map { "/" + $0 }.joined() + "/@" + name
    return origin
  }
}
