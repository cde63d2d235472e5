import Faults
import JSON
import Primitives
import Report
import Testing

@testable import Exploration
@testable import Understudy

@Suite("An exploration")
struct TableTests {
  @Test("runs the command twice calm, and then once per cell, each with its fault alone")
  func cells() async throws {
    let table = try await ScriptedCommand().explored()
    #expect(table.runs == 12)
    #expect(table.results.allSatisfy { $0.mark == .survived })
    #expect(table.summary == "12 runs, no cell fails")
  }

  @Test("marks a command that ends with another code, and fails for it only if asked")
  func command() async throws {
    let table = try await ScriptedCommand(failing: ["POST /book#1 reset@after"]).explored()
    #expect(table.count(.command) == 1)
    #expect(table.failing.isEmpty)
    #expect(table.summary == "12 runs, 1 ended the command with a failure, no cell fails")
    let strict = try await ScriptedCommand(failing: ["POST /book#1 reset@after"]).explored { $0.strictness = .command }
    #expect(strict.summary == "12 runs, 1 cell fails: POST /book#1: reset@after")
  }

  @Test("fails for a command that hangs")
  func hung() async throws {
    let table = try await ScriptedCommand(hanging: ["GET /rooms#1 empty"]).explored()
    #expect(table.failing.map(table.name) == ["GET /rooms#1 empty"])
    #expect(table.summary == "12 runs, 1 cell fails: GET /rooms#1: empty")
    let lenient = try await ScriptedCommand(hanging: ["GET /rooms#1 empty"]).explored { $0.strictness = .never }
    #expect(lenient.summary == "12 runs, 1 hung, no cell fails")
  }

  @Test("fails for a command that a signal ends: that is no honest answer")
  func crashed() async throws {
    let table = try await ScriptedCommand(crashing: ["GET /rooms#1 empty"]).explored()
    #expect(table.failing.map(table.name) == ["GET /rooms#1 empty"])
    #expect(table.text().contains("crash  GET /rooms#1 empty: signal 11 terminated the command\n      no\n"))
  }

  @Test("ends if no request makes a cell, and says what the requests are")
  func noCells() async throws {
    let changes: [@Sendable (inout Explorer.Options) throws -> Void] = [
      { $0.only = PathGlob("/bok") }, { $0.ways = try FaultWay.list("reset@after") },
    ]
    for change in changes {
      do {
        _ = try await ScriptedCommand(requests: [.made("GET", "/rooms")]).explored(change)
        Issue.record("it ran")
      } catch Explorer.Obstacle.noCells(let targets, _, _) {
        #expect(targets == ["GET /rooms"])
      }
    }
  }

  @Test("tells which known failures pass now")
  func mended() async throws {
    let earlier = try await ScriptedCommand(hanging: ["GET /rooms#1 empty"]).explored()
    let table = try await ScriptedCommand().explored { $0.known = try KnownCells(earlier.json) }
    #expect(table.text().contains("\n1 known cell passes now: GET /rooms#1 empty.\n"), "\(table.text())")
    #expect(table.json["mended"]?.array == ["GET /rooms#1 empty"])
  }

  @Test("shows as many commands that failed as asked, and says how many more did")
  func manyFailures() async throws {
    let command = ScriptedCommand(requests: [.made("POST", "/book")])
    let names = try await command.explored().results.map {
      "POST /book#1 \(FaultWay.standard.map(\.text)[$0.cell.way])"
    }
    let table = try await ScriptedCommand(requests: command.requests, failing: Set(names)).explored()
    let text = table.text(showing: 5)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("exit  POST") } == 5, "\(text)")
    #expect(text.contains("\nand 2 more cells; --report FILE has all of them\n"), "\(text)")
    #expect(text.split(separator: "\n").count { $0.hasPrefix("    repeat: ") } == 5, "\(text)")
    let whole = table.text()
    #expect(whole.split(separator: "\n").count { $0.hasPrefix("exit  POST") } == 7, "\(whole)")
    #expect(!whole.contains("more cells"), "\(whole)")
  }

  @Test("spreads the cells within its limit evenly, and names the others")
  func limit() async throws {
    let table = try await ScriptedCommand().explored { $0.limit = 4 }
    #expect(table.results.map { $0.mark == .unrun ? 0 : 1 } == [1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0])
    #expect(table.summary == "4 runs, 8 not run, no cell fails")
  }

  @Test("lets the next attempt fail as well, in cells that were survived")
  func twice() async throws {
    var command = ScriptedCommand(failing: ["POST /book#1 reset", "POST /book#1...2 empty"])
    command.requests = [.made("POST", "/book")]
    let table = try await command.explored {
      $0.ways = try FaultWay.list("reset,empty")
      $0.isTwice = true
    }
    #expect(table.results.map(table.name) == ["POST /book#1 reset", "POST /book#1 empty", "POST /book#1...2 empty"])
    #expect(table.results.map(\.mark) == [.command, .survived, .command])
  }

  @Test("runs one cell alone by its name")
  func oneCell() async throws {
    let table = try await ScriptedCommand().explored { $0.cell = try CellName("POST /book#1 hang;for=1s") }
    #expect(table.results.map(table.name) == ["POST /book#1 hang;for=1s"])
  }

  @Test("names the requests of the command if it sends none of the cell's name")
  func noRow() async throws {
    do {
      _ = try await ScriptedCommand().explored { $0.cell = try CellName("POST /book#2 reset") }
      Issue.record("it ran")
    } catch Explorer.Obstacle.noRow(let names) {
      #expect(names == ["GET /rooms#1", "POST /book#1"])
    }
  }

  @Test("ends if the command fails without a fault, or sends no request")
  func calm() async throws {
    do {
      _ = try await ScriptedCommand(failing: [""]).explored()
      Issue.record("it ran")
    } catch Explorer.Obstacle.command(let run, let calm) {
      #expect(run.exitCode == 1 && calm == .first)
    }
    do {
      _ = try await ScriptedCommand(requests: []).explored()
      Issue.record("it ran")
    } catch Explorer.Obstacle.noRequest {}
  }

  @Test("keeps what is known when a run cannot be made")
  func obstacle() async throws {
    struct NoPort: Error {}
    let explorer = Explorer(Explorer.Options()) { assignment in
      if assignment.cell == "GET /rooms#1 reset" { throw NoPort() }
      return ScriptedCommand().run(assignment)
    }
    let table = try await explorer.explore()
    #expect(table.obstacle is NoPort)
    #expect(table.runs == 2)
    #expect(table.count(.unrun) == 10)
  }

  @Test("does not count the failures of an earlier report")
  func known() async throws {
    let command = ScriptedCommand(hanging: ["GET /rooms#1 empty"])
    let earlier = try await command.explored()
    let table = try await ScriptedCommand(hanging: ["GET /rooms#1 empty", "POST /book#1 reset"]).explored {
      $0.known = try KnownCells(earlier.json)
    }
    #expect(table.knownCount == 1)
    #expect(table.failing.map(table.name) == ["POST /book#1 reset"])
    #expect(table.json["counts"]?["hung"]?.int == 2)
  }

  @Test("refuses a report of another kind as known")
  func unknownReport() {
    #expect(throws: KnownCells.Defect.self) { try KnownCells(["cards": []]) }
  }

  @Test("shows a mistake by a new cell with one failure, and tells apart the cells that only warn")
  func shownCell() async throws {
    let verdicts: [String: Verdict] = [
      "POST /book#1 reset": .warn, "POST /book#1 empty": .fail, "POST /book#1...2 truncate": .fail,
      "POST /book#1 status=503": .fail,
    ]
    let command = ScriptedCommand(requests: [.made("POST", "/book")], verdicts: verdicts)
    func explored(_ known: KnownCells?) async throws -> FaultTable {
      try await command.explored {
        $0.ways = try FaultWay.list("reset,truncate,empty,status=503")
        $0.isTwice = true
        $0.known = known ?? $0.known
      }
    }
    let table = try await explored(nil)
    let mistake = try #require(table.mistakes.first)
    #expect(table.mistakes.count == 1)
    #expect(table.name(of: table.results[mistake.shown]) == "POST /book#1 empty")
    #expect(mistake.sentence == "A fail of the check.")
    #expect(
      table.text().contains(
        "    in POST /book#1...2: truncate; POST /book#1: empty, status=503\n    perhaps in POST /book#1: reset\n"),
      "\(table.text())")
    #expect(table.text().contains("Each mark is the worse of two runs"))
    let earlier = try await ScriptedCommand(requests: command.requests, verdicts: ["POST /book#1 empty": .fail])
      .explored {
        $0.ways = try FaultWay.list("empty")
      }
    let later = try await explored(try KnownCells(earlier.json))
    #expect(later.name(of: later.results[try #require(later.mistakes.first).shown]) == "POST /book#1 status=503")
  }

  @Test("prints a line for each request, and a mark for each cell")
  func text() async throws {
    var command = ScriptedCommand(failing: ["POST /book#1 reset@after"], hanging: ["GET /rooms#1 empty"])
    command.requests.append(.made("DELETE", "/book/7", hasContent: false))
    let text = try await command.explored().text()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(
      lines.prefix(5) == [
        "                   before the change                         after the change",
        "                   503     429     reset   empty   truncate  503     reset   truncate",
        "GET /rooms #1      ok      ok      ok      hung    ok",
        "POST /book #1      ok      ok      ok      ok                ok      exit    ok",
        "DELETE /book/7 #1  ok      ok      ok      ok                ok      ok",
      ], "\(text)")
    #expect(
      text.contains(
        "exit  POST /book#1 reset@after: the command exited with 1\n      no\n      POST /book: 200 (the fault)\n"),
      "\(text)")
    #expect(
      text.hasSuffix("18 runs, 1 ended the command with a failure, 1 cell fails: GET /rooms#1: empty\n"), "\(text)")
  }

  @Test("writes every cell as JSON, as a case of JUnit, and on its page")
  func files() async throws {
    let table = try await ScriptedCommand(hanging: ["GET /rooms#1 empty"]).explored()
    let json = table.json
    #expect(json["cells"]?.array?.count == 12)
    #expect(json["rows"]?.array?.first?["per"]?.string == "path")
    #expect(json["cells"]?.array?[3]["mark"]?.string == "hung")
    #expect(json["cells"]?.array?[3]["repeat"]?.string == "GET /rooms#1 empty")
    #expect(json["counts"]?["runs"]?.int == 12)
    let junit = table.junit.xml
    #expect(junit.contains(#"<testsuite name="GET /rooms#1" tests="5" failures="1" errors="0""#), "\(junit)")
    let page = table.page
    #expect(page.contains(##"<a class="hung" href="#cell-3" title="GET /rooms#1 empty">hung</a>"##), "\(page)")
  }

  @Test("saves a cell as a scenario of one rule, counted by path or by rule")
  func scenarios() async throws {
    var command = ScriptedCommand(failing: ["POST /book#1 reset@after"])
    let table = try await command.explored()
    let failed = try #require(table.results.first { $0.mark == .command })
    let scenario = table.scenario(of: failed, above: .calm)
    #expect(
      scenario.rules.first?.json.text == """
        {"name":"POST /book#1 reset@after","match":{"method":["POST"],"path":"/book"},"when":{"requests":"1...1"},\
        "phase":"after","effect":{"fault":"reset"}}
        """)
    #expect(try Scenario(json: scenario.json) == scenario)
    command.requests = []
    let rows = ExploredRows([.made("PUT", "/orders/1")], [.made("PUT", "/orders/2")]).rows
    let grid = CellGrid(rows: rows, ways: try FaultWay.list("reset"))
    let ofPattern = grid.scenario(of: ExploredCell(row: 0, way: 0), at: 3, above: .calm, about: "")
    #expect(ofPattern.rules.first?.json["when"]?.text == #"{"requests":"1...1","per":"rule"}"#)
  }

  @Test("saves a cell above the rules of its exploration, by the ordinal that a scenario counts")
  func scenariosAboveOthers() async throws {
    let grid = CellGrid(
      rows: ExploredRows([.made("POST", "/book")], [.made("POST", "/book")]).rows, ways: try FaultWay.list("reset"))
    let cell = ExploredCell(row: 0, way: 0, isTwice: true)
    let base = grid.scenario(of: cell, at: nil, above: .calm, about: "")
    let above = grid.scenario(of: cell, at: 4, above: base, about: "")
    #expect(above.rules.map(\.name) == ["again POST /book#1...2 reset", "POST /book#1...2 reset"])
    #expect(above.rules.map { $0.json["when"]?["requests"]?.string } == ["4...5", "1...2"])
    #expect(try Scenario(json: above.json) == above)
  }

  @Test("takes the root for a page only beside the files that it loads", arguments: [true, false])
  func hint(isPage: Bool) async throws {
    let file = isPage ? "/app.js" : "/api/users"
    let table = try await ScriptedCommand(
      requests: [.made("GET", "/"), .made("GET", file), .made("GET", "/api/rooms")]
    ).explored()
    let hint = "2 of 3 rows are files of a page; --only '/api/**' leaves them out.\n"
    #expect(table.text().contains(hint) == isPage, "\(table.text())")
    #expect(table.text().contains("files of a page") == isPage, "\(table.text())")
  }

  @Test("names no directory in the hint if it would leave out other requests, too")
  func hintWithoutDirectory() async throws {
    let requests: [ExploredRequest] = [
      .made("GET", "/"), .made("GET", "/app.js"), .made("GET", "/app.css"), .made("GET", "/users"),
      .made("GET", "/rooms"),
    ]
    let text = try await ScriptedCommand(requests: requests).explored().text()
    #expect(
      text.contains("3 of 5 rows are files of a page; --only GLOB explores only the paths that match.\n"), "\(text)")
  }

  @Test("tells that no fault took effect, in each format, and fails unless nothing fails it")
  func idle() async throws {
    var command = ScriptedCommand(requests: [.made("GET", "/users")])
    command.isOnlyCalm = true
    let table = try await command.explored()
    let sentence = "No fault took effect: in each cell the request did not come again, or could not fail so."
    #expect(table.text().contains(sentence) && table.page.contains(sentence), "\(table.text())")
    #expect(table.json["remarks"]?.array?.first?.string == sentence)
    #expect(
      table.junit.xml.contains(#"<testsuite name="the exploration" tests="1" failures="1""#), "\(table.junit.xml)")
    #expect(try await command.explored { $0.strictness = .never }.idleness == nil)
  }
}
