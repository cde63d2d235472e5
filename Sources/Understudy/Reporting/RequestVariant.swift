import Contract
import HTTP1
import JSON
import Primitives
import Report
import Services

extension Application {
  /// Returns the hash of the fields by which a request is another one than an equal one: credentials, a backend's tokens and
  /// its media type, and those that the response's `Vary` names; 0 if it has none of them.
  ///
  /// The fields' values are not stored.
  func variant(of exchange: borrowing Exchange, _ response: Response?) -> UInt64 {
    var hash: UInt64 = 0
    if let value = exchange.bytes(of: .authorization) { hash = hash.mixed(with: Credentials.hash(value)) }
    if let value = exchange.bytes(of: .cookie) { hash = hash.mixed(with: Observation.hash(value)) }
    guard exchange.isToBackend else { return hash }
    if let type = exchange.bytes(of: .contentType) {
      hash = hash.mixed(with: Observation.hash(type.prefix { $0 != UInt8(ascii: ";") }))
    }
    for field in exchange.request.fields where field.known == nil {
      guard Self.isToken(exchange.request.bytes[field.name]) else { continue }
      hash = hash.mixed(with: Observation.hash(exchange.request.bytes[field.value]))
    }
    // `Vary` tells responses apart in a cache; a write that is repeated is the same.
    guard !exchange.isWrite else { return hash }
    for name in response?.forwarded?.value(of: "vary")?.split(whereSeparator: { $0 == "," || $0 == " " }) ?? [] {
      if let value = exchange.request.combined(String(name)) { hash = hash.mixed(with: Observation.hash(value)) }
    }
    return hash
  }

  /// Returns true if the value of a field comes from a server, by the field's name: a credential, a session's id, or a token
  /// against forgery, but no token that the client makes for each write.
  private static func isToken(_ name: ArraySlice<UInt8>) -> Bool {
    if SecretNames.fields.contains(name) { return true }
    let text = String(decoding: name, as: UTF8.self).lowercased()
    func names(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
    return names("csrf", "xsrf", "session", "crumb")
      || names("token") && !names("client-token", "request-token", "idempoten")
  }

  /// Returns the hashes of the entity tags in a condition that may be the server's, or a backend's.
  func tags(in condition: String, of exchange: borrowing Exchange) -> [UInt64] {
    guard case .tags(let tags) = EntityTagCondition(parsing: condition) else { return [] }
    return exchange.isToBackend
      ? tags.map(ForwardedHead.hash(ofTag:)) : tags.compactMap { UInt64($0.filter(\.isHexDigit), radix: 16) }
  }

  /// Returns the hash of what content in JSON names as the result of a write: its member `id`, or the `result` of JSON-RPC,
  /// where the `id` is the call's. Nil if it has none.
  static func result(in content: ArraySlice<UInt8>) -> UInt64? {
    guard let json = try? JSONValue(parsing: content) else { return nil }
    return json[json["jsonrpc"] == "2.0" ? "result" : "id"].map { Observation.hash($0.meaning[...]) }
  }
}
