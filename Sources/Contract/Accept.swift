import Primitives

/// The media ranges of an `Accept` field, in their order (RFC 9110 section 12.5.1).
package struct Accept {
  /// A media range with its weight; a range of weight 0 is not acceptable.
  package struct Range {
    /// The range in lower case, without parameters.
    package let name: String
    package let weight: Double
  }

  package let ranges: [Range]

  package init(_ text: String) {
    ranges = text.lowercased().split(separator: ",").compactMap { element in
      let parts = element.split(separator: ";").map { String($0).trimmingBlanks }
      guard let name = parts.first, !name.isEmpty else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      return Range(name: name, weight: weight ?? 1)
    }
  }

  /// The range with the highest weight, or the first of those with the highest; nil if nothing is acceptable.
  private var preferred: Range? {
    var best: Range?
    for range in ranges where range.weight > best?.weight ?? 0 { best = range }
    return best
  }

  /// True if `text/html` is preferred.
  package var prefersHTML: Bool { preferred?.name == "text/html" }

  /// True if plain text, any text or anything is preferred.
  package var prefersText: Bool { ["text/plain", "text/*", "*/*"].contains(preferred?.name) }

  /// Returns the weight of a media type that is named exactly; nil if it is not.
  package func weight(ofNamed name: String) -> Double? {
    ranges.filter { $0.name == name }.map(\.weight).max()
  }
}
