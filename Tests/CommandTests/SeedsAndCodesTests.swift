import Foundation
import LiveTesting
import Testing

@Suite("The exit code and the seed of understudy run", .live)
struct SeedsAndCodesTests {
  private func understudy(_ words: String...) throws -> Program.Result {
    try Program(words, environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"]).result()
  }

  @Test("a sweep exits with the code of its first failing seed")
  func firstFailure() throws {
    let script = "case $UNDERSTUDY_SEED in 3) exit 7;; 4) exit 9;; esac"
    let result = try understudy("run", "--sweep", "1...5", "--", "sh", "-c", script)
    #expect(result.status == 7)
    #expect(result.output.contains("5 seeds, 2 failing: 3, 4"))
  }

  @Test(
    "a sweep reduces the scenario with the seed that fails, and not with its first one",
    .enabled(if: ReadmeTests.hasCurl))
  func reducesFailingSeed() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      #"""
      {"name":"two","rules":[
        {"name":"slow","effect":{"latency":"1ms"}}, {"name":"refuse","match":{"path":"/devices"},"effect":{"status":503}}]}
      """#, to: "two.json")
    let script = "[ $UNDERSTUDY_SEED != 3 ] || curl -sf -m 5 -o /dev/null $UNDERSTUDY_URL/devices"
    let result = try understudy(
      "run", "--scenario", scratch.path + "/two.json", "--sweep", "1...3", "--shrink", "--", "sh", "-c", script)
    #expect(result.status == 22, "curl's code for a refused request")
    #expect(result.errors.contains("reduced to one rule"), "\(result.errors)")
    #expect(result.output.contains("\"refuse\"") && !result.output.contains("\"slow\""), "\(result.output)")
  }

  @Test(
    "a run that --timeout ends is marked as cut: its last write is not reported as forgotten",
    .enabled(if: ReadmeTests.hasCurl))
  func cut() throws {
    let lost = """
      curl -s -m 5 -H 'Prefer: fault=reset; phase=after' -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book
      """
    let ended = try understudy("run", "--fail-on", "never", "--timeout", "1s", "--", "sh", "-c", lost + "; sleep 60")
    #expect(ended.status == 124 && !ended.output.contains("X   lost-reply-followed-up"), "\(ended.output)")
    let left = try understudy("run", "--fail-on", "never", "--", "sh", "-c", lost + "; true")
    #expect(left.output.contains("X   lost-reply-followed-up"), "\(left.output)")
  }

  @Test("a merge exits with a command's own code before that of a failed card", .enabled(if: ReadmeTests.hasCurl))
  func commandFirst() throws {
    let scratch = try ScratchDirectory()
    let (card, command) = (scratch.path + "/card.json", scratch.path + "/command.json")
    let twice = """
      for i in 1 2 3; do until curl -sf -m 2 -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book >/dev/null; do :; done; done
      """
    #expect(
      try understudy("run", "--scenario", "lost-ack", "--report", card, "--", "sh", "-c", twice).status == 3)
    #expect(try understudy("run", "--report", command, "--", "sh", "-c", "exit 5").status == 5)
    #expect(try understudy("report", "--merge", card, command).status == 5)
    #expect(try understudy("report", "--merge", card).status == 3)
  }

  @Test("a merge of a whole and a partial card is partial")
  func partial() throws {
    let scratch = try ScratchDirectory()
    let (whole, part, merged) = (scratch.path + "/whole.json", scratch.path + "/part.json", scratch.path + "/all.json")
    #expect(try understudy("run", "--report", whole, "--", "true").status == 0)
    let text = try scratch.read("whole.json")
    #expect(text.contains("\"partial\": false"))
    try scratch.write(text.replacingOccurrences(of: "\"partial\": false", with: "\"partial\": true"), to: "part.json")
    for (files, isPartial) in [([whole, part], true), ([part, whole], true), ([whole], false)] {
      #expect(try Program(["report", "--merge", "--report", merged] + files).result().status == 0)
      let heading = try scratch.read("all.json").components(separatedBy: "\"runs\"")[0]
      #expect(heading.contains("\"partial\": \(isPartial)"), "\(heading)")
    }
  }
}
