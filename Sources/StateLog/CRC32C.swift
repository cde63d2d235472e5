/// The checksum of iSCSI (RFC 3720, section 12.1) for the state log: it detects every error burst of up to 32 bits.
///
/// PNG's CRC-32 has another polynomial, and belongs to the pictures.
struct CRC32C {
  private var register: UInt32 = 0xFFFF_FFFF

  init() {}

  var value: UInt32 { ~register }

  mutating func update(_ bytes: some Sequence<UInt8>) {
    var register = register
    for byte in bytes {
      register = Self.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
    }
    self.register = register
  }

  /// The table for one byte at a time, from the reflected polynomial 0x82F63B78.
  private static let table: [UInt32] = (0..<256).map { byte in
    var value = UInt32(byte)
    for _ in 0..<8 { value = value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
    return value
  }
}
