/// A decoder for the output of `Deflate`: one final block with the fixed codes of RFC 1951, section 3.2.6.
struct Inflater {
  struct Malformed: Error {}

  private let input: [UInt8]
  private var bitPosition = 0

  static func inflate(_ input: [UInt8]) throws -> [UInt8] {
    var inflater = Inflater(input: input)
    return try inflater.run()
  }

  private init(input: [UInt8]) {
    self.input = input
  }

  // The tables are copied from the RFC, and not computed as in `Deflate`, so that one verifies the other.
  private static let lengths = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distances = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  private static let distanceBits = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
  ]

  private mutating func run() throws -> [UInt8] {
    guard try bits(1) == 1, try bits(2) == 1 else { throw Malformed() }
    var output: [UInt8] = []
    while true {
      let symbol = try literal()
      if symbol < 256 {
        output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { break }
      guard symbol - 257 < Inflater.lengths.count else { throw Malformed() }
      let length = Inflater.lengths[symbol - 257] + (try bits(Inflater.lengthBits[symbol - 257]))
      let code = try huffman(5)
      guard code < Inflater.distances.count else { throw Malformed() }
      let distance = Inflater.distances[code] + (try bits(Inflater.distanceBits[code]))
      guard distance <= output.count else { throw Malformed() }
      for _ in 0..<length {
        output.append(output[output.count - distance])
      }
    }
    guard (bitPosition + 7) / 8 == input.count else { throw Malformed() }
    return output
  }

  private mutating func literal() throws -> Int {
    var code = try huffman(7)
    if code < 0x18 { return 256 + code }
    code = code << 1 | (try bits(1))
    if code < 0xC0 { return code - 0x30 }
    if code < 0xC8 { return code - 0xC0 + 280 }
    code = code << 1 | (try bits(1))
    return code - 0x190 + 144
  }

  /// Huffman codes have their highest bit first.
  private mutating func huffman(_ count: Int) throws -> Int {
    var value = 0
    for _ in 0..<count {
      value = value << 1 | (try bits(1))
    }
    return value
  }

  private mutating func bits(_ count: Int) throws -> Int {
    var value = 0
    for index in 0..<count {
      guard bitPosition / 8 < input.count else { throw Malformed() }
      value |= Int(input[bitPosition / 8] >> UInt8(bitPosition % 8) & 1) << index
      bitPosition += 1
    }
    return value
  }
}
