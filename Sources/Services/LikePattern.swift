/// The pattern of a `_like` query: it matches anywhere in a text, ignores case, and supports the most common operators
/// of regular expressions.
///
/// `^ $ . * + ? | \` have their usual meaning. A text with brackets or braces is taken literally, like an invalid or a
/// very long pattern. Matching does not backtrack, so that no pattern can block the server.
struct LikePattern {
  private let alternatives: [Alternative]
  /// The text to find, if the pattern is ASCII without operators, which is the common case.
  private let plain: String?

  fileprivate struct Alternative {
    var isAnchoredAtStart = false
    var isAnchoredAtEnd = false
    var atoms: [Atom] = []
  }

  fileprivate struct Atom {
    /// Nil matches any character.
    let character: Character?
    var isOptional = false
    var isRepeated = false
  }

  private static let longestPattern = 100

  init(_ text: String) {
    let lowercased = text.lowercased()
    let literal = Alternative(atoms: lowercased.map { Atom(character: $0) })
    let isPlain = lowercased.count > Self.longestPattern || lowercased.contains { "()[]{}".contains($0) }
    let parsed = isPlain ? nil : Self.parse(lowercased)
    alternatives = parsed ?? [literal]
    let hasSigns = parsed != nil && lowercased.utf8.contains { Self.signs.contains($0) }
    plain = !hasSigns && lowercased.utf8.allSatisfy { $0 < 0x80 } ? lowercased : nil
  }

  private static let signs = Set("^$.*+?|\\".utf8)

  func matches(_ text: String) -> Bool {
    let text = text.lowercased()
    if let plain, text.utf8.allSatisfy({ $0 < 0x80 }) { return Self.text(text, contains: plain) }
    let characters = Array(text)
    return alternatives.contains { $0.matches(characters) }
  }

  /// Returns true if `text` contains `needle`; both are compared byte by byte.
  static func text(_ text: String, contains needle: String) -> Bool {
    guard let first = needle.utf8.first else { return true }
    var rest = text.utf8[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: needle.utf8) { return true }
      rest.removeFirst()
    }
    return false
  }

  private static func parse(_ text: String) -> [Alternative]? {
    var alternatives = [Alternative()]
    var rest = text[...]
    while let character = rest.popFirst() {
      let last = alternatives.count - 1
      guard character == "|" || !alternatives[last].isAnchoredAtEnd else { return nil }
      switch character {
      case "|": alternatives.append(Alternative())
      case "^":
        guard alternatives[last].atoms.isEmpty else { return nil }
        alternatives[last].isAnchoredAtStart = true
      case "$": alternatives[last].isAnchoredAtEnd = true
      case ".": alternatives[last].atoms.append(Atom(character: nil))
      case "*", "+", "?":
        guard alternatives[last].quantify(character) else { return nil }
      case "\\":
        guard let escaped = rest.popFirst(), !escaped.isLetter, !escaped.isNumber else { return nil }
        alternatives[last].atoms.append(Atom(character: escaped))
      default: alternatives[last].atoms.append(Atom(character: character))
      }
    }
    return alternatives
  }
}

extension LikePattern.Alternative {
  /// Appends `*`, `+` or `?` to the last atom; returns false if there is none, or if it already has one.
  fileprivate mutating func quantify(_ sign: Character) -> Bool {
    guard let atom = atoms.last, !atom.isOptional, !atom.isRepeated else { return false }
    atoms[atoms.count - 1].isOptional = sign != "+"
    atoms[atoms.count - 1].isRepeated = sign != "?"
    return true
  }

  /// Reads the text once, and tracks every position in the pattern that a match may have reached.
  fileprivate func matches(_ text: [Character]) -> Bool {
    var positions = opened([0])
    if isComplete(positions, atEnd: text.isEmpty) { return true }
    for (index, character) in text.enumerated() {
      positions = opened(positions.flatMap { after(character, at: $0) } + (isAnchoredAtStart ? [] : [0]))
      if isComplete(positions, atEnd: index == text.count - 1) { return true }
    }
    return false
  }

  private func isComplete(_ positions: Set<Int>, atEnd: Bool) -> Bool {
    positions.contains(atoms.count) && (atEnd || !isAnchoredAtEnd)
  }

  private func after(_ character: Character, at position: Int) -> [Int] {
    guard position < atoms.count, atoms[position].character == nil || atoms[position].character == character else {
      return []
    }
    return atoms[position].isRepeated ? [position, position + 1] : [position + 1]
  }

  /// Returns the positions, and those that follow optional atoms.
  private func opened(_ positions: [Int]) -> Set<Int> {
    var opened: Set<Int> = []
    for position in positions {
      var position = position
      while opened.insert(position).inserted, position < atoms.count, atoms[position].isOptional { position += 1 }
    }
    return opened
  }
}
