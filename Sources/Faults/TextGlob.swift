/// A text in which `*` matches any run of bytes.
package struct TextGlob: Sendable, Hashable {
  package let text: String
  let pattern: GlobPattern

  package init(_ text: String) {
    self.text = text
    pattern = GlobPattern(Array(text.utf8))
  }

  /// See `GlobPattern.maximumSearched`.
  package static let maximumSearched = GlobPattern.maximumSearched

  package func matches(_ candidate: String) -> Bool { pattern.matches(candidate.utf8) }
}

/// The bytes of a glob, prepared so that matching takes time proportional to the text's length.
struct GlobPattern: Sendable, Hashable {
  /// The pieces before, between and after the stars; a single piece if there is no star.
  private let pieces: [Piece]

  /// The number of bytes after the glob's beginning in which pieces between two stars are searched: a thousand rules
  /// may examine one text.
  static let maximumSearched = 1 << 10

  init(_ bytes: some Collection<UInt8>) {
    pieces = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Piece(Array($0)) }
  }

  var hasStar: Bool { pieces.count > 1 }

  /// The beginning of every matching text.
  var prefix: [UInt8] { pieces[0].bytes }

  func matches<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Bool {
    guard hasStar else { return text.elementsEqual(pieces[0].bytes) }
    var (start, end) = (text.startIndex, text.endIndex)
    for byte in pieces[0].bytes {
      guard start < end, text[start] == byte else { return false }
      text.formIndex(after: &start)
    }
    for byte in pieces[pieces.count - 1].bytes.reversed() {
      guard start < end else { return false }
      text.formIndex(before: &end)
      guard text[end] == byte else { return false }
    }
    guard pieces.count > 2 else { return true }
    end = text.index(start, offsetBy: Self.maximumSearched, limitedBy: end) ?? end
    for piece in pieces[1..<pieces.count - 1] where !piece.bytes.isEmpty {
      guard let found = piece.end(in: text, from: start, to: end) else { return false }
      start = found
    }
    return true
  }

  /// Bytes that are searched with the algorithm of Knuth, Morris and Pratt (SIAM J. Comput. 6, 1977).
  private struct Piece: Sendable, Hashable {
    let bytes: [UInt8]
    /// For each prefix length minus one, the length of the longest proper prefix that is also a suffix.
    private let borders: [Int]

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      var borders: [Int] = []
      for (position, byte) in bytes.enumerated() {
        var border = borders.last ?? 0
        while border > 0, bytes[border] != byte { border = borders[border - 1] }
        borders.append(position > 0 && bytes[border] == byte ? border + 1 : 0)
      }
      self.borders = borders
    }

    /// Returns the end of the first occurrence of the bytes.
    func end<Text: Collection<UInt8>>(in text: Text, from start: Text.Index, to end: Text.Index) -> Text.Index? {
      var (position, matched) = (start, 0)
      while position < end {
        let byte = text[position]
        text.formIndex(after: &position)
        while matched > 0, bytes[matched] != byte { matched = borders[matched - 1] }
        if bytes[matched] == byte { matched += 1 }
        if matched == bytes.count { return position }
      }
      return nil
    }
  }
}
