/// An entity tag (RFC 9110 section 8.8.3) made from the bytes of a representation.
package struct EntityTag: Sendable, Hashable {
  package let hash: UInt64
  package let isWeak: Bool

  package init(hash: UInt64, isWeak: Bool) {
    self.hash = hash
    self.isWeak = isWeak
  }

  /// The tag of a representation: FNV-1a of its bytes, so that equal states have equal tags in every sandbox and run.
  package init(of bytes: some Sequence<UInt8>, isWeak: Bool = false) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.init(hash: hash, isWeak: isWeak)
  }

  /// As the `ETag` field shows it: sixteen hexadecimal digits in quotes.
  package var text: String {
    let digits = String(hash, radix: 16)
    return (isWeak ? "W/\"" : "\"") + String(repeating: "0", count: 16 - digits.utf8.count) + digits + "\""
  }
}
