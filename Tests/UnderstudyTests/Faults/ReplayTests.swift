import Faults
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
          for index in sandbox.traffic.replays.lost.indices {
            let end = sandbox.traffic.replays.lost[index].end
            sandbox.traffic.replays.lost[index].end = end + (.zero - duration)
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

  /// A transport that repeats a request by itself, and the loss after which it does.
  struct Library: Sendable, CustomTestStringConvertible {
    let method: String
    let agent: String
    let isOnUsedConnection: Bool
    let fault: String
    var testDescription: String { "\(agent), \(method), \(isOnUsedConnection ? "reused" : "new") connection, \(fault)" }
  }

  /// Returns a request as a library's transport sends it.
  private static func request(_ method: String, by agent: String) -> String {
    let bodies = ["POST": #"{"name":"Ljerka"}"#, "PUT": #"{"name":"Ada"}"#]
    return wire(method, method == "POST" ? "/book" : "/users/3", "User-Agent: \(agent)", body: bodies[method])
  }

  private static let java = "Java/17.0.9"
  private static let android = "Dalvik/2.1.0 (Linux; U; Android 14)"
  private static let okHttp = "okhttp/4.12.0"
  private static let apache = "Apache-HttpClient/4.5.14 (Java/17.0.9)"
  private static let ruby = "Ruby"
  private static let chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
  private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"
  private static let aiohttp = "Python/3.11 aiohttp/3.9.1"
  private static let go = "Go-http-client/1.1"

  static let libraries = [
    Library(method: "POST", agent: java, isOnUsedConnection: false, fault: "reset"),
    Library(method: "POST", agent: java, isOnUsedConnection: false, fault: "reset-bare"),
    Library(method: "POST", agent: java, isOnUsedConnection: false, fault: "empty"),
    Library(method: "POST", agent: java, isOnUsedConnection: true, fault: "reset"),
    Library(method: "POST", agent: android, isOnUsedConnection: true, fault: "reset"),
    Library(method: "POST", agent: okHttp, isOnUsedConnection: true, fault: "reset"),
    Library(method: "GET", agent: apache, isOnUsedConnection: false, fault: "empty"),
    Library(method: "GET", agent: apache, isOnUsedConnection: true, fault: "reset"),
    Library(method: "PUT", agent: ruby, isOnUsedConnection: false, fault: "reset"),
    Library(method: "GET", agent: ruby, isOnUsedConnection: false, fault: "reset-bare"),
    Library(method: "POST", agent: chrome, isOnUsedConnection: true, fault: "reset"),
    Library(method: "GET", agent: chrome, isOnUsedConnection: true, fault: "reset"),
    Library(method: "POST", agent: firefox, isOnUsedConnection: true, fault: "empty"),
    Library(method: "PUT", agent: aiohttp, isOnUsedConnection: true, fault: "reset"),
    Library(method: "GET", agent: go, isOnUsedConnection: true, fault: "reset-bare"),
  ]

  @Test("the one repetition of a library meets the fault again and is not counted", arguments: libraries)
  func libraryRepeats(library: Library) async throws {
    let path = library.method == "POST" ? "/book" : "/users/3"
    let request = Self.request(library.method, by: library.agent)
    let rule = #"{"match":{"path":"\#(path)"},"when":{"first":1},"effect":{"fault":"\#(library.fault)"}}"#
    try await withStage(rule) { stage in
      for isFirst in [true, false] {
        let client =
          isFirst && library.isOnUsedConnection
          ? try stage.server.usedConnection() : try WireConnection(stage.server.port)
        try client.send(request)
        #expect(!client.rest().text.contains("\r\n\r\n"))
        client.hangUp()
        await age(stage, by: .milliseconds(-60_000))
      }
      #expect(try exchange(stage.server, request).status == 200, "the client's own attempt is the next request")
      let entries = try stage.requests().filter { $0["path"]?.string == path }
      #expect(entries.map { $0["n"]?.int } == [1, 1, 2])
      #expect(entries.map { $0["replayOf"]?.int } == [nil, entries[0]["id"]?.int, nil])
      #expect(entries[1]["plan"] == entries[0]["plan"])
      #expect(try stage.json("/_mock/report")["replays"] == 1)
    }
  }

  /// Requests that no transport repeats by itself: after a whole head, by another agent, or not idempotent.
  static let ownRepetitions: [(agent: String, fault: String)] = [
    (java, "truncate"), ("python-requests/2.32", "reset"), (apache, "reset"), (ruby, "reset-bare"),
    (firefox, "reset"), (firefox, "empty"),
  ]

  @Test("a request that no transport would repeat is the client's own", arguments: ownRepetitions)
  func isOwnRepetition(agent: String, fault: String) async throws {
    let request = Self.request("POST", by: agent)
    try await withStage(#"{"match":{"path":"/book"},"when":{"first":1},"effect":{"fault":"\#(fault)"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(request)
      #expect(client.rest().text.contains("\r\n\r\n") == (fault == "truncate"))
      await age(stage, by: .milliseconds(-60_000))
      #expect(try exchange(stage.server, request).status == 200)
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books.map { $0["n"]?.int } == [1, 2] && books[1]["replayOf"] == JSONValue.null)
    }
  }

  @Test(
    "the first retry without a pause is a client's own where its transport would not repeat the request",
    arguments: ["python-urllib3/2.8.0", "python-requests/2.32", go, apache, ruby])
  func isOwnOnUsedConnection(agent: String) async throws {
    let request = Self.request("POST", by: agent)
    try await withStage(Self.resetBare) { stage in
      try lose(stage, request)
      await age(stage, by: .milliseconds(-60_000))
      #expect(try exchange(stage.server, request).status == 200)
      let books = try stage.requests().filter { $0["path"] == "/book" }
      #expect(books.map { $0["n"]?.int } == [1, 2] && books[1]["replayOf"] == JSONValue.null)
    }
  }

  /// Transports that repeat a request for as long as no byte comes, and how often.
  static let chains: [(library: Library, replays: Int)] = [
    (Library(method: "POST", agent: "curl/8.5.0", isOnUsedConnection: true, fault: "reset-bare"), 5),
    (Library(method: "GET", agent: firefox, isOnUsedConnection: true, fault: "reset-bare"), 9),
    (Library(method: "GET", agent: firefox, isOnUsedConnection: false, fault: "reset-bare"), 9),
    (Library(method: "GET", agent: firefox, isOnUsedConnection: false, fault: "empty"), 9),
  ]

  @Test("replays without a byte are one request, up to the transport's number of attempts", arguments: chains)
  func chain(library: Library, replays: Int) async throws {
    let path = library.method == "POST" ? "/book" : "/users/3"
    let request = Self.request(library.method, by: library.agent)
    let rule = #"{"match":{"path":"\#(path)"},"when":{"first":1},"effect":{"fault":"\#(library.fault)"}}"#
    try await withStage(rule) { stage in
      for _ in 0...replays {
        let client =
          library.isOnUsedConnection ? try stage.server.usedConnection() : try WireConnection(stage.server.port)
        try client.send(request)
        #expect(client.rest().text.isEmpty)
        client.hangUp()
        await age(stage, by: .milliseconds(-60_000))
      }
      #expect(try exchange(stage.server, request).status == 200, "the next attempt is a new request")
      let entries = try stage.requests().filter { $0["path"]?.string == path }
      #expect(entries.map { $0["n"]?.int } == Array(repeating: 1, count: replays + 1) + [2])
      #expect(entries[1...replays].allSatisfy { $0["replayOf"] == entries[0]["id"] }, "each names the original request")
      #expect(entries.last?["replayOf"] == JSONValue.null)
      #expect(try stage.json("/_mock/report")["replays"]?.int == replays)
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
    "a repetition is a new request if it is late, or differs",
    arguments: [(true, 251), (false, 251), (true, nil), (false, nil)] as [(Bool, Int?)])
  func isNoReplay(isUsed: Bool, age milliseconds: Int?) async throws {
    let request = Self.request("POST", by: Self.java)
    try await withStage(Self.resetBare) { stage in
      try lose(stage, request, isUsed: isUsed)
      // One that differs must not be late, too.
      await age(stage, by: .milliseconds(milliseconds ?? -60_000))
      let client = try WireConnection(stage.server.port)
      try client.send(milliseconds == nil ? request.replacing("\"Ljerka\"", with: "\"Yana\"  ") : request)
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
