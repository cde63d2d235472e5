import Foundation
import LiveTesting
import Testing

/// Runs the tests that the article on recipes shows for other languages.
@Suite("The recipe", .live)
struct RecipeTests {
  private static func block(_ language: String) throws -> String {
    let blocks = try String(contentsOf: Repository.page("Recipes"), encoding: .utf8).components(separatedBy: "```")
    guard let block = blocks.first(where: { $0.hasPrefix(language + "\n") }) else {
      throw Program.Failure(description: "the article has no \(language)")
    }
    return String(block.dropFirst(language.count + 1))
  }

  private static func succeeds(_ command: String) -> Bool {
    (try? ChildProcess.run(.shell, ["-c", command + " >/dev/null 2>&1"]).status) == 0
  }

  private func run(_ language: String, _ file: String, _ command: String) throws -> ChildProcess.Result {
    let scratch = try ScratchDirectory()
    try scratch.write(Self.block(language), to: file)
    let script = "cd '\(scratch.path)' && exec '\(try Program.location().path)' run -- \(command) \(file)"
    return try ChildProcess.run(.shell, ["-c", script])
  }

  @Test("for pytest passes", .enabled(if: succeeds("python3 -c 'import pytest'"), "pytest is not installed"))
  func pytest() throws {
    let result = try run("python", "test_demistakes.py", "python3 -m pytest -q")
    #expect(result.status == 0 && result.output.contains("1 passed"), "\(result.output)\(result.errors)")
  }

  @Test("for node passes", .enabled(if: succeeds("node --test --help"), "node is not installed"))
  func node() throws {
    let result = try run("js", "devices.test.mjs", "node --test")
    #expect(result.status == 0 && result.output.contains("# pass 1"), "\(result.output)\(result.errors)")
  }
}
