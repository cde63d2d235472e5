/// Compression into the deflate format (RFC 1951) and its zlib wrapping (RFC 1950).
package enum Deflate {
  /// The zlib stream of RFC 1950, section 2.2: two header bytes, the deflated data, the Adler-32 of the input.
  package static func zlib(_ input: [UInt8]) -> [UInt8] {
    // 0x78 says deflate with a window of 32 KiB; 0x5E says that a fast method was used and completes the check of
    // the header, which must be a multiple of 31.
    let sum = Checksum.adler32(input)
    return [0x78, 0x5E] + compress(input) + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
  }

  /// One final block with the fixed Huffman codes of RFC 1951, section 3.2.6.
  package static func compress(_ input: [UInt8]) -> [UInt8] {
    var output = BitWriter()
    output.write(1, count: 1)
    output.write(1, count: 2)
    var matcher = Matcher(count: input.count)
    var position = 0
    var found = matcher.longestMatch(in: input, at: position)
    while position < input.count {
      matcher.insert(position, of: input)
      // A match waits for the next position, which may begin a longer one (RFC 1951, section 4).
      let next = (found?.length ?? 0) < 64 ? matcher.longestMatch(in: input, at: position + 1) : nil
      guard let match = found, match.length >= next?.length ?? 0 else {
        output.write(literals[Int(input[position])])
        position += 1
        found = next
        continue
      }
      write(match, to: &output)
      // Every position near the beginning of a match may begin a later one. Farther inside the data repeats itself,
      // and its beginning stands for the rest.
      for index in 1..<min(match.length, 16) {
        matcher.insert(position + index, of: input)
      }
      position += match.length
      found = matcher.longestMatch(in: input, at: position)
    }
    output.write(literals[256])
    return output.finish()
  }

  private static func write(_ match: Match, to output: inout BitWriter) {
    let length = lengthSymbols[match.length]
    output.write(literals[257 + length])
    output.write(UInt32(match.length - lengthBases[length]), count: lengthExtraBits(length))
    let distance = distanceSymbol(match.distance)
    output.write(reversed(UInt32(distance), count: 5), count: 5)
    output.write(UInt32(match.distance - distanceBases[distance]), count: distanceExtraBits(distance))
  }

  // The tables of RFC 1951, sections 3.2.5 and 3.2.6, computed from the regularity behind them.

  /// The code of each literal and length symbol, already reversed, for Huffman codes are packed from their top bit.
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
    // The longest match has a symbol of its own.
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

  /// The packing of RFC 1951, section 3.1.1: from the lowest bit of each byte upwards.
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
