import JSON
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("Merged reports")
struct MergedReportTests {
  private static func card(_ sandbox: String, exchanges: Int = 4, _ checks: [(String, String)]) -> JSONValue {
    [
      "sandbox": .string(sandbox), "scenario": "lost-ack", "seed": 7, "exchanges": .int(exchanges), "replays": 1,
      "partial": false, "verdict": "fail",
      "checks": .array(
        checks.map { id, verdict in
          [
            "id": .string(id), "verdict": .string(verdict), "sentence": .string("\(id) in \(sandbox)."),
            "evidence": [3, 4],
          ]
        }),
      "delays": ["early": 0],
    ]
  }

  private static func run(exitCode: Int, seed: Int = 7, _ cards: JSONValue...) -> JSONValue {
    [
      "seed": .int(seed),
      "command": ["exitCode": .int(exitCode), "failure": exitCode == 0 ? nil : "the command exited"],
      "cards": .array(cards),
    ]
  }

  private static func parts(_ json: JSONValue, of path: String) throws -> [ReportPart] {
    try ReportPart.parts(json, at: .root, of: path)
  }

  /// Merges a downloaded card, a run, and a sweep of two runs.
  private static func merged() throws -> MergedReport {
    let asked = card("default", [("first", "pass"), ("second", "not exercised")])
    let run = run(exitCode: 0, card("a", [("first", "fail"), ("second", "warn")]), card("idle", exchanges: 0, []))
    let sweep: JSONValue = [
      "runs": [
        Self.run(exitCode: 5, card("b", [("first", "fail"), ("second", "pass")])),
        Self.run(exitCode: 0, seed: 8, card("c", [("first", "pass"), ("second", "warn")])),
      ]
    ]
    return MergedReport(
      try parts(asked, of: "asked.json") + parts(run, of: "run.json") + parts(sweep, of: "sweep.json"))
  }

  @Test("each check has its worst verdict, with the number of cards and the first of them")
  func worst() throws {
    let lines = try Self.merged().lines
    #expect(lines.map(\.id) == ["first", "second"])
    #expect(lines.map(\.verdict) == [.fail, .warn])
    #expect(lines[0].finding.sentence.hasPrefix("2 of 4 cards: fail. The first is sandbox a of run.json, seed 7: "))
    #expect(lines[1].finding.sentence.hasSuffix("second in a."))
    #expect(lines[0].finding.evidence == [3, 4])
  }

  @Test("the text names every card and command that failed")
  func text() throws {
    let text = try Self.merged().text(.text)
    #expect(text.hasPrefix("Report card: 4 cards, 3 files, 16 exchanges\n"))
    #expect(text.contains("  sweep.json, seed 7: the command exited\n"))
    #expect(text.contains("  sandbox a of run.json, seed 7: first\n  sandbox b of sweep.json, seed 7: first\n"))
  }

  @Test("the first failed command decides the exit code, and the worst check the verdict")
  func verdicts() throws {
    let merged = try Self.merged()
    #expect(merged.commandFailure == 5)
    #expect(merged.worst == .fail)
    #expect(MergedReport(try Self.parts(Self.card("x", [("first", "warn")]), of: "x.json")).commandFailure == nil)
  }

  @Test("JUnit XML has a suite for each used sandbox and each command, with distinct names")
  func junit() throws {
    let names = try Self.merged().text(.junit).split(separator: "\n").filter { $0.contains("<testsuite name") }
      .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
    #expect(
      names == [
        "understudy.asked.json.lost-ack.default", "understudy.run.json.lost-ack.seed-7",
        "understudy.run.json.lost-ack.seed-7.a", "understudy.sweep.json.lost-ack.seed-7",
        "understudy.sweep.json.lost-ack.seed-7.b", "understudy.sweep.json.lost-ack.seed-8",
        "understudy.sweep.json.lost-ack.seed-8.c",
      ])
  }

  @Test("the page has the checks of all cards, and omits attempts that no file contains")
  func page() throws {
    let merged = try Self.merged()
    let data = try ReportPageTests.data(of: merged.text(.html))
    #expect(data["checks"] == .array(merged.lines.map(\.json)))
    let cards = try #require(data["cards"]?.array)
    #expect(cards.map { $0["source"] } == ["asked.json", "run.json", "sweep.json", "sweep.json"])
    #expect(cards.map { $0["failure"] } == [nil, nil, "the command exited", nil])
    #expect(cards.allSatisfy { $0["requests"] == nil && $0["entries"] == [] })
  }

  @Test("a merged file can be merged again without loss")
  func again() throws {
    let first = try Self.merged()
    let json = try JSONValue(parsing: first.text(.json))
    #expect(json["verdict"] == "fail" && json["exchanges"] == 16)
    #expect(json["runs"]?.array?.first?["cards"]?.array?.first?["delays"] == ["early": 0])
    let second = MergedReport(try Self.parts(json, of: "all.json"))
    #expect(second.lines.map(\.verdict) == first.lines.map(\.verdict))
    #expect(second.commandFailure == 5)
    #expect(second.parts.map(\.source).first == "all.json: asked.json")
  }

  @Test(
    "a file that is not a report card is refused with the position",
    arguments: [
      (#"{}"#, ""), (#"{"cards": 1}"#, "/cards"),
      (#"{"runs": [{"cards": []}, {"cards": [{}]}]}"#, "/runs/1/cards/0/checks"),
      (#"{"checks": [{"id": "a", "verdict": "good"}]}"#, "/checks/0/verdict"), (#"{"checks": []}"#, "/partial"),
      (#"{"cards": [], "command": {"exitCode": 99999999999}}"#, "/command/exitCode"),
    ])
  func refused(text: String, pointer: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: ValidationError.self) { try Self.parts(json, of: "bad.json") }
    #expect(error?.pointer.description == pointer)
  }
}
