/// A text in which `*` stands for any run of bytes.
package struct TextGlob: Sendable, Hashable {
  package let text: String
  private let pattern: [UInt8]

  package init(_ text: String) {
    self.text = text
    pattern = Array(text.utf8)
  }

  package func matches(_ candidate: String) -> Bool {
    Self.matches(pattern[...], candidate.utf8[...])
  }

  /// Backtracks to the last star only, so that no pattern takes more than length times length.
  static func matches(_ pattern: ArraySlice<UInt8>, _ candidate: Substring.UTF8View) -> Bool {
    var place = pattern.startIndex
    var index = candidate.startIndex
    var retry: (place: Int, index: Substring.UTF8View.Index)?
    while index < candidate.endIndex {
      if place < pattern.endIndex, pattern[place] == UInt8(ascii: "*") {
        place += 1
        retry = (place, index)
      } else if place < pattern.endIndex, pattern[place] == candidate[index] {
        place += 1
        index = candidate.index(after: index)
      } else if let last = retry {
        index = candidate.index(after: last.index)
        place = last.place
        retry = (place, index)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
