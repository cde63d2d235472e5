import Primitives

/// The query of a target as ordered pairs, percent-decoded, with `+` read as a space (WHATWG URL, section 5.1).
struct Query: Sendable, Equatable {
  var pairs: [Pair]

  struct Pair: Sendable, Equatable {
    let name: String
    let value: String
  }

  init(_ pairs: [Pair] = []) { self.pairs = pairs }

  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  func has(_ name: String) -> Bool { pairs.contains { $0.name == name } }

  init(parsing text: some Collection<UInt8>) {
    pairs = text.split(separator: UInt8(ascii: "&")).map { pair in
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return Pair(
        name: PercentCoding.decode(sides[0], plusIsSpace: true),
        value: sides.count > 1 ? PercentCoding.decode(sides[1], plusIsSpace: true) : "")
    }
  }
}
