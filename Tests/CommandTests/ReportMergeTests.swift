import Foundation
import LiveTesting
import Testing

@Suite("understudy report --merge", .live)
struct ReportMergeTests {
  private static let naive = """
    for i in 1 2 3; do until curl -sf -m 2 -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book >/dev/null; do :; done; done
    """

  private func run(_ words: String...) throws -> Program.Result {
    try Program(words, environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"]).result()
  }

  @Test("merges the cards of two shards into one card, page and JUnit file", .enabled(if: ReadmeTests.hasCurl))
  func merges() throws {
    let scratch = try ScratchDirectory()
    let (good, bad) = (scratch.path + "/good.json", scratch.path + "/bad.json")
    #expect(try run("run", "--report", good, "--", "sh", "-c", "curl -s $UNDERSTUDY_URL/devices").status == 0)
    let naive = try run("run", "--scenario", "lost-ack", "--report", bad, "--", "sh", "-c", Self.naive)
    #expect(naive.status == 3)

    let (page, junit) = (scratch.path + "/all.html", scratch.path + "/all.xml")
    let merged = try run("report", "--merge", good, bad, "--report", page, "--junit", junit)
    #expect(merged.status == 3)
    #expect(merged.output.hasPrefix("Report card: 2 cards, 2 files"))
    #expect(merged.output.contains("sandbox default of \(bad), seed 1: no-duplicate-effect"))
    #expect(try scratch.read("all.html").contains("\"source\":\"\(bad)\""))
    #expect(try scratch.read("all.xml").contains("<testsuite name=\"understudy.\(bad).seed-1.default\""))
    #expect(try run("report", "--merge", good).status == 0)
    #expect(try run("report", "--merge", "--fail-on", "never", good, bad).status == 0)
  }

  @Test("exits with the code of the first command that failed")
  func commands() throws {
    let scratch = try ScratchDirectory()
    let file = scratch.path + "/failed.json"
    #expect(try run("run", "--report", file, "--", "sh", "-c", "exit 5").status == 5)
    #expect(try run("report", "--merge", file).status == 5)
  }

  @Test("refuses a missing file, invalid JSON and a file without cards, and names the file")
  func refuses() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("{\"cards\": ", to: "cut.json")
    try scratch.write("[]", to: "other.json")
    for name in ["missing.json", "cut.json", "other.json"] {
      let result = try run("report", "--merge", scratch.path + "/" + name)
      #expect(result.status == 64)
      #expect(result.errors.hasPrefix("understudy: \(scratch.path)/\(name)"))
      #expect(result.output == "")
    }
  }

  @Test(
    "refuses a command line without --merge, without files, or with one file twice",
    arguments: [
      ["report"], ["report", "a.json"], ["report", "--merge"], ["report", "--merge", "a.json", "a.json"],
      ["report", "--merge", "a.json", "--report", "b", "--junit", "b"], ["report", "--merge", "a.json", "--seed", "1"],
    ])
  func usage(words: [String]) throws {
    let result = try Program(words).result()
    #expect(result.status == 64)
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
