/// A text in which `*` matches any run of bytes, prepared so that matching takes time proportional to the length of the
/// other text.
package struct Glob: Sendable, Hashable {
  private let bytes: [UInt8]
  /// The length of the piece before the first star; without a star, of all bytes.
  private let prefixCount: Int
  /// The length of the piece after the last star.
  private let suffixCount: Int
  /// For each byte, the length of the longest proper prefix of its piece that ends with it: pieces are searched with the
  /// algorithm of Knuth, Morris and Pratt (SIAM J. Comput. 6, 1977).
  private let borders: [Int]

  /// The number of bytes in which the pieces between two stars are searched, in one text or in the segments of one path
  /// together: a thousand rules may examine it, in a debug build, too.
  package static let maximumSearched = 512
  private static let star = UInt8(ascii: "*")

  package init(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.bytes = bytes
    prefixCount = bytes.firstIndex(of: Self.star) ?? bytes.count
    suffixCount = bytes.lastIndex(of: Self.star).map { bytes.count - 1 - $0 } ?? 0
    borders = Self.borders(of: bytes)
  }

  private static func borders(of bytes: [UInt8]) -> [Int] {
    var borders: [Int] = []
    var start = 0
    for (index, byte) in bytes.enumerated() {
      guard byte != star else {
        borders.append(0)
        start = index + 1
        continue
      }
      var border = index > start ? borders[index - 1] : 0
      while border > 0, bytes[start + border] != byte { border = borders[start + border - 1] }
      borders.append(index > start && bytes[start + border] == byte ? border + 1 : 0)
    }
    return borders
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  var hasStar: Bool { prefixCount < bytes.count }

  /// The beginning of every matching text.
  var prefix: ArraySlice<UInt8> { bytes[..<prefixCount] }

  /// Returns true if a text matches.
  ///
  /// - Parameter maximum: The number of bytes in which pieces between two stars are searched.
  package func matches(_ text: [UInt8], upTo maximum: Int = maximumSearched) -> Bool {
    var searched = 0
    return matches(text, in: 0..<text.count, &searched, upTo: maximum)
  }

  /// Returns true if a part of a text matches.
  ///
  /// - Parameters:
  ///   - searched: The number of bytes in which pieces between two stars were searched, which is added to it.
  ///   - maximum: The number of bytes in which they are searched.
  func matches(
    _ text: [UInt8], in range: Range<Int>, _ searched: inout Int, upTo maximum: Int = maximumSearched
  ) -> Bool {
    let length = range.upperBound - range.lowerBound
    guard hasStar ? length >= prefixCount + suffixCount : length == bytes.count else { return false }
    let end = range.upperBound - suffixCount
    guard Self.areEqual(text, from: range.lowerBound, bytes, from: 0, count: prefixCount),
      Self.areEqual(text, from: end, bytes, from: bytes.count - suffixCount, count: suffixCount)
    else { return false }
    let start = range.lowerBound + prefixCount
    var comparisons = 0
    let limit = min(end, start + maximum - min(searched, maximum))
    return hasMiddle(in: text, start..<max(start, limit), &searched, &comparisons)
  }

  static func areEqual(_ left: [UInt8], from start: Int, _ right: [UInt8], from other: Int, count: Int) -> Bool {
    var index = 0
    while index < count {
      if left[start + index] != right[other + index] { return false }
      index += 1
    }
    return true
  }

  /// Returns true if the pieces between two stars occur one after the other.
  ///
  /// - Parameters:
  ///   - searched: The number of examined bytes, which is added to it.
  ///   - comparisons: The number of comparisons of two bytes, which is added to it.
  func hasMiddle(in text: [UInt8], _ range: Range<Int>, _ searched: inout Int, _ comparisons: inout Int) -> Bool {
    let (bytes, end) = (bytes, bytes.count - suffixCount)
    var piece = prefixCount + 1
    while piece < end, bytes[piece] == Self.star { piece += 1 }
    var (matched, position) = (piece, range.lowerBound)
    // The last byte before `end` is a star, so that every piece ends with one.
    while matched < end, position < range.upperBound {
      let byte = text[position]
      position += 1
      comparisons += 1
      while bytes[matched] != byte, matched > piece {
        matched = piece + borders[matched - 1]
        comparisons += 1
      }
      guard bytes[matched] == byte else { continue }
      matched += 1
      while matched < end, bytes[matched] == Self.star {
        matched += 1
        piece = matched
      }
    }
    searched += position - range.lowerBound
    return matched >= end
  }
}
