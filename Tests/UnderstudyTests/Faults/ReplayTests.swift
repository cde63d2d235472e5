import Foundation
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Silent replays by the transport")
struct ReplayTests {
  private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  /// Runs curl with two requests on one connection: a GET, then a booking.
  private func curl(_ stage: Stage) throws {
    let origin = stage.server.url
    _ = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/curl"),
      [
        "-sS", "--noproxy", "*", "\(origin)/users/1", "--next", "-sS", "--noproxy", "*", "-d",
        "{\"name\":\"Ljerka\"}", "\(origin)/book",
      ])
  }

  @Test(
    "curl repeats a POST when a reused connection is closed without a byte", .enabled(if: hasCurl),
    arguments: ["reset-bare", "empty"], ["before", "after"])
  func curlReplays(fault: String, phase: String) async throws {
    try await withStage(
      #"{"match":{"method":["POST"]},"when":{"first":1},"phase":"\#(phase)","effect":{"fault":"\#(fault)"}}"#
    ) { stage in
      try curl(stage)
      let entries = try stage.requests()
      #expect(entries.map { $0["path"] } == ["/users/1", "/book", "/book"])
      #expect(entries.map { $0["n"]?.int } == [1, 1, 1], "a replay is not counted")
      #expect(entries.last?["replayOf"] == entries[1]["id"])
      #expect(entries.last?["plan"] == entries[1]["plan"])
      #expect(entries[1]["connection"] != entries.last?["connection"])
      #expect(try stage.spots() == (phase == "after" ? 41 : 43), "after the commit it is applied twice")
    }
  }

  @Test("curl does not repeat a POST after a status line", .enabled(if: hasCurl), arguments: ["before", "after"])
  func curlDoesNotReplay(phase: String) async throws {
    try await withStage(#"{"match":{"method":["POST"]},"phase":"\#(phase)","effect":{"fault":"reset"}}"#) { stage in
      try curl(stage)
      #expect(try stage.requests().map { $0["path"] } == ["/users/1", "/book"])
      #expect(try stage.spots() == (phase == "after" ? 42 : 43))
    }
  }

  private func lose(_ stage: Stage, _ request: String, isUsed: Bool = true) throws {
    let client = isUsed ? try stage.server.usedConnection() : try WireConnection(stage.server.port)
    try client.send(request)
    let (text, end) = client.rest()
    #expect(text.isEmpty && end == .reset)
    client.hangUp()
  }

  private static let resetBare = #"{"match":{"path":"/book"},"when":{"first":1},"effect":{"fault":"reset-bare"}}"#

  /// Moves the time of the loss into the past, so that no test has to sleep.
  private func age(_ stage: Stage, by duration: Duration) async {
    await withCheckedContinuation { continuation in
      stage.server.jobs.post { loop in
        if let sandbox = loop.application.state.sandboxes[nil] {
          for index in sandbox.replays.lost.indices {
            let end = sandbox.replays.lost[index].end
            sandbox.replays.lost[index].end = end + (.zero - duration)
          }
        }
        continuation.resume()
      }
    }
  }

  @Test("identical bytes on a new connection soon after the loss are a replay, and end the series")
  func replays() async throws {
    try await withStage(Self.resetBare) { stage in
      try lose(stage, Stage.write)
      await age(stage, by: .milliseconds(-60_000))
      try lose(stage, Stage.write, isUsed: false)
      #expect(try exchange(stage.server, Stage.write).status == 200, "the replay of a replay is a request")
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books.map { $0["n"]?.int } == [1, 1, 2])
      #expect(books[1]["replayOf"] == books[0]["id"])
      #expect(books[2]["replayOf"] == JSONValue.null)
    }
  }

  @Test("a request repeated after a byte of its response is not a replay")
  func afterByte() async throws {
    try await withStage(#"{"match":{"path":"/book"},"when":{"first":1},"effect":{"fault":"reset"}}"#) { stage in
      let client = try stage.server.usedConnection()
      try client.send(Stage.write)
      let (text, end) = client.rest()
      #expect(text.hasPrefix("HTTP/1.1 200") && end == .reset)
      await age(stage, by: .milliseconds(-60_000))
      #expect(try exchange(stage.server, Stage.write).status == 200)
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books.map { $0["n"]?.int } == [1, 2] && books[1]["replayOf"] == JSONValue.null)
    }
  }

  @Test("replays on several reused connections are one request, up to libcurl's number of attempts")
  func chain() async throws {
    try await withStage(#"{"match":{"path":"/book"},"when":{"first":1},"effect":{"fault":"reset-bare"}}"#) { stage in
      for _ in 0...5 {
        try lose(stage, Stage.write)
        await age(stage, by: .milliseconds(-60_000))
      }
      #expect(try exchange(stage.server, Stage.write).status == 200, "the seventh attempt is a new request")
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books.map { $0["n"]?.int } == [1, 1, 1, 1, 1, 1, 2])
      #expect(books[1...5].allSatisfy { $0["replayOf"] == books[0]["id"] }, "each names the original request")
      #expect(books[6]["replayOf"] == JSONValue.null)
      #expect(try stage.json("/_mock/report")["replays"] == 5)
    }
  }

  @Test("a replay is detected, whatever the number of earlier ones")
  func manyReplays() async throws {
    try await withStage(#"{"match":{"method":["DELETE"]},"effect":{"fault":"reset-bare"}}"#) { stage in
      for id in 1...8 {
        let request = wire("DELETE", "/users/\(id)")
        try lose(stage, request)
        await age(stage, by: .milliseconds(-60_000))
        try lose(stage, request, isUsed: false)
      }
      let deletions = try stage.requests().filter { $0["method"] == "DELETE" }
      #expect(deletions.count == 16)
      for index in stride(from: 0, to: deletions.count, by: 2) {
        #expect(deletions[index + 1]["replayOf"] == deletions[index]["id"])
      }
    }
  }

  @Test("a replay during an outage gets the outage, and is not counted as a request")
  func outage() async throws {
    try await withStage { stage in
      let client = try stage.server.usedConnection()
      try stage.arm(#"{"match":{"path":"/book"},"effect":{"latency":"1h"}}"#)
      try client.send(Stage.write)
      #expect(await stage.server.journalBecomes { $0.count == 2 })
      try stage.arm(#"{"effect":{"offline":true}}"#)
      #expect(client.rest() == ("", .reset))
      await age(stage, by: .milliseconds(-60_000))
      try lose(stage, Stage.write, isUsed: false)
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books.map { $0["n"]?.int } == [1, 1])
      #expect(books[1]["replayOf"] == books[0]["id"])
      #expect(books.map { $0["applied"] } == [false, false])
    }
  }

  @Test(
    "a repetition is a new request if it is late, differs, or follows the end of a new connection", arguments: 0..<3)
  func isNoReplay(way: Int) async throws {
    try await withStage(Self.resetBare) { stage in
      try lose(stage, Stage.write, isUsed: way != 2)
      await age(stage, by: way == 0 ? .milliseconds(251) : .milliseconds(-60_000))
      let client = try WireConnection(stage.server.port)
      try client.send(way == 1 ? wire("POST", "/book", "X-Other: 1", body: #"{"name":"Ljerka"}"#) : Stage.write)
      #expect(try client.response().status == 200)
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books.map { $0["n"]?.int } == [1, 2])
      #expect(books[1]["replayOf"] == JSONValue.null)
    }
  }

  @Test("a replay gets the preferences of the request")
  func keepsPreference() async throws {
    try await withStage { stage in
      let request = wire("POST", "/book", "Prefer: fault=reset-bare", body: #"{"name":"Ljerka"}"#)
      try lose(stage, request)
      await age(stage, by: .milliseconds(-60_000))
      try lose(stage, request, isUsed: false)
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books[1]["replayOf"] == books[0]["id"])
      #expect(try stage.spots() == 43)
    }
  }
}
