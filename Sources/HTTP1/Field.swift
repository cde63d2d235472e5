import Primitives

/// One field line, as ranges into the request's bytes (RFC 9112 5).
package struct Field: Sendable, Equatable {
  package var name: Range<Int>
  /// The value without surrounding white space.
  package var value: Range<Int>
  package var known: FieldName?

  /// The number of bytes of a value that is a list; 0 for others.
  var listBytes: Int { known?.hasList == true ? value.count : 0 }

  mutating func move(by distance: Int) {
    name = name.moved(by: distance)
    value = value.moved(by: distance)
  }
}

extension Range<Int> {
  func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}

/// The field names that the server acts on. Each is recognized once while the head is read, without a `String`.
package enum FieldName: UInt8, Sendable, CaseIterable {
  case accept, acceptEncoding, accessControlRequestHeaders, accessControlRequestMethod
  case accessControlRequestPrivateNetwork, authorization, cacheControl, connection, contentEncoding, contentLength
  case contentType, cookie, expect, faultKey, forwarded, host, idempotencyKey, ifMatch, ifModifiedSince, ifNoneMatch
  case ifUnmodifiedSince, lastEventID, origin, prefer, proxyAuthorization, te, trailer
  case transferEncoding, understudyClient, understudySandbox, upgrade, userAgent, xForwardedHost, xForwardedPort
  case xForwardedPrefix, xForwardedProto

  /// The name in lower case; names are case-insensitive (RFC 9110 5.1).
  package var spelling: String {
    switch self {
    case .accept: "accept"
    case .acceptEncoding: "accept-encoding"
    case .accessControlRequestHeaders: "access-control-request-headers"
    case .accessControlRequestMethod: "access-control-request-method"
    case .accessControlRequestPrivateNetwork: "access-control-request-private-network"
    case .authorization: "authorization"
    case .cacheControl: "cache-control"
    case .connection: "connection"
    case .contentEncoding: "content-encoding"
    case .contentLength: "content-length"
    case .contentType: "content-type"
    case .cookie: "cookie"
    case .expect: "expect"
    case .faultKey: "fault-key"
    case .forwarded: "forwarded"
    case .host: "host"
    case .idempotencyKey: "idempotency-key"
    case .ifMatch: "if-match"
    case .ifModifiedSince: "if-modified-since"
    case .ifNoneMatch: "if-none-match"
    case .ifUnmodifiedSince: "if-unmodified-since"
    case .lastEventID: "last-event-id"
    case .origin: "origin"
    case .prefer: "prefer"
    case .proxyAuthorization: "proxy-authorization"
    case .te: "te"
    case .trailer: "trailer"
    case .transferEncoding: "transfer-encoding"
    case .understudyClient: "understudy-client"
    case .understudySandbox: "understudy-sandbox"
    case .upgrade: "upgrade"
    case .userAgent: "user-agent"
    case .xForwardedHost: "x-forwarded-host"
    case .xForwardedPort: "x-forwarded-port"
    case .xForwardedPrefix: "x-forwarded-prefix"
    case .xForwardedProto: "x-forwarded-proto"
    }
  }

  /// True if the server parses the field's value as a list or as a text with many parts.
  var hasList: Bool {
    switch self {
    case .accept, .acceptEncoding, .accessControlRequestHeaders, .cacheControl, .connection, .contentEncoding, .expect,
      .forwarded, .ifMatch, .ifNoneMatch, .prefer, .te, .trailer, .transferEncoding, .upgrade,
      .xForwardedHost, .xForwardedPort, .xForwardedPrefix, .xForwardedProto:
      true
    default: false
    }
  }

  /// True if the field's values are credentials, with which a reader could impersonate the client.
  package var isSecret: Bool { self == .authorization || self == .proxyAuthorization || self == .cookie }

  /// Returns the known name in this range, or nil.
  init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard let candidate = FieldName.candidate(bytes, range) else { return nil }
    let (spelling, name) = (FieldName.spellings[Int(candidate.rawValue)], bytes.extracting(range))
    guard spelling.count == name.count else { return nil }
    // Without an exit from the loop, the compiler compares many bytes at once.
    var difference: UInt8 = 0
    for index in 0..<name.count { difference |= Byte.lowercased(name[index]) ^ spelling[index] }
    guard difference == 0 else { return nil }
    self = candidate
  }

  private static let spellings = allCases.map { Array($0.spelling.utf8) }

  /// Returns the only known name that matches by length and one distinctive byte. The caller still compares it in full.
  private static func candidate(_ bytes: Span<UInt8>, _ range: Range<Int>) -> FieldName? {
    let first = Byte.lowercased(bytes[range.lowerBound])
    switch range.count {
    case 2: return .te
    case 4: return .host
    case 6: return sixLetters(first)
    case 7: return first == 0x75 ? .upgrade : .trailer
    case 8: return .ifMatch
    case 9: return Byte.lowercased(bytes[range.lowerBound + 1]) == 0x61 ? .faultKey : .forwarded
    case 10: return first == 0x63 ? .connection : .userAgent
    case 12: return .contentType
    case 13: return thirteenLetters(first)
    case 14: return .contentLength
    case 15: return first == 0x61 ? .acceptEncoding : .idempotencyKey
    case 16 where first == 0x63: return .contentEncoding
    case 16: return Byte.lowercased(bytes[range.upperBound - 4]) == 0x68 ? .xForwardedHost : .xForwardedPort
    case 17: return seventeenLetters(first)
    case 18: return first == 0x75 ? .understudySandbox : .xForwardedPrefix
    case 19: return first == 0x70 ? .proxyAuthorization : .ifUnmodifiedSince
    case 29: return .accessControlRequestMethod
    case 30: return .accessControlRequestHeaders
    case 38: return .accessControlRequestPrivateNetwork
    default: return nil
    }
  }

  private static func sixLetters(_ first: UInt8) -> FieldName? {
    switch first {
    case 0x61: .accept
    case 0x63: .cookie
    case 0x65: .expect
    case 0x6F: .origin
    case 0x70: .prefer
    default: nil
    }
  }

  private static func thirteenLetters(_ first: UInt8) -> FieldName? {
    switch first {
    case 0x61: .authorization
    case 0x63: .cacheControl
    case 0x69: .ifNoneMatch
    case 0x6C: .lastEventID
    default: nil
    }
  }

  private static func seventeenLetters(_ first: UInt8) -> FieldName? {
    switch first {
    case 0x69: .ifModifiedSince
    case 0x74: .transferEncoding
    case 0x75: .understudyClient
    case 0x78: .xForwardedProto
    default: nil
    }
  }
}

extension FieldName {
  /// A set of known names.
  package struct Names: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package init(_ name: FieldName) { self.init(rawValue: 1 << UInt64(name.rawValue)) }

    package func contains(_ name: FieldName) -> Bool { rawValue & 1 << UInt64(name.rawValue) != 0 }

    /// Returns true if the set has a name in common with another. `isDisjoint(with:)` would be called generically.
    package func intersects(_ other: Names) -> Bool { rawValue & other.rawValue != 0 }

    /// The fields in which a proxy reports the request as it received it.
    package static let forwarding: Names = [
      Names(.forwarded), Names(.xForwardedHost), Names(.xForwardedPort), Names(.xForwardedPrefix),
      Names(.xForwardedProto),
    ]
    /// The fields with secret values.
    package static let secret = FieldName.allCases.filter(\.isSecret).reduce(into: Names()) { $0.insert(Names($1)) }
  }
}
