/// The globs of the recorded paths of a backend whose operations are not known: `*` stands for segments that name records.
package struct RecordedPaths {
  /// The globs by the paths.
  private var globs: [String: String] = [:]

  /// - Parameter paths: All paths of the recording, in the form of their streams.
  package init(_ paths: [String]) {
    let split = Set(paths).map { Path(text: $0, segments: $0.split(separator: "/")) }
    group(split, from: 0, below: "")
  }

  /// Returns the glob of one of the paths.
  package func glob(of path: String) -> String { globs[path] ?? path }

  private struct Path {
    let text: String
    let segments: [Substring]
  }

  /// The numbers of segments and of bytes after which a glob ends with `**`: a rule's path has at most 1,000 bytes.
  private static let maximumSegments = 32
  private static let maximumBytes = 700
  /// The maximum number of bytes of a word.
  private static let maximumName = 64
  /// So many different names with digits, or so many of any kind, are those of records.
  private static let manyWithDigits = 3
  private static let many = 20

  /// Finds the globs of paths that have the same one up to a segment.
  private mutating func group(_ paths: [Path], from index: Int, below prefix: String) {
    var longer: [Path] = []
    for path in paths {
      if path.segments.count == index {
        globs[path.text] = prefix.isEmpty ? "/" : prefix
      } else if index == Self.maximumSegments || prefix.utf8.count > Self.maximumBytes {
        globs[path.text] = prefix + "/**"
      } else {
        longer.append(path)
      }
    }
    // With a rule for one name beside one for all, both would apply to that name.
    if Self.areRecords(longer, at: index) { return group(longer, from: index + 1, below: prefix + "/*") }
    for (name, paths) in Dictionary(grouping: longer, by: { $0.segments[index] }) {
      let isLong = name.utf8.count > Self.maximumName
      let glob = isLong ? String(name.unicodeScalars.prefix(Self.maximumName)) + "*" : String(name)
      group(paths, from: index + 1, below: "\(prefix)/\(glob)")
    }
  }

  /// Returns true if the paths differ in a record's name: one is an identifier, or there are many.
  private static func areRecords(_ paths: [Path], at index: Int) -> Bool {
    guard !paths.isEmpty else { return false }
    let names = Set(paths.map { $0.segments[index] })
    // A rule would read the star of a name as any text, and so would apply to its neighbours.
    if names.contains(where: { $0.contains("*") }) { return true }
    // At the root an identifier can stand beside the names of collections.
    if index == 0 { return names.allSatisfy(isIdentifier) }
    if names.contains(where: isIdentifier) || names.count(where: hasDigit) >= manyWithDigits { return true }
    return Set(paths.filter { $0.segments.count == index + 1 }.map { $0.segments[index] }).count >= many
  }

  /// Returns true for a number, a date, a UUID, a hash and whatever is too long for a word, also with a file's extension.
  private static func isIdentifier(_ name: Substring) -> Bool {
    if name.utf8.count > maximumName { return true }
    var stem = name
    if let dot = name.lastIndex(of: "."), name[dot...].dropFirst().allSatisfy(\.isLetter) { stem = name[..<dot] }
    guard stem.contains(where: isDigit) else { return false }
    if stem.allSatisfy({ isDigit($0) || $0 == "-" }) { return true }
    return stem.utf8.count >= 16 && stem.allSatisfy { $0 == "-" || $0.isASCII && $0.isHexDigit }
  }

  /// Returns true for a name with a digit that is no version: `WWM-0001-12`, but not `v1`.
  private static func hasDigit(_ name: Substring) -> Bool {
    let isVersion = name.hasPrefix("v") && name.dropFirst().allSatisfy { isDigit($0) || $0 == "." }
    return !isVersion && name.contains(where: isDigit)
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
