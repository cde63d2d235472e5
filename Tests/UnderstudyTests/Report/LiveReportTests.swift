import JSON
import LiveTesting
import Primitives
import Services
import Testing

@testable import Report
@testable import Understudy

@Suite("The report of a live server", .serialized)
struct LiveReportTests {
  private static let client = "Understudy-Client: test"

  /// Runs `body` with a server whose clock stands still, so that no client is slow on a busy machine.
  private func withStandingClock(_ body: (MockServer) async throws -> Void) async throws {
    try await withServer({ $0.clocks = ManualClock().clocks }, body)
  }

  private func arm(_ server: MockServer, _ rules: String) throws {
    let scenario = "{\"name\": \"planted\", \"rules\": [\(rules)]}"
    #expect(try exchange(server, wire("PUT", "/_mock/scenario", body: scenario)).status == 200)
  }

  private func advance(_ server: MockServer, _ duration: String) throws {
    let body = #"{"advance": "\#(duration)"}"#
    #expect(try exchange(server, wire("PATCH", "/_mock/clock", body: body)).status == 200)
  }

  private func verdicts(_ server: MockServer, _ target: String = "/_mock/report") throws -> [String: String] {
    let card = try JSONValue(parsing: exchange(server, wire("GET", target)).text)
    return Dictionary(
      uniqueKeysWithValues: (card["checks"]?.array ?? []).map {
        ($0["id"]?.string ?? "", $0["verdict"]?.string ?? "")
      })
  }

  private func complaints(_ server: MockServer) throws -> [String: String] {
    try verdicts(server).filter { $0.value == "fail" || $0.value == "warn" }
  }

  /// Sends a request that may get no response.
  private func send(_ server: MockServer, _ request: String) throws {
    let connection = try WireConnection(server.port)
    try connection.send(request)
    _ = connection.end()
    connection.hangUp()
  }

  @Test("If-Match with an asterisk names no version, so a write with it over an unseen change is reported")
  func anyVersion() async throws {
    try await withServer { server in
      let device = "/devices/WWM-0001-12"
      func change(_ client: String, _ field: String, to day: Int) throws {
        let body = #"{"installationDate": "2026-01-1\#(day)T08:00:00Z"}"#
        #expect(
          try exchange(server, wire("PATCH", device, "Understudy-Client: \(client)", field, body: body)).status == 200)
      }
      _ = try exchange(server, wire("GET", device, "Understudy-Client: one"))
      try change("other", "Accept: */*", to: 1)
      try change("one", "If-Match: *", to: 2)
      #expect(try complaints(server) == ["lost-update": "warn"])
    }
  }

  @Test("a repetition whose content never came, as libcurl sends for URLSession on Linux, leaves a warning")
  func withoutContent() async throws {
    try await withStandingClock { server in
      let rule =
        #"{"name": "lost", "match": {"path": "/book"}, "when": {"first": 1}, "phase": "after", "#
        + #""effect": {"fault": "empty"}}"#
      try arm(server, rule)
      let booking = wire("POST", "/book", Self.client, body: #"{"name": "Ljerka"}"#)
      try send(server, booking)
      let final = "/_mock/report?final=true"
      #expect(try verdicts(server, final)["lost-reply-followed-up"] == "fail")
      let again = try WireConnection(server.port)
      try again.send(String(booking.dropLast(9)))
      again.finishWriting()
      _ = again.end()
      #expect(await server.journalBecomes { $0.count == 2 && $0.last?.outcome != .pending })
      #expect(try verdicts(server, final)["lost-reply-followed-up"] == "warn")
      #expect(try verdicts(server, final)["no-retry-of-4xx"] == "not exercised")
    }
  }

  @Test("a double booking after a lost response is found over sockets, and an idempotency key prevents it")
  func doubleBooking() async throws {
    try await withServer { server in
      let rule =
        #"{"name": "lost", "match": {"path": "/book"}, "when": {"first": 1}, "phase": "after", "#
        + #""effect": {"fault": "reset"}}"#
      try arm(server, rule)
      let booking = wire("POST", "/book", Self.client, "Connection: close", body: #"{"name": "Ljerka"}"#)
      for _ in 0..<2 { try send(server, booking) }
      #expect(try complaints(server) == ["no-duplicate-effect": "fail"])
      #expect(try verdicts(server)["lost-reply-followed-up"] == "pass")
      try arm(server, rule)
      #expect(try exchange(server, wire("POST", "/_mock/reset")).status == 204)
      let keyed = wire(
        "POST", "/book", Self.client, "Connection: close", "Idempotency-Key: k", body: #"{"name": "Ljerka"}"#)
      for _ in 0..<2 { try send(server, keyed) }
      #expect(try complaints(server).isEmpty)
      #expect(try verdicts(server)["no-duplicate-effect"] == "pass")
    }
  }

  @Test("a double booking is found if its body is so long that it is parsed off the loop")
  func longDoubleBooking() async throws {
    try await withServer { server in
      try arm(
        server, #"{"match": {"path": "/book"}, "when": {"first": 1}, "phase": "after", "effect": {"fault": "reset"}}"#)
      let body = #"{"name": "Ljerka"}"# + String(repeating: " ", count: Call.maximumShortBody)
      for _ in 0..<2 { try send(server, wire("POST", "/book", Self.client, "Connection: close", body: body)) }
      #expect(try complaints(server) == ["no-duplicate-effect": "fail"])
    }
  }

  @Test("a client that left before the response did not receive its Retry-After")
  func untold() async throws {
    try await withServer { server in
      try arm(
        server,
        #"{"name": "slow", "effect": {"latency": "200ms"}}, "#
          + #"{"name": "busy", "effect": {"status": 503, "retryAfter": "60s"}}"#)
      let request = wire("GET", "/users/1", Self.client, "Connection: close")
      let connection = try WireConnection(server.port)
      try connection.send(request)
      connection.hangUp()
      #expect(await server.journalBecomes { $0.last?.outcome == .peerGone })
      try send(server, request)
      #expect(try verdicts(server)["retry-after-honoured"] == "not exercised")
    }
  }

  @Test("an ignored Retry-After and a repeated refusal are found over sockets")
  func others() async throws {
    try await withStandingClock { server in
      try arm(
        server,
        #"{"name": "busy", "match": {"path": "/devices"}, "when": {"first": 1}, "#
          + #""effect": {"status": 503, "retryAfter": "3s"}}"#
      )
      for _ in 0..<2 {
        _ = try exchange(server, wire("GET", "/devices", Self.client))
        try advance(server, "10ms")
      }
      #expect(try complaints(server) == ["retry-after-honoured": "fail"])
      #expect(try exchange(server, wire("POST", "/_mock/reset")).status == 204)
      _ = try exchange(server, wire("GET", "/devices", Self.client))
      try advance(server, "3s")
      _ = try exchange(server, wire("GET", "/devices", Self.client))
      #expect(try verdicts(server)["retry-after-honoured"] == "pass", "advances count as time")
      try arm(server, "")
      #expect(try exchange(server, wire("POST", "/_mock/reset")).status == 204)
      for _ in 0..<5 { _ = try exchange(server, wire("PATCH", "/devices/none", Self.client, body: "{}")) }
      #expect(try complaints(server) == ["no-retry-of-4xx": "fail"])
    }
  }

  @Test("a short timeout is found over sockets")
  func hastyTimeout() async throws {
    try await withStandingClock { server in
      try arm(server, #"{"name": "silence", "match": {"path": "/users"}, "effect": {"fault": "hang"}}"#)
      let hasty = try WireConnection(server.port)
      try hasty.send(wire("GET", "/users", Self.client))
      _ = await server.connectionCount()
      hasty.hangUp()
      #expect(await server.journalBecomes { $0.last?.outcome == .peerGone })
      #expect(try complaints(server) == ["timeouts-sane": "warn"])
    }
  }

  @Test("a client that is ended together with its run has not given up")
  func endedClients() async throws {
    try await withStandingClock { server in
      try arm(server, #"{"name": "silence", "match": {"path": "/users"}, "effect": {"fault": "hang"}}"#)
      let ended = try WireConnection(server.port)
      try ended.send(wire("GET", "/users", Self.client))
      _ = await server.ask { $0.application.areClientsEnded = true }
      ended.hangUp()
      #expect(await server.journalBecomes { $0.last?.outcome == .peerGone })
      #expect(try verdicts(server)["timeouts-sane"] == "not exercised")
    }
  }

  @Test("clients are distinguished by Understudy-Client alone, if it is present")
  func clients() async throws {
    try await withStandingClock { server in
      let missing = "/devices/none"
      for name in ["a", "b"] { _ = try exchange(server, wire("GET", missing, "Understudy-Client: \(name)")) }
      #expect(try verdicts(server)["no-retry-of-4xx"] == "pass")
      for agent in ["other", "others", "another"] {
        // A read that comes within milliseconds on another connection may have been sent beside the first.
        try advance(server, "10ms")
        _ = try exchange(server, wire("GET", missing, "Understudy-Client: a", "User-Agent: \(agent)"))
      }
      #expect(try verdicts(server)["no-retry-of-4xx"] == "warn")
    }
  }

  @Test("the report has every format, and an unknown format is refused")
  func forms() async throws {
    try await withServer { server in
      let patch = #"{"installationDate": "2023-07-05T15:13:34Z"}"#
      #expect(try exchange(server, wire("PATCH", "/devices/WWM-0001-12", Self.client, body: patch)).status == 200)
      #expect(try exchange(server, wire("GET", "/devices/WWM-0001-12", Self.client)).status == 200)
      for (format, type) in [
        ("json", "application/json"), ("text", "text/plain; charset=utf-8"), ("html", "text/html; charset=utf-8"),
        ("junit", "application/xml"),
      ] {
        let response = try exchange(server, wire("GET", "/_mock/report?format=\(format)", "Accept: image/png"))
        #expect(response.status == 200 && response["Content-Type"] == type)
      }
      #expect(try exchange(server, wire("GET", "/_mock/report", "Accept: text/html")).text.hasPrefix("<!doctype html>"))
      #expect(try exchange(server, wire("GET", "/_mock/report?format=pdf")).status == 400)
      #expect(try exchange(server, wire("GET", "/_mock/report?form=text")).status == 400)
    }
  }

  @Test("a reset restarts the report, and the cards of deleted sandboxes are kept until the end")
  func endings() async throws {
    try await withServer { server in
      let wrong = wire("PATCH", "/devices/none", Self.client, body: "{}")
      for _ in 0..<5 { _ = try exchange(server, wrong) }
      #expect(try exchange(server, wire("POST", "/_mock/reset")).status == 204)
      #expect(try verdicts(server).values.allSatisfy { $0 == "not exercised" })
      #expect(try exchange(server, wire("POST", "/_mock/sandboxes", body: #"{"name": "ci"}"#)).status == 201)
      for _ in 0..<5 { _ = try exchange(server, wire("PATCH", "/@ci/devices/none", Self.client, body: "{}")) }
      #expect(try verdicts(server, "/@ci/_mock/report")["no-retry-of-4xx"] == "fail")
      #expect(try exchange(server, wire("DELETE", "/_mock/sandboxes/ci")).status == 204)
      let cards = await withCheckedContinuation { continuation in
        server.jobs.post { loop in continuation.resume(returning: loop.application.state.allCards()) }
      }
      #expect(cards.map(\.name) == ["default", "ci", "default"])
      #expect(cards.map(\.card.verdict) == [.fail, .fail, .notExercised])
    }
  }
}
