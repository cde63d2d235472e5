import Platform
import Primitives

/// The address of the backend: `http://host[:port][/base]`, or the same with https.
struct UpstreamAddress: Sendable, Equatable {
  /// True if the backend is reached by https.
  let isEncrypted: Bool
  /// The host to connect to: a name, or an address without brackets.
  let host: String
  let port: Int
  /// The path before every forwarded path: empty, or with a leading slash and no trailing one.
  let base: String
  /// The authority as it stands in the URL.
  let authority: String

  /// An error in the URL, as a sentence.
  struct Defect: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  init(_ url: String) throws(Defect) {
    let (scheme, rest) = try Self.split(url)
    guard scheme == "http" || scheme == "https" else {
      throw Defect(description: "\(url): the scheme is \(scheme); expected http, as in http://localhost:3000")
    }
    isEncrypted = scheme == "https"
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let path = rest.dropFirst(authority.count)
    guard !path.contains("?"), !path.contains("#") else {
      throw Defect(description: "\(url): a query or fragment has no meaning here; expected http://host[:port][/base]")
    }
    guard !authority.contains("@") else {
      throw Defect(description: "\(url): user information is not supported; clients send their own Authorization")
    }
    guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Defect(description: "\(url): the base path has a byte that must be percent-encoded")
    }
    let (host, digits) = Self.parts(of: authority)
    guard Authority.isValid(String(host)) else {
      throw Defect(description: "\(url): the host is missing or malformed; expected http://localhost:3000")
    }
    let standard = isEncrypted ? 443 : 80
    guard digits.utf8.allSatisfy(Byte.isDigit), let port = digits.isEmpty ? standard : Int(digits),
      1...65_535 ~= port
    else {
      throw Defect(description: "\(url): expected a port from 1 to 65535, found \(digits)")
    }
    self.host = String(host.hasPrefix("[") ? host.dropFirst().dropLast() : host)
    self.port = port
    self.authority = String(authority)
    base = path.split(separator: "/").map { "/" + $0 }.joined()
  }

  /// Returns the host, with the brackets of an IPv6 address, and the text after the colon that ends it.
  private static func parts(of authority: Substring) -> (host: Substring, port: Substring) {
    let end = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[end...].firstIndex(of: ":") else { return (authority, "") }
    return (authority[..<colon], authority[colon...].dropFirst())
  }

  private static func split(_ url: String) throws(Defect) -> (scheme: String, rest: Substring) {
    guard let end = url.firstRange(of: "://"), end.lowerBound > url.startIndex else {
      throw Defect(description: "\(url): expected a URL with its scheme, as in http://localhost:3000")
    }
    return (url[..<end.lowerBound].lowercased(), url[end.upperBound...])
  }
}

extension UpstreamAddress {
  /// The address as a URL.
  var url: String { (isEncrypted ? "https://" : "http://") + authority + base }

  /// True if the host is this machine's loopback by its name.
  var isLoopback: Bool { HostField(authority.utf8).isLoopback }

  /// Throws if no connection can be made to the address, because this server does not encrypt.
  func refuseEncryption() throws(Defect) {
    guard isEncrypted else { return }
    let target = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    throw Defect(
      description:
        "\(url): this server does not encrypt. Put a TLS client in between: python3 docker/tls.py --connect "
        + "\(target), and set its http address here with --upstream-host https://\(authority); socat, stunnel and "
        + "kubectl port-forward work as well.")
  }

  /// The reason for which no connection can be made; nil if one of its addresses accepts one within a second.
  var obstacle: String? {
    let addresses = SocketAddress.resolve(host, port: port)
    guard !addresses.isEmpty else { return "the name \(host) does not resolve to an address yet" }
    let socket = try? ClientSocket.connected(toFirstOf: addresses, until: .now + .seconds(1))
    return socket == nil ? "\(url) accepts no connections yet" : nil
  }
}
