import Foundation
import Testing

/// Holds what people read, in code and pages, to plain words.
@Suite("The wording")
struct WordingTests {
  private struct Line {
    let source: String
    let number: Int
    let text: Substring
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The lines of the sources, the articles, the document and the pages.
  private static let lines: [Line] = {
    let kinds: Set = ["swift", "md", "json", "yaml", "html", "js", "css"]
    let trees = ["Sources", "Seeds", "docker"].flatMap { tree in
      let names = FileManager.default.enumerator(atPath: root.appending(path: tree).path)
      return (names?.allObjects as? [String] ?? []).map { "\(tree)/\($0)" }
    }
    let paths = trees.filter { kinds.contains(URL(filePath: $0).pathExtension) } + ["README.md", "openapi.yaml"]
    return paths.sorted().flatMap { path in
      let text = (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
      return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
        Line(source: path, number: $0.offset + 1, text: $0.element)
      }
    }
  }()

  /// The files about elevators and hotels that are meant as such.
  private static let scenes: Set = [
    "Seeds/scenarios/elevator.json", "Seeds/scenarios/hotel-wifi.json", "Sources/Faults/Effects/CaptivePortal.swift",
    "Sources/Understudy/Understudy.docc/Scenarios.md",
  ]

  @Test("begins no comment of a declaration with a relative: it names the thing")
  func commentsNameTheThing() {
    var isContinued = false
    for line in Self.lines where line.source.hasSuffix(".swift") {
      let text = line.text.drop { $0 == " " }
      let begins = text.hasPrefix("/// ") && !isContinued
      isContinued = text.hasPrefix("///")
      guard begins, let word = text.dropFirst(4).firstMatch(of: /^(Who|Whoever|What|Whatever|Whether|How)\b/) else {
        continue
      }
      Issue.record("\(line.source):\(line.number) begins with \(word.1)")
    }
  }

  /// A word that is out, and the kind of word that says it better.
  @Test(
    "does without the pictures and the persons of an earlier dialect",
    arguments: [
      (#"\bso-manieth\b"#, "every nth"),
      (#"\b(nobody|somebody|whoever|anybody)\b"#, "the client, the peer, the caller"),
      (#"\bmailbox\b"#, "queue"), (#"\bdoors?\b"#, "listener"), (#"\bguests?\b"#, "client, connection"),
      (#"\b(foretells?|foretold|foretelling)\b"#, "plan, preview"), (#"\bdice\b"#, "seed, hash"),
      (#"^\s*description: "?It does\b"#, "what the response holds"),
    ])
  func wordsAreTheField(pattern: String, better: String) throws {
    let word = try Regex(pattern).ignoresCase()
    for line in Self.lines where line.text.contains(word) && !Self.scenes.contains(line.source) {
      Issue.record("\(line.source):\(line.number): \(better) instead of this: \(line.text.prefix(120))")
    }
  }

  @Test("finds the files that it reads")
  func findsFiles() {
    #expect(Set(Self.lines.map(\.source)).count > 300)
  }
}
