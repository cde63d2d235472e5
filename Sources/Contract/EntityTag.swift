import Primitives

/// An entity tag (RFC 9110 section 8.8.3) computed from the bytes of a representation.
package struct EntityTag: Sendable, Hashable {
  package let hash: UInt64
  package let isWeak: Bool

  package init(hash: UInt64, isWeak: Bool) {
    self.hash = hash
    self.isWeak = isWeak
  }

  /// Creates the tag of a representation: FNV-1a of its bytes, so that equal states have equal tags in every sandbox
  /// and run.
  package init(of bytes: [UInt8], isWeak: Bool = false) {
    self.init(hash: FNV1a.hash(bytes), isWeak: isWeak)
  }

  /// Creates the tag of a list from the tags of its elements, in their order.
  package init(joining tags: [EntityTag], isWeak: Bool = false) {
    let hash = tags.reduce(UInt64(tags.count)) { ($0 ^ $1.hash) &* 0x9E37_79B9_7F4A_7C15 ^ $0 >> 29 }
    self.init(hash: hash, isWeak: isWeak)
  }

  /// Appends the tag in the form of `text`.
  package func write(to output: inout [UInt8]) {
    if isWeak { output.append(contentsOf: "W/".utf8) }
    output.append(UInt8(ascii: "\""))
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: hash >> UInt64(shift)) & 0xF
      output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
    output.append(UInt8(ascii: "\""))
  }

  /// The tag as in an `ETag` field: sixteen hexadecimal digits in quotes.
  package var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
