import Contract
import HTTP1
import JSON
import Primitives
import Report
import Services

extension Application {
  /// Returns the hash of the fields by which a request is another one than an equal one: credentials, tokens against forgery,
  /// a backend's media type, and those that the response's `Vary` names; 0 if it has none of them.
  ///
  /// The fields' values are not stored.
  func variant(of exchange: borrowing Exchange, _ response: Response?) -> UInt64 {
    var hash: UInt64 = 0
    for name in [FieldName.authorization, .cookie] {
      if let value = exchange.bytes(of: name) { hash = hash.mixed(with: Observation.hash(value)) }
    }
    guard exchange.isForwarded else { return hash }
    if let type = exchange.bytes(of: .contentType) {
      hash = hash.mixed(with: Observation.hash(type.prefix { $0 != UInt8(ascii: ";") }))
    }
    for field in exchange.request.fields where field.known == nil {
      let name = exchange.request.text(field.name).lowercased()
      guard name.contains("csrf") || name.contains("xsrf") else { continue }
      hash = hash.mixed(with: Observation.hash(exchange.request.bytes[field.value]))
    }
    // `Vary` tells responses apart in a cache; a write that is repeated is the same.
    guard !exchange.isWrite else { return hash }
    for name in response?.forwarded?.value(of: "vary")?.split(whereSeparator: { $0 == "," || $0 == " " }) ?? [] {
      if let value = exchange.request.combined(String(name)) { hash = hash.mixed(with: Observation.hash(value)) }
    }
    return hash
  }

  /// Returns the hashes of the entity tags in a condition that may be the server's, or a backend's.
  func tags(in condition: String, of exchange: borrowing Exchange) -> [UInt64] {
    guard case .tags(let tags) = EntityTagCondition(parsing: condition) else { return [] }
    return exchange.isForwarded
      ? tags.map(ForwardedHead.hash(ofTag:)) : tags.compactMap { UInt64($0.filter(\.isHexDigit), radix: 16) }
  }

  /// Returns the hash of the member `id` of content in JSON; nil if it has none.
  static func id(in content: ArraySlice<UInt8>) -> UInt64? {
    (try? JSONValue(parsing: content))?["id"].map { Observation.hash($0.meaning[...]) }
  }
}
