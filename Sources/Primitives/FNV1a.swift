/// The 64-bit hash FNV-1a (Fowler, Noll and Vo): equal in every process and on every machine, unlike that of `Hasher`.
package enum FNV1a {
  /// The hash of nothing.
  package static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Returns the hash of the UTF-8 bytes, continued from `hash`.
  package static func hash(_ text: String, from hash: UInt64 = offsetBasis) -> UInt64 {
    var hash = hash
    for byte in text.utf8 { hash = step(hash, byte) }
    return hash
  }

  /// Returns the hash of the bytes.
  package static func hash(_ bytes: [UInt8]) -> UInt64 {
    var hash = offsetBasis
    for byte in bytes { hash = step(hash, byte) }
    return hash
  }

  private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
}
