import Foundation
import Testing

/// Checks the words of code and pages.
@Suite("The text of code and pages")
struct WordingTests {
  private struct TextFile {
    let path: String
    let text: String

    /// Returns the number and the text of the line at a place in the text.
    func line(at place: Range<String.Index>) -> (number: Int, text: Substring) {
      let number = text.utf8[..<place.lowerBound].reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
      return (number, text[text.lineRange(for: place)].prefix { $0 != "\n" })
    }
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The sources, the tests, the gate's scripts, the articles, the document and the pages.
  private static let files: [TextFile] = {
    let kinds: Set = ["swift", "md", "json", "yaml", "html", "js", "css", "py", "mutants"]
    let trees = ["Sources", "Seeds", "Tests", "docker", ".ci"].flatMap { tree in
      let names = FileManager.default.enumerator(atPath: root.appending(path: tree).path)
      return (names?.allObjects as? [String] ?? []).map { "\(tree)/\($0)" }
    }
    let found = trees.filter { name in
      kinds.contains(name.split(separator: ".").last.map(String.init) ?? "") && !name.hasSuffix("/WordingTests.swift")
    }
    return (found + ["README.md", "openapi.yaml"]).sorted().map { path in
      TextFile(path: path, text: (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? "")
    }
  }()

  /// Reports every place at which a pattern matches. Foundation's expressions read five megabytes in a moment, where
  /// Swift's would take seconds.
  private func report(_ pattern: String, in files: [TextFile], _ message: String) throws {
    let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    for file in files {
      for match in expression.matches(in: file.text, range: NSRange(location: 0, length: file.text.utf16.count)) {
        guard let place = Range(match.range, in: file.text) else { continue }
        let line = file.line(at: place)
        Issue.record("\(file.path):\(line.number): \(message): \(line.text.prefix(120))")
      }
    }
  }

  /// The files about elevators and hotels that are meant as such.
  private static let exceptions: Set = [
    "Seeds/scenarios/elevator.json", "Seeds/scenarios/hotel-wifi.json", "Sources/Faults/Effects/CaptivePortal.swift",
    "Sources/Understudy/Understudy.docc/Scenarios.md",
  ]

  @Test("begins no comment of a declaration with a relative such as `What` or `Whether`")
  func commentsNameTheThing() throws {
    let relative = #"(?:\A|^ *+(?!///).*\n) *+/// (Who|Whoever|What|Whatever|Whether|How)\b"#
    try report(relative, in: Self.files.filter { $0.path.hasSuffix(".swift") }, "begins with a relative, below")
  }

  /// A word to avoid, and the better ones.
  @Test(
    "has no words of the earlier vocabulary",
    arguments: [
      (#"\bso-manieth\b"#, "every nth"),
      (#"\b(nobody|somebody|whoever|anybody)\b"#, "the client, the peer, the caller"),
      (#"\bmailbox\b"#, "queue"), (#"\bdoors?\b"#, "listener"), (#"\bguests?\b"#, "client, connection"),
      (#"\b(foretells?|foretold|foretelling)\b"#, "plan, preview"), (#"\bdice\b"#, "seed, hash"),
      (#"^\s*description: "?It does\b"#, "what the response holds"),
      (#"\bvices?\b"#, "mistake"), (#"\bhousekeeping"#, "maintenance"),
      (#"\bas it should be\b"#, "no fault, unchanged"),
      (#"\b(controlPlace|checkPlaces|placeCount|nextPlace)\b"#, "index, path"),
      (#"\b(take)?Needs\(\)"#, "loop actions"),
      (#"\b(SegmentedPath|PreferenceSlip|isCalm|isTold|groundOf|heedsPreconditions)\b"#, "the field's name"),
      (#"\b(RareFacts|tellApart|isTelling|keptJSON|keptSeeds)\b|@Flat\b"#, "details, persisted"),
      (#"(?-i:\b(MOST|LEAST)_[A-Z])"#, "MAXIMUM, MINIMUM"),
    ])
  func wordsAreTheField(pattern: String, better: String) throws {
    try report(
      "(?i)" + pattern, in: Self.files.filter { !Self.exceptions.contains($0.path) }, "\(better) instead of this")
  }

  @Test("is read from more than 600 files")
  func findsFiles() {
    #expect(Self.files.count > 600)
  }
}
