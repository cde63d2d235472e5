import Faults
import JSON
import Testing
import Understudy

@testable import Exploration

@Suite("A way to fail")
struct WayTests {
  static let texts: [(text: String, effect: String, phase: Phase)] = [
    ("status=503", #"{"status":503}"#, .before),
    ("status=429;retryAfter=1s", #"{"status":429,"retryAfter":"1s"}"#, .before),
    ("reset@after", #"{"fault":"reset"}"#, .after),
    ("truncate;at=3/4@after", #"{"fault":"truncate","at":"3/4"}"#, .after),
    ("hang;for=30s", #"{"fault":"hang","for":"30s"}"#, .before),
    ("latency=5s", #"{"latency":"5s"}"#, .before),
    ("pace;bytesPerSecond=2000;chunk=64", #"{"pace":{"bytesPerSecond":2000,"chunk":64}}"#, .before),
    ("stale;versions=2", #"{"fault":"stale","versions":2}"#, .before),
    ("captive-portal", #"{"fault":"captive-portal"}"#, .before),
  ]

  @Test("is read from the words of the scenario grammar", arguments: texts)
  func parsing(text: String, effect: String, phase: Phase) throws {
    let way = try FaultWay(text)
    #expect(way.effect.json.text == effect)
    #expect(way.phase == phase)
    #expect(way.text == text)
  }

  static let refused: [(text: String, detail: String)] = [
    ("rset", "did you mean reset?"), ("status", "expected"), ("status=99", "status: expected"),
    ("reset=1", "reset has no value"), ("reset@later", "expected @before or @after"),
    ("reset;at", "expected name=value between semicolons"), ("reset;at=1/2", "at: "),
    ("offline", "offline concerns more than one request"), ("rateLimit;limit=1;window=1s", "concerns more than one"),
    ("", "expected a way to fail"),
  ]

  @Test("that is none has an error that names what is wrong", arguments: refused)
  func errors(text: String, detail: String) {
    let error = #expect(throws: FaultWay.Defect.self) { try FaultWay(text) }
    #expect(error?.detail.contains(detail) == true, "\(error?.detail ?? "")")
  }

  @Test("of a read, and of a write, are the standard ones unless others are given")
  func standard() {
    let rows = ExploredRows([.made("GET", "/a"), .made("POST", "/b")], [.made("GET", "/a"), .made("POST", "/b")]).rows
    let grid = CellGrid(rows: rows, ways: FaultWay.standard)
    #expect(
      grid.cells.map(grid.name) == [
        "GET /a#1 status=503", "GET /a#1 status=429;retryAfter=1s", "GET /a#1 reset", "GET /a#1 empty",
        "GET /a#1 truncate", "POST /b#1 status=503", "POST /b#1 status=429;retryAfter=1s", "POST /b#1 reset",
        "POST /b#1 empty", "POST /b#1 status=503@after", "POST /b#1 reset@after", "POST /b#1 truncate@after",
      ])
  }

  @Test("that damages content does not strike a response without content")
  func content() throws {
    let requests: [ExploredRequest] = [.made("DELETE", "/a/1", hasContent: false)]
    let rows = ExploredRows(requests, requests).rows
    #expect(try CellGrid(rows: rows, ways: FaultWay.list("truncate@after,corrupt,reset@after")).cells.count == 1)
  }

  @Test("and a request are a cell, whose name is read back")
  func cellNames() throws {
    let name = try CellName("POST /book#2 reset@after")
    #expect((name.target, name.n, name.isTwice) == ("POST /book", 2, false))
    #expect(try CellName("post /book #2 reset@after").target == "POST /book")
    #expect(try CellName("POST /a#b#1...2 reset").isTwice)
    for text in [
      "POST /book reset", "POST /book#x reset", "POST /book#1", "/book#1 reset", "POST /book#1...3 reset", "",
    ] {
      #expect(throws: FaultWay.Defect.self) { try CellName(text) }
    }
  }
}
