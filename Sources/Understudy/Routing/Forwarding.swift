import Contract
import HTTP1
import Primitives

/// The scheme that the client uses. URLs in responses have the same one, so that clients can follow them.
enum Scheme: String, Sendable {
  case http
  /// Through a proxy that terminates TLS.
  case https

  var defaultPort: Int { self == .http ? 80 : 443 }
}

extension Request {
  /// The scheme on the client's side, as reported by a proxy; without a proxy, the server's own, http.
  var scheme: Scheme { isProxied ? Forwarding(self).scheme ?? .http : .http }

  /// The authority that the client used, as reported by a proxy; without a proxy, the request's own.
  var clientAuthority: String? {
    let own = host.map { text($0) }
    return isProxied ? Forwarding(self).authority(insteadOf: own) : own
  }

  /// The path that a proxy removed from the client's, without a trailing slash; empty without one.
  var clientPrefix: String { isProxied ? Forwarding(self).prefix : "" }

  /// True if a proxy reports the client's side.
  var isProxied: Bool { knownFields.intersects(.forwarding) }
}

/// The client's side of a request as the outermost proxy saw it: `Forwarded` (RFC 7239), or else the `X-Forwarded-`
/// fields.
///
/// Malformed values are ignored. It is used for links only: access to the control API depends on the request's own
/// `Host`, because a page can send these fields, too.
struct Forwarding {
  private(set) var scheme: Scheme?
  private(set) var prefix = ""
  private var host: String?
  private var port: Int?

  init(_ request: borrowing Request) {
    let element = request.combined(.forwarded).map(Self.firstElement) ?? [:]
    scheme = Self.scheme(element["proto"]) ?? Self.scheme(Self.first(.xForwardedProto, of: request))
    prefix = Self.prefix(Self.first(.xForwardedPrefix, of: request))
    host = Self.authority(element["host"])
    guard host == nil else { return }
    host = Self.authority(Self.first(.xForwardedHost, of: request))
    port = Self.first(.xForwardedPort, of: request).flatMap(Self.port)
  }

  /// Returns the client's authority.
  ///
  /// - Parameter own: The request's own authority.
  func authority(insteadOf own: String?) -> String? {
    guard let authority = host ?? own, let port else { return host ?? own }
    let name = HostField(authority.utf8).host
    return port == (scheme ?? .http).defaultPort ? name : "\(name):\(port)"
  }

  private static func scheme(_ text: String?) -> Scheme? { text.flatMap { Scheme(rawValue: $0.lowercased()) } }

  private static func authority(_ text: String?) -> String? { text.flatMap { Authority.isValid($0) ? $0 : nil } }

  /// Returns a path of the characters of RFC 3986 section 3.3. `//host` would name another authority.
  private static func prefix(_ text: String?) -> String {
    let segments = (text ?? "").split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard let text, text.hasPrefix("/"), segments.allSatisfy({ $0.utf8.allSatisfy(isPathByte) }) else { return "" }
    let path = segments.last == "" ? segments.dropLast() : segments
    return path.contains { $0.isEmpty || $0 == "." || $0 == ".." } ? "" : path.map { "/" + $0 }.joined()
  }

  private static func isPathByte(_ byte: UInt8) -> Bool {
    Byte.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~!$&'()*+,;=:@%".utf8.contains(byte)
  }

  private static func port(_ text: String) -> Int? {
    guard text.utf8.allSatisfy(Byte.isDigit), let port = Int(text), (1...65_535).contains(port) else {
      return nil
    }
    return port
  }

  /// Returns the first element of a list, which is from the proxy nearest to the client.
  private static func first(_ name: FieldName, of request: borrowing Request) -> String? {
    let elements = request.combined(name)?.split(separator: ",").map { String($0).trimmingBlanks } ?? []
    return elements.first { !$0.isEmpty }
  }

  /// Returns the parameters of the first element that is not empty; none if it is malformed (RFC 7239 section 4).
  private static func firstElement(_ text: String) -> [String: String] {
    var rest = Substring(text).drop { $0 == "," || $0 == " " || $0 == "\t" }
    var parameters: [String: String] = [:]
    while let first = rest.first, first != "," {
      let name = rest.prefix(while: isToken).lowercased()
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty, rest.first == "=" else { return [:] }
      rest = rest.dropFirst()
      guard let value = takeValue(&rest), parameters.updateValue(value, forKey: name) == nil else { return [:] }
      rest = rest.drop { $0 == " " || $0 == "\t" }
      guard let next = rest.first, next != "," else { return parameters }
      guard next == ";" else { return [:] }
      rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
    }
    return parameters
  }

  /// Removes and returns the token or quoted string at the beginning.
  private static func takeValue(_ rest: inout Substring) -> String? {
    guard rest.first == "\"" else {
      let token = rest.prefix(while: isToken)
      rest = rest.dropFirst(token.count)
      return token.isEmpty ? nil : String(token)
    }
    var value = ""
    rest = rest.dropFirst()
    while let character = rest.popFirst() {
      switch character {
      case "\"": return value
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped)
      default: value.append(character)
      }
    }
    return nil
  }

  private static func isToken(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
  }
}
