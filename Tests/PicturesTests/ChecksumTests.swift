import Pictures
import Testing

@Suite struct ChecksumTests {
  @Test func `CRC-32 of 123456789 is the published check value`() {
    #expect(Checksum.crc32(Array("123456789".utf8)) == 0xCBF4_3926)
  }

  @Test func `CRC-32 of an empty IEND chunk is the one that ends every PNG`() {
    #expect(Checksum.crc32(Array("IEND".utf8)) == 0xAE42_6082)
  }

  @Test func `Adler-32 gives the published values`() {
    #expect(Checksum.adler32([]) == 1)
    #expect(Checksum.adler32(Array("Wikipedia".utf8)) == 0x11E6_0398)
  }

  @Test func `Adler-32 does not overflow on a long run of the highest byte`() {
    var low = 1
    var high = 0
    for _ in 0..<20_000 {
      low = (low + 255) % 65521
      high = (high + low) % 65521
    }
    #expect(Checksum.adler32([UInt8](repeating: 255, count: 20_000)) == UInt32(high << 16 | low))
  }
}
