import Pictures
import Testing

@Suite struct DeflateTests {
  @Test func `Empty input gives an empty block`() {
    #expect(Deflate.compress([], stride: 1) == [0x03, 0x00])
    #expect(Deflate.zlib([], stride: 1) == [0x78, 0x5E, 0x03, 0x00, 0, 0, 0, 1])
  }

  @Test func `Every byte value inflates to itself`() throws {
    let input = (0...255).map { UInt8($0) }
    #expect(try Inflater.inflate(Deflate.compress(input, stride: 13)) == input)
  }

  @Test(arguments: 0...600)
  func `A run of any length inflates to itself`(length: Int) throws {
    let input = [UInt8](repeating: 7, count: length)
    #expect(try Inflater.inflate(Deflate.compress(input, stride: 13)) == input)
  }

  @Test(arguments: [1, 2, 4, 5, 100, 4096, 24_577, 32_767, 32_768])
  func `A repetition at the distance of a line inflates to itself, and shrinks`(distance: Int) throws {
    let line = noise(distance)
    let input = line + line + line.prefix(distance / 2)
    let compressed = Deflate.compress(input, stride: distance)
    #expect(try Inflater.inflate(compressed) == input)
    #expect(compressed.count <= line.count * 9 / 8 + distance / 40 + 8)
  }

  @Test func `A repetition of three bytes is the shortest that shrinks`() throws {
    // A literal has 8 bits, and a repetition 12: with the head of 3 and the end of 7 bits, these are 54 and 50.
    for (input, stride) in [([1, 2, 3, 1, 2, 3, 9], 3), ([1, 2, 1, 2, 9], 2)] as [([UInt8], Int)] {
      let compressed = Deflate.compress(input, stride: stride)
      #expect(compressed.count == 7)
      #expect(try Inflater.inflate(compressed) == input)
    }
  }

  @Test func `Noise inflates to itself although it does not shrink`() throws {
    let input = noise(20_000)
    #expect(try Inflater.inflate(Deflate.compress(input, stride: 13)) == input)
  }

  @Test func `Repetition shrinks to nearly nothing`() {
    let input = [[UInt8]](repeating: Array("meeting room ".utf8), count: 1000).flatMap(\.self)
    #expect(Deflate.compress(input, stride: 13).count < 250)
  }

  @Test func `The zlib stream ends with the Adler-32 of the input`() {
    let stream = Deflate.zlib(Array("Wikipedia".utf8), stride: 1)
    #expect(stream.suffix(4) == [0x11, 0xE6, 0x03, 0x98])
    #expect((Int(stream[0]) << 8 | Int(stream[1])) % 31 == 0)
  }

  private func noise(_ count: Int) -> [UInt8] {
    var seed = Seed("noise")
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: seed.next()) }
  }
}
