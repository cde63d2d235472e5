import Primitives

/// The URL of a server: `http://host[:port][/base]`, or the same with https.
package struct BaseURL: Sendable, Equatable {
  /// True if the scheme is https.
  package let isEncrypted: Bool
  /// The host to connect to: a name, or an address without brackets.
  package let host: String
  package let port: Int
  /// The path before that of every request: empty, or with a leading slash and no trailing one.
  package var path: String
  /// The authority as it stands in the URL: the value of `Host`.
  package let authority: String

  /// The URL itself.
  package var text: String { (isEncrypted ? "https://" : "http://") + authority + path }

  /// An error in a URL, as a sentence.
  package struct Defect: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package init(_ url: String) throws(Defect) {
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
      throw Defect(description: "the URL has user information, which is not supported")
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
    self.path = path.split(separator: "/").map { "/" + $0 }.joined()
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
