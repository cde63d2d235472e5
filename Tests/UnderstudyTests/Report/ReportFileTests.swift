import JSON
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("Report files")
struct ReportFileTests {
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
      "startedAt": "2026-11-28T12:00:00Z", "upstream": "http://localhost:3000",
      "command": [
        "words": ["sh", "it's.sh"], "repeat": .string("understudy run --seed \(seed) -- sh 'it'\\''s.sh'"),
        "exitCode": .int(exitCode), "failure": exitCode == 0 ? nil : "the command exited",
      ],
      "cards": .array(cards),
    ]
  }

  /// Merges a downloaded card, a run, and a sweep of two runs.
  private static func merged() throws -> ReportFile {
    let asked = card("default", [("first", "pass"), ("second", "not exercised")])
    let run: JSONValue = [
      "runs": [
        Self.run(exitCode: 0, card("a", [("first", "fail"), ("second", "warn")]), card("idle", exchanges: 0, []))
      ]
    ]
    let sweep: JSONValue = [
      "runs": [
        Self.run(exitCode: 5, card("b", [("first", "fail"), ("second", "pass")])),
        Self.run(exitCode: 0, seed: 8, card("c", [("first", "pass"), ("second", "warn")])),
      ]
    ]
    let files = [("asked.json", asked), ("run.json", run), ("sweep.json", sweep)]
    return ReportFile(try files.flatMap { try ReportRun.read($1, of: $0) }, of: .files)
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

  @Test("the text names every card and command that failed, and the line that repeats its run")
  func text() throws {
    let text = try Self.merged().text(.text)
    #expect(text.hasPrefix("Report card: 4 cards, 3 files, 16 exchanges\n"))
    let repetition = "  repeat: understudy run --seed 7 -- sh 'it'\\''s.sh'\n"
    let failed =
      "  sandbox a of run.json, seed 7: first\n" + repetition
      + "  sweep.json, seed 7: the command exited\n  sandbox b of sweep.json, seed 7: first\n" + repetition
    #expect(text.hasSuffix("\nFailed:\n" + failed))
  }

  @Test("the first failed command decides the exit code, and the worst check the verdict")
  func verdicts() throws {
    let merged = try Self.merged()
    #expect(merged.commandFailure == 5)
    #expect(merged.worst == .fail)
    let card = try ReportRun.read(Self.card("x", [("first", "warn")]), of: "x.json")
    #expect(ReportFile(card, of: .files).commandFailure == nil)
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

  @Test("the page has the checks of all cards and what was run, and omits attempts that no file contains")
  func page() throws {
    let merged = try Self.merged()
    let data = try ReportPageTests.data(of: merged.text(.html))
    #expect(data["checks"] == .array(merged.lines.map(\.json)))
    let cards = try #require(data["cards"]?.array)
    #expect(cards.map { $0["source"] } == ["asked.json", "run.json", "sweep.json", "sweep.json"])
    #expect(cards.map { $0["failure"] } == [nil, nil, "the command exited", nil])
    #expect(cards.allSatisfy { $0["requests"] == nil && $0["entries"] == [] })
    let facts: JSONValue = [
      ["command", "sh 'it'\\''s.sh'"], ["started", "2026-11-28T12:00:00Z"], ["backend", "http://localhost:3000"],
      ["repeat", "understudy run --seed 8 -- sh 'it'\\''s.sh'"],
    ]
    #expect(cards.first?["run"] == nil && cards.last?["run"] == facts)
  }

  @Test("a merged file can be merged again without loss")
  func again() throws {
    let first = try Self.merged()
    let json = try JSONValue(parsing: first.text(.json))
    #expect(json["verdict"] == "fail" && json["exchanges"] == 16)
    #expect(json["runs"]?.array?.first?["cards"]?.array?.first?["delays"] == ["early": 0])
    let second = ReportFile(try ReportRun.read(json, of: "all.json"), of: .files)
    #expect(second.lines.map(\.verdict) == first.lines.map(\.verdict))
    #expect(second.commandFailure == 5)
    #expect(second.runs.map(\.source).first == "all.json: asked.json")
    let runs = try #require(json["runs"]?.array)
    #expect(
      try JSONValue(parsing: second.text(.json))["runs"]?.array?.map { $0["command"] } == runs.map { $0["command"] })
    #expect(runs.last?["startedAt"] == "2026-11-28T12:00:00Z" && runs.last?["upstream"] == "http://localhost:3000")
  }

  @Test(
    "a file that is not a report card is refused with the position",
    arguments: [
      (#"{}"#, ""), (#"{"runs": 1}"#, " /runs"), (#"{"runs": [{"cards": 1}]}"#, " /runs/0/cards"),
      (#"{"runs": [{"cards": []}, {"cards": [{}]}]}"#, " /runs/1/cards/0/checks"),
      (#"{"checks": [{"id": "a", "verdict": "good"}]}"#, " /checks/0/verdict"), (#"{"checks": []}"#, " /partial"),
      (#"{"runs": [{"cards": [], "command": {"exitCode": 99999999999}}]}"#, " /runs/0/command/exitCode"),
    ])
  func refused(text: String, place: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: ReportFileError.self) { try ReportRun.read(json, of: "bad.json") }
    #expect(error?.description.hasPrefix("bad.json\(place): expected ") == true, "\(error.debugDescription)")
  }
}
