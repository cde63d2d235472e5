import Contract
import Foundation
import JSON
import LiveTesting
import Report
import Testing

@testable import Understudy

@Suite("The report on a client of a backend", .live)
struct UpstreamVerdictTests {
  /// Returns the verdict of a check about a client that sent these requests, the response to the first of which was lost.
  ///
  /// - Parameter status: The status of the backend's answers.
  private func verdict(
    of check: String, _ requests: [String], answering status: String = "200 OK", field: String = "X-a: b"
  ) async throws -> String {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response(status, "{}"))
    let rule =
      #"{"name":"loss","match":{"changes":true},"when":{"first":1},"phase":"after","effect":{"fault":"reset"}}"#
    return try await Stage.inFrontOf(backend.url, rule) { options in
      options.clocks = ManualClock().clocks
    } body: { stage in
      for request in requests {
        let words = request.split(separator: " ", maxSplits: 2).map(String.init)
        _ = try? exchange(
          stage.server, wire(words[0], words[1], "Understudy-Client: me", field, body: words.count > 2 ? words[2] : nil)
        )
      }
      #expect(
        await stage.server.journalBecomes { $0.count == requests.count && $0.allSatisfy { $0.outcome != .pending } })
      return try Self.verdict(of: check, stage) ?? "none"
    }
  }

  @Test(
    "a read of the path, of one above it or of one below it follows up a lost write, whatever the write's content is",
    arguments: [
      ("POST /orders {}", "GET /orders"), ("POST /orders {}", "GET /orders/1"), ("POST /shop/orders a=1", "GET /shop"),
      ("PUT /orders/1 {}", "GET /orders"), ("PUT /orders/1 {}", "GET /orders/1/x"),
      ("PUT /orders/1 lamp", "GET /orders/1?full"),
      ("DELETE /orders/1", "GET /orders/1"),
      ("DELETE /orders/1", "HEAD /orders/1"), ("PATCH /orders/1 []", "GET /"),
      ("PROPPATCH /orders/1 <a/>", "GET /orders/1"),
    ])
  func looks(write: String, read: String) async throws {
    #expect(try await verdict(of: "lost-reply-followed-up", [write, read]) == "pass")
  }

  @Test("a write under the same key is a repetition, however its content is spelled")
  func sameKey() async throws {
    let requests = ["POST /orders boundary-1", "POST /orders boundary-2"]
    let check = "lost-reply-followed-up"
    #expect(try await verdict(of: check, requests) == "warn")
    #expect(try await verdict(of: check, requests, field: "Idempotency-Key: k") == "pass")
  }

  @Test("that a record is missing tells what became of a write, too")
  func missing() async throws {
    let requests = ["DELETE /orders/1", "GET /orders/1"]
    #expect(try await verdict(of: "lost-reply-followed-up", requests, answering: "404 Not Found") == "pass")
  }

  @Test(
    "a read of another path tells nothing of a lost write",
    arguments: ["GET /orders/2", "GET /orders/10", "GET /order", "GET /others"])
  func elsewhere(read: String) async throws {
    #expect(try await verdict(of: "lost-reply-followed-up", ["PUT /orders/1 {}", read]) == "warn")
  }

  @Test("a read of a record whose name is missing tells nothing of a lost write", arguments: ["undefined", "null"])
  func nothing(name: String) async throws {
    #expect(try await verdict(of: "lost-reply-followed-up", ["POST /orders {}", "GET /orders/\(name)"]) == "warn")
  }

  @Test(
    "a client that looks before it writes again has decided anew",
    arguments: ["GET /orders", "GET /orders/7"])
  func lookedBefore(read: String) async throws {
    for content in ["{}", "a=1"] {
      let write = "POST /orders " + content
      #expect(try await verdict(of: "no-duplicate-effect", [write, write]) == "warn", "\(content)")
      #expect(try await verdict(of: "no-duplicate-effect", [write, read, write]) != "warn", "\(content)")
    }
  }

  @Test("what is set or deleted again is not done twice, whatever the content is")
  func idempotent() async throws {
    for write in ["PUT /orders/1 lamp", "PATCH /orders/1 []", "DELETE /orders/1", "PUT /orders/1 {}"] {
      #expect(try await verdict(of: "no-duplicate-effect", [write, write]) == "pass", "\(write)")
    }
  }

  @Test("writes that differ in their query, method or content are not the same")
  func different() async throws {
    for (first, second) in [
      ("POST /cart?item=1", "POST /cart?item=2"), ("POST /cart?item=1 {}", "POST /cart?item=2 {}"),
      ("POST /cart a", "POST /cart b"), ("POST /cart {}", "MKCOL /cart {}"),
    ] {
      #expect(try await verdict(of: "no-duplicate-effect", [first, second]) == "not exercised", "\(first)")
      #expect(try await verdict(of: "no-duplicate-effect", [first, first]) == "warn", "\(first)")
    }
  }

  @Test(
    "a wait that the backend asks for by a date is to be kept, by its clock or by that of this machine",
    arguments: [(0, "61s", true), (0, "20s", false), (-40, "21s", true), (40, "21s", true)])
  func dates(offset: Int64, advance: String, isKept: Bool) async throws {
    let clock = ManualClock()
    let clocks = clock.clocks
    let now = clocks.instant()
    // The date is in 60 s by the backend's own clock, or in 20 s by this machine's if that is sooner.
    let date = HTTPDate.text(now + Duration.seconds(offset < 0 ? 20 : 60))
    let own = HTTPDate.text(now + Duration.seconds(offset))
    let refusal = ScriptedBackend.response("503 Service Unavailable", "{}", "Retry-After: \(date)", "Date: \(own)")
    let backend = try ScriptedBackend(answering: refusal)
    try await Stage.inFrontOf(backend.url) { options in
      options.clocks = clocks
    } body: { stage in
      let request = wire("GET", "/orders", "Understudy-Client: me")
      _ = try exchange(stage.server, request)
      // A request that follows within milliseconds was sent beside the first.
      await clock.advance(by: .milliseconds(500), stage.server)
      try stage.advanceClock(advance)
      _ = try exchange(stage.server, request)
      #expect(await stage.server.journalBecomes { $0.count == 2 && $0.last?.outcome == .sent })
      let found = try Self.verdict(of: "retry-after-honoured", stage)
      #expect((found == "pass") == isKept, "\(found ?? "none")")
    }
    #expect(backend.requests.withLock { $0.count } == 2)
  }

  @Test("OPTIONS for a backend meets faults as any request, and shows nothing of a lost write")
  func options() async throws {
    #expect(try await verdict(of: "lost-reply-followed-up", ["PUT /orders/1 {}", "OPTIONS /orders/1"]) == "fail")
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    let rule = #"{"name":"busy","when":{"first":1},"effect":{"status":503}}"#
    try await Stage.inFrontOf(backend.url, rule) { stage in
      let preflight = wire("OPTIONS", "/orders", "Origin: http://a.example", "Access-Control-Request-Method: PUT")
      for request in [wire("OPTIONS", "/orders"), preflight] { _ = try exchange(stage.server, request) }
      #expect(await stage.server.journalBecomes { $0.count == 2 && $0.last?.outcome == .sent })
      let report = try stage.json("/_mock/report?final=true")
      #expect(report["exchanges"] == 1 && report["faults"] == 1)
    }
  }

  static func verdict(of check: String, _ stage: Stage) throws -> String? {
    let checks = try stage.json("/_mock/report?final=true")["checks"]?.array ?? []
    return checks.first { $0["id"] == .string(check) }?["verdict"]?.string
  }

  @Test("entity tags and lifetimes of the backend are to be used")
  func caching() async throws {
    let backend = try ScriptedBackend { request, link in
      let isKnown = request.contains("If-None-Match: W/\"v1\"")
      link.send(
        Array(
          (isKnown
            ? "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n"
            : ScriptedBackend.response(
              "200 OK", "{}", "ETag: \"v1\"", "Cache-Control: private, no-transform, max-age=60")).utf8))
    }
    for (fields, advance, tags, freshness) in [
      ("X-a: b", "1s", "warn", "warn"), ("If-None-Match: W/\"v1\"", "61s", "pass", "pass"),
      ("X-a: b", "61s", "warn", "pass"), ("Cache-Control: no-cache", "1s", "warn", "not exercised"),
      ("Cache-Control: no-transform", "1s", "warn", "warn"),
      ("Cache-Control: Max-Age=0", "1s", "warn", "not exercised"),
    ] {
      try await Stage.inFrontOf(backend.url) { options in
        options.clocks = ManualClock().clocks
      } body: { stage in
        _ = try exchange(stage.server, wire("GET", "/orders", "Understudy-Client: me"))
        for _ in 1...4 {
          try stage.advanceClock(advance)
          _ = try exchange(stage.server, wire("GET", "/orders", "Understudy-Client: me", fields))
        }
        #expect(try Self.verdict(of: "conditional-requests", stage) == tags, "\(fields) \(advance)")
        #expect(try Self.verdict(of: "freshness", stage) == freshness, "\(fields) \(advance)")
      }
    }
  }

  @Test("a client that reads again after its own write uses no stale response")
  func freshAfterWrite() async throws {
    let answer = ScriptedBackend.response("200 OK", "{}", "Cache-Control: max-age=60")
    try await Stage.inFrontOf(try ScriptedBackend(answering: answer)) { options in
      options.clocks = ManualClock().clocks
    } body: { stage in
      for _ in 1...5 {
        _ = try exchange(stage.server, wire("GET", "/orders", "Understudy-Client: me"))
        _ = try exchange(stage.server, wire("PUT", "/orders/1", "Understudy-Client: me", body: "{}"))
      }
      #expect(try Self.verdict(of: "freshness", stage) == "not exercised")
    }
  }

  @Test(
    "content that is passed on is judged by its end, also if the report was read before that",
    arguments: [false, true])
  func passedOn(isReadBefore: Bool) async throws {
    let mayEnd = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { _, link in
      let whole = ScriptedBackend.response("200 OK", String(repeating: "0123456789", count: 300))
      link.send(Array(whole.dropLast(1_000).utf8))
      mayEnd.wait()
    }
    let clock = ManualClock()
    try await Stage.inFrontOf(backend) { options in
      options.clocks = clock.clocks
      options.maximumBody = 1_000
    } body: { stage in
      for count in 1...6 {
        let client = try WireConnection(stage.server.port)
        try client.send(wire("GET", "/orders", "Understudy-Client: me"))
        #expect(await stage.server.journalBecomes { $0.count == count && $0.last?.outcome == .sent })
        if isReadBefore { _ = try stage.json("/_mock/report") }
        mayEnd.signal()
        #expect(client.rest().end == .reset)
        #expect(await stage.server.journalBecomes { $0.last?.outcome == .reset })
        await clock.advance(by: .milliseconds(700), stage.server)
      }
      #expect(try Self.verdict(of: "backoff-grows", stage) == "fail")
    }
  }

  @Test("a write was applied though a rule cut the event stream that answered it, and is not to be sent again")
  func cutStream() async throws {
    let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\ndata: 2\n\n"
    let backend = try ScriptedBackend(answering: stream)
    let rule =
      #"{"name":"cut","match":{"changes":true},"when":{"first":1},"phase":"after","#
      + #""effect":{"fault":"truncate","events":1}}"#
    try await Stage.inFrontOf(backend.url, rule) { options in
      options.clocks = ManualClock().clocks
    } body: { stage in
      for outcome in [ExchangeOutcome.closed, .sent] {
        let client = try WireConnection(stage.server.port)
        try client.send(wire("POST", "/answers", "Understudy-Client: me", "Connection: close", body: "{}"))
        #expect(client.rest().text.contains("data: 2") == (outcome == .sent))
        #expect(await stage.server.journalBecomes { $0.last?.outcome == outcome })
        _ = try stage.json("/_mock/report")
      }
      #expect(try stage.requests().allSatisfy { $0["applied"] == true })
      #expect(try Self.verdict(of: "no-duplicate-effect", stage) == "warn")
    }
    #expect(backend.requests.withLock { $0.count } == 2)
  }

  @Test("checks that need the records say that these are not known")
  func unknownState() async throws {
    let answer = ScriptedBackend.response("200 OK", "{}")
    try await Stage.inFrontOf(try ScriptedBackend(answering: answer)) { stage in
      _ = try exchange(stage.server, wire("PUT", "/orders/1", "If-Match: \"v1\"", body: "{}"))
      #expect(await stage.server.journalBecomes { $0.last?.outcome == .sent })
      let checks = try stage.json("/_mock/report")["checks"]?.array ?? []
      for id in ["lost-update", "polling-interval", "stream-resumed"] {
        let line = checks.first { $0["id"] == .string(id) }
        #expect(line?["verdict"] == "not exercised" && line?["sentence"] == "The backend's state is not known.")
      }
    }
  }
}
