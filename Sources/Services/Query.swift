import Primitives

/// The query of a target as ordered pairs, percent-decoded, with `+` read as a space (WHATWG URL, section 5.1).
package struct Query: Sendable, Equatable {
  package var pairs: [Pair]

  package struct Pair: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  package init(_ pairs: [Pair] = []) { self.pairs = pairs }

  package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  package func has(_ name: String) -> Bool { pairs.contains { $0.name == name } }

  /// The names under which clients send the id of a stream's last event; `lastEventId` is that of the common polyfills.
  package static let lastEventNames = ["lastEventId", "Last-Event-ID"]

  package var lastEventID: String? { Self.lastEventNames.lazy.compactMap { self[$0] }.first }

  package init(parsing text: some Collection<UInt8>) {
    pairs = text.split(separator: UInt8(ascii: "&")).map { pair in
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return Pair(
        name: PercentCoding.decode(sides[0], plusIsSpace: true),
        value: sides.count > 1 ? PercentCoding.decode(sides[1], plusIsSpace: true) : "")
    }
  }
}
