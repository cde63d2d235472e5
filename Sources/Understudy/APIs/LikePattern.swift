/// The text after `_like`: found anywhere, whatever its case, with the commonest signs of regular expressions.
///
/// `^ $ . * + ? | \` have their meaning. A text with brackets or braces is taken literally, and so is one whose signs
/// make no sense or that is very long. There is no backtracking, so that no pattern can hold up the server.
struct LikePattern {
  private let alternatives: [Alternative]
  /// The bytes to look for, where the pattern is plain ASCII without signs: most are, and so are most texts.
  private let plain: String?

  fileprivate struct Alternative {
    var isAnchoredAtStart = false
    var isAnchoredAtEnd = false
    var atoms: [Atom] = []
  }

  fileprivate struct Atom {
    /// Nil stands for any character.
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

  /// Whether `text` has `wanted` in it, both compared as they stand.
  static func text(_ text: String, contains wanted: String) -> Bool {
    guard let first = wanted.utf8.first else { return true }
    var rest = text.utf8[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: wanted.utf8) { return true }
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
  /// Puts `*`, `+` or `?` behind the last atom; false when there is none, or when it has one already.
  fileprivate mutating func quantify(_ sign: Character) -> Bool {
    guard let atom = atoms.last, !atom.isOptional, !atom.isRepeated else { return false }
    atoms[atoms.count - 1].isOptional = sign != "+"
    atoms[atoms.count - 1].isRepeated = sign != "?"
    return true
  }

  /// Walks the text once with all places in the pattern at which a match that began anywhere may now be.
  fileprivate func matches(_ text: [Character]) -> Bool {
    var places = opened([0])
    if isComplete(places, atEnd: text.isEmpty) { return true }
    for (index, character) in text.enumerated() {
      places = opened(places.flatMap { after(character, at: $0) } + (isAnchoredAtStart ? [] : [0]))
      if isComplete(places, atEnd: index == text.count - 1) { return true }
    }
    return false
  }

  private func isComplete(_ places: Set<Int>, atEnd: Bool) -> Bool {
    places.contains(atoms.count) && (atEnd || !isAnchoredAtEnd)
  }

  private func after(_ character: Character, at place: Int) -> [Int] {
    guard place < atoms.count, atoms[place].character == nil || atoms[place].character == character else { return [] }
    return atoms[place].isRepeated ? [place, place + 1] : [place + 1]
  }

  /// The places themselves, and those that lie behind atoms that may be left out.
  private func opened(_ places: [Int]) -> Set<Int> {
    var opened: Set<Int> = []
    for place in places {
      var place = place
      while opened.insert(place).inserted, place < atoms.count, atoms[place].isOptional { place += 1 }
    }
    return opened
  }
}
