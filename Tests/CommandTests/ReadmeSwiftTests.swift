import Foundation
import LiveTesting
import Testing

/// Compares the Swift in the documentation with the Swift of the tests.
@Suite("The Swift of the README and the articles")
struct ReadmeSwiftTests {
  @Test(
    "is part of a test, line by line",
    arguments: [
      "README.md", "Sources/Conformance/Conformance.docc/JudgeAServer.md",
      "Sources/UnderstudyTesting/UnderstudyTesting.docc/UnderstudyTesting.md",
    ])
  func isCompiled(page: String) throws {
    let blocks = try Self.blocks(page)
    #expect(!blocks.isEmpty)
    let sources = try Self.testSources()
    for block in blocks {
      #expect(
        sources.contains { $0.contains(block.joined(separator: "\n")) },
        "no test has these lines in a row: \(block.joined(separator: "\n"))")
    }
  }

  /// The blocks marked `swift`, without their indentation and their empty lines.
  private static func blocks(_ path: String) throws -> [[String]] {
    var blocks: [[String]] = []
    var isInside = false
    for line in try Repository.text(path).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```swift"
        if isInside { blocks.append([]) }
      } else if isInside {
        blocks[blocks.count - 1] += bare(line)
      }
    }
    return blocks
  }

  private static func testSources() throws -> [String] {
    let files = FileManager.default.enumerator(
      at: Repository.root.appending(path: "Tests"), includingPropertiesForKeys: nil)
    return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }.map { file in
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").flatMap(bare).joined(separator: "\n")
    }
  }

  /// Returns the line without its indentation; an empty array for an empty line.
  private static func bare(_ line: String) -> [String] {
    let text = line.trimmingCharacters(in: .whitespaces)
    return text.isEmpty ? [] : [text]
  }
}
