/// Compression into the deflate format (RFC 1951) and its zlib wrapping (RFC 1950).
package enum Deflate {
  /// Returns the zlib stream of RFC 1950, section 2.2: two header bytes, the deflated data, the Adler-32 of the input.
  package static func zlib(_ input: [UInt8], stride: Int) -> [UInt8] {
    // 0x78: deflate with a window of 32 KiB. 0x5E: a fast method; it makes the header a multiple of 31.
    let sum = Checksum.adler32(input)
    return [0x78, 0x5E] + compress(input, stride: stride)
      + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
  }

  /// Returns one final block with the fixed Huffman codes of RFC 1951, section 3.2.6.
  ///
  /// It finds only repetitions at distance 1 and at `stride`: in a drawing, the pixel to the left and the one above.
  package static func compress(_ input: [UInt8], stride: Int) -> [UInt8] {
    precondition((1...32_768).contains(stride), "a distance that deflate knows")
    var output = BitWriter()
    output.write(1, count: 1)
    output.write(1, count: 2)
    var position = 0
    while position < input.count {
      let matches = [1, stride].map { Match(length: repeated(input, position, from: $0), distance: $0) }
      let match = matches[0].length > matches[1].length ? matches[0] : matches[1]
      if match.length >= 3 {
        write(match, to: &output)
        position += match.length
      } else {
        output.write(literals[Int(input[position])])
        position += 1
      }
    }
    output.write(literals[256])
    return output.finish()
  }

  /// A repetition of earlier bytes.
  private struct Match {
    let length: Int
    let distance: Int
  }

  /// Returns the number of bytes that repeat those at a distance, at most the longest match.
  private static func repeated(_ input: [UInt8], _ position: Int, from distance: Int) -> Int {
    guard position >= distance else { return 0 }
    let end = min(input.count, position + 258)
    var index = position
    while index < end, input[index] == input[index - distance] { index += 1 }
    return index - position
  }

  private static func write(_ match: Match, to output: inout BitWriter) {
    let length = lengthSymbols[match.length]
    output.write(literals[257 + length])
    output.write(UInt32(match.length - lengthBases[length]), count: lengthExtraBits(length))
    let distance = distanceSymbol(match.distance)
    output.write(reversed(UInt32(distance), count: 5), count: 5)
    output.write(UInt32(match.distance - distanceBases[distance]), count: distanceExtraBits(distance))
  }

  // The tables of RFC 1951, sections 3.2.5 and 3.2.6, computed from their regularity.

  /// The code of each literal and length symbol, reversed, because Huffman codes are packed from their highest bit.
  private static let literals: [Code] = (0..<288).map { symbol in
    let value = UInt32(symbol)
    return switch symbol {
    case 0..<144: Code(bits: reversed(0x30 + value, count: 8), count: 8)
    case 144..<256: Code(bits: reversed(0x190 + value - 144, count: 9), count: 9)
    case 256..<280: Code(bits: reversed(value - 256, count: 7), count: 7)
    default: Code(bits: reversed(0xC0 + value - 280, count: 8), count: 8)
    }
  }

  private static let lengthBases: [Int] = {
    var bases: [Int] = []
    var base = 3
    for symbol in 0..<28 {
      bases.append(base)
      base += 1 << lengthExtraBits(symbol)
    }
    // The longest match has its own symbol.
    return bases + [258]
  }()

  private static let distanceBases: [Int] = {
    var bases: [Int] = []
    var base = 1
    for symbol in 0..<30 {
      bases.append(base)
      base += 1 << distanceExtraBits(symbol)
    }
    return bases
  }()

  private static let lengthSymbols: [Int] = (0...258).map { length in
    lengthBases.lastIndex { $0 <= length } ?? 0
  }

  private static func lengthExtraBits(_ symbol: Int) -> Int {
    symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1
  }

  private static func distanceExtraBits(_ symbol: Int) -> Int {
    symbol < 4 ? 0 : symbol / 2 - 1
  }

  private static func distanceSymbol(_ distance: Int) -> Int {
    if distance <= 4 { return distance - 1 }
    let offset = distance - 1
    let topBit = Int.bitWidth - 1 - offset.leadingZeroBitCount
    return 2 * topBit + (offset >> (topBit - 1)) & 1
  }

  private static func reversed(_ value: UInt32, count: Int) -> UInt32 {
    var result: UInt32 = 0
    for bit in 0..<count where value >> bit & 1 == 1 {
      result |= 1 << (count - 1 - bit)
    }
    return result
  }

  private struct Code {
    let bits: UInt32
    let count: Int
  }

  /// Packs bits as in RFC 1951, section 3.1.1: from the lowest bit of each byte upwards.
  private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var pendingCount = 0

    mutating func write(_ bits: UInt32, count: Int) {
      pending |= bits << UInt32(pendingCount)
      pendingCount += count
      while pendingCount >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: pending))
        pending >>= 8
        pendingCount -= 8
      }
    }

    mutating func write(_ code: Code) {
      write(code.bits, count: code.count)
    }

    mutating func finish() -> [UInt8] {
      write(0, count: (8 - pendingCount) % 8)
      return bytes
    }
  }
}
