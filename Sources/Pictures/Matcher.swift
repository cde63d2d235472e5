/// A repetition of earlier bytes: what LZ77 writes in place of the bytes themselves.
struct Match {
  var length: Int
  var distance: Int
}

/// The search for repetitions that RFC 1951, section 4, proposes: chains of the positions whose three bytes hash alike.
struct Matcher {
  private static let window = 32768
  private static let longest = 258
  private static let hashBits: UInt32 = 14

  /// How many earlier positions are tried. The drawings repeat themselves at once or not at all.
  private static let chainLimit = 48

  private var heads = [Int](repeating: -1, count: 1 << Matcher.hashBits)
  private var previous: [Int]

  init(count: Int) {
    previous = [Int](repeating: -1, count: min(count, Matcher.window))
  }

  mutating func insert(_ position: Int, of input: [UInt8]) {
    guard position + 2 < input.count else { return }
    let hash = Matcher.hash(input, position)
    previous[position % Matcher.window] = heads[hash]
    heads[hash] = position
  }

  func longestMatch(in input: [UInt8], at position: Int) -> Match? {
    guard position + 2 < input.count else { return nil }
    let limit = min(Matcher.longest, input.count - position)
    var best = Match(length: 2, distance: 0)
    var candidate = heads[Matcher.hash(input, position)]
    var tries = Matcher.chainLimit
    while candidate >= 0, position - candidate <= Matcher.window, tries > 0 {
      // A longer match than the best must agree where the best one ended.
      if input[candidate + best.length] == input[position + best.length] {
        let length = Matcher.commonLength(input, candidate, position, limit: limit)
        if length > best.length {
          best = Match(length: length, distance: position - candidate)
          if length == limit { break }
        }
      }
      let next = previous[candidate % Matcher.window]
      // A slot that a newer position has taken over does not lead backwards any more.
      if next >= candidate { break }
      candidate = next
      tries -= 1
    }
    return best.length > 2 ? best : nil
  }

  private static func commonLength(_ input: [UInt8], _ earlier: Int, _ later: Int, limit: Int) -> Int {
    var length = 0
    while length < limit, input[earlier + length] == input[later + length] {
      length += 1
    }
    return length
  }

  private static func hash(_ input: [UInt8], _ position: Int) -> Int {
    let bytes =
      UInt32(input[position]) | UInt32(input[position + 1]) << 8 | UInt32(input[position + 2]) << 16
    return Int((bytes &* 0x9E37_79B1) >> (32 - hashBits))
  }
}
