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

  /// Parses a query where it lies, in one pass.
  package init(parsing text: ArraySlice<UInt8>) {
    pairs = []
    var (start, equals) = (text.startIndex, Int?.none)
    for index in text.startIndex...text.endIndex {
      if index < text.endIndex {
        if text[index] == UInt8(ascii: "="), equals == nil { equals = index }
        guard text[index] == UInt8(ascii: "&") else { continue }
      }
      if start < index {
        let name = PercentCoding.decode(text[start..<(equals ?? index)], plusIsSpace: true)
        let value = equals.map { PercentCoding.decode(text[($0 + 1)..<index], plusIsSpace: true) } ?? ""
        pairs.append(Pair(name: name, value: value))
      }
      (start, equals) = (index + 1, nil)
    }
  }

  /// True if its evaluation may take more time than a turn of the loop has.
  package var isLong: Bool {
    pairs.count > Self.maximumPairs
      || pairs.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } > Self.maximumBytes
  }

  /// The longest query that is evaluated on the loop.
  package static let maximumPairs = 8
  package static let maximumBytes = 512
}
