/// The two checksums of a PNG.
package enum Checksum {
  /// The CRC-32 of the PNG specification, annex D: the reflected polynomial 0xEDB88320.
  package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8)
    }
    return ~crc
  }

  /// The Adler-32 of RFC 1950, section 8.2.
  package static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var low: UInt32 = 1
    var high: UInt32 = 0
    var start = 0
    while start < bytes.count {
      // 5552 is the maximum length after which `high` still fits into 32 bits, so that one division per stretch is
      // enough.
      let end = min(start + 5552, bytes.count)
      for index in start..<end {
        low &+= UInt32(bytes[index])
        high &+= low
      }
      low %= 65521
      high %= 65521
      start = end
    }
    return high << 16 | low
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    var value = UInt32(byte)
    for _ in 0..<8 {
      value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
    return value
  }
}
