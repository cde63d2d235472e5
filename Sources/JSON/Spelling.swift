/// Finds the known word that a misspelt word probably means.
package enum Spelling {
  /// Longer words are not compared: the comparison takes quadratic time.
  private static let maximumLength = 64

  /// Returns the known word that is nearest to `word`, if at most `distance` edits away.
  package static func nearest(to word: String, among known: [String], within distance: Int = 2) -> String? {
    guard word.utf8.count <= maximumLength else { return nil }
    if let same = known.first(where: { $0.lowercased() == word.lowercased() }) { return same }
    // Each edit changes the length by one at most.
    let near = known.lazy.filter { abs($0.utf8.count - word.utf8.count) <= distance }
      .map { ($0, Self.distance(word, $0)) }.min { $0.1 < $1.1 }
    guard let (name, edits) = near, edits <= distance else { return nil }
    return name
  }

  /// Returns the sentence that suggests the known word nearest to `word`, after a separator; empty if none is near.
  package static func suggestion(for word: String, among known: [String], after separator: String = "; ") -> String {
    nearest(to: word, among: known).map { "\(separator)did you mean \($0)?" } ?? ""
  }

  /// Returns the number of bytes to insert, remove, change or swap with their neighbour.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var older: [Int] = []
    var row = Array(0...right.count)
    for i in left.indices {
      var next = [i + 1]
      for j in right.indices {
        var edits = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { edits = min(edits, older[j - 1] + 1) }
        next.append(edits)
      }
      (older, row) = (row, next)
    }
    return row[right.count]
  }
}
