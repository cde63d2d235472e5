import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("Faults that change the message")
struct MessageFaultTests {
  @Test("replace the response by a status, before or after the write", arguments: ["before", "after"])
  func status(phase: String) async throws {
    try await withStage(
      #"{"name":"busy","phase":"\#(phase)","match":{"method":["POST"]},"effect":{"status":503,"retryAfter":"1500ms"}}"#
    ) { stage in
      let response = try exchange(stage.server, Stage.write)
      #expect(response.status == 503)
      #expect(response["Content-Type"] == "application/problem+json")
      #expect(response["Retry-After"] == "2", "a fraction of a second is rounded up")
      #expect(response["Understudy-Fault"] == "status 503, retry after 1.5s \(phase) commit (rule \"busy\")")
      #expect(try stage.isChanged() == (phase == "after"))
      let entry = try stage.lastEntry()
      #expect(entry["outcome"] == "sent")
      #expect(entry["applied"] == .bool(phase == "after"))
      #expect(entry["response", "status"] == 503)
      #expect(entry["plan", "status"] == 503)
      #expect(entry["versions", "to"]?.int == (phase == "after" ? 1 : nil))
    }
  }

  @Test("say in the body of an injected success that it is injected", arguments: [200, 201, 302])
  func injectedSuccess(status: Int) async throws {
    try await withStage(#"{"match":{"path":"/book"},"effect":{"status":\#(status)}}"#) { stage in
      let response = try exchange(stage.server, Stage.write)
      #expect(response.status == status)
      #expect(response.text == #"{"injected":"Understudy injected this response in place of the API's."}"#)
      #expect(try stage.spots() == 43)
    }
  }

  @Test("describe an injected error as a problem", arguments: [400, 404, 503])
  func injectedError(status: Int) async throws {
    try await withStage(#"{"match":{"path":"/book"},"effect":{"status":\#(status)}}"#) { stage in
      let response = try exchange(stage.server, Stage.write)
      #expect(response.status == status && response["Content-Type"] == "application/problem+json")
    }
  }

  @Test("send no body with an injected status that has none")
  func injectedWithoutContent() async throws {
    try await withStage(#"{"match":{"path":"/book"},"effect":{"status":204}}"#) { stage in
      let response = try exchange(stage.server, Stage.write)
      #expect(response.status == 204 && response.text.isEmpty)
    }
  }

  @Test("send Retry-After as a date relative to Date, and a custom body unchanged")
  func retryAfterDate() async throws {
    try await withStage(
      #"{"effect":{"status":429,"retryAfter":"1h","retryAfterDate":true,"body":{"slow":["down",1.50]}}}"#
    ) { stage in
      let response = try exchange(stage.server, wire())
      #expect(response.text == #"{"slow":["down",1.50]}"#)
      let date = try #require(response["Date"])
      let retry = try #require(response["Retry-After"])
      #expect(retry.hasSuffix(" GMT") && retry.count == date.count)
      #expect(retry.suffix(10) == date.suffix(10), "an hour later, to the second")
    }
  }

  @Test("send valid HTTP that violates the API's contract", arguments: ["before", "after"])
  func damages(phase: String) async throws {
    for fault in ["corrupt", "drift", "wrong-type", "captive-portal"] {
      let rule = #"{"phase":"\#(phase)","match":{"method":["POST"]},"effect":{"fault":"\#(fault)"}}"#
      try await withStage(rule) { stage in
        let response = try exchange(stage.server, Stage.write)
        #expect(response.status == 200)
        switch fault {
        case "corrupt": #expect(throws: (any Error).self) { try JSONValue(parsing: response.body) }
        case "drift": #expect(try JSONValue(parsing: response.body) != ["success": true])
        case "wrong-type": #expect(response.text == Stage.written)
        default: #expect(response.text.contains("Grand Hotel Meridian"))
        }
        #expect(
          response["Content-Type"]?.hasPrefix("text/html") == (fault == "wrong-type" || fault == "captive-portal"))
        // A response that still says what was done is sent only after that was done.
        let isApplied = phase == "after" || fault == "drift" || fault == "wrong-type"
        #expect(try stage.isChanged() == isApplied, "\(fault)")
        let entry = try stage.lastEntry()
        #expect(entry["outcome"] == "sent")
        #expect(entry["applied"] == .bool(isApplied), "\(fault)")
      }
    }
  }

  @Test("give a drifted response its own entity tag, so that a cached copy does not stay valid")
  func driftedTag() async throws {
    try await withStage(#"{"when":{"first":1},"effect":{"fault":"drift"}}"#) { stage in
      let drifted = try exchange(stage.server, wire("GET", "/activities"))
      let tag = try #require(drifted["ETag"])
      let sound = try exchange(stage.server, wire("GET", "/activities", "If-None-Match: \(tag)"))
      #expect(sound.status == 200)
      #expect(sound.body != drifted.body && sound["ETag"] != tag)
    }
  }

  /// Faults, and requests to which they cannot be applied.
  static let undeliverable: [(effect: String, request: String)] = [
    (#"{"fault":"truncate"}"#, wire("PATCH", Stage.device, body: #"{"installationDate":"2030-01-02T03:04:05Z"}"#)),
    (#"{"fault":"stall"}"#, wire("PATCH", Stage.device, body: #"{"installationDate":"2030-01-02T03:04:05Z"}"#)),
    (#"{"fault":"corrupt"}"#, wire("PATCH", Stage.device, body: #"{"installationDate":"2030-01-02T03:04:05Z"}"#)),
    (#"{"fault":"drift"}"#, wire("PATCH", Stage.device, body: #"{"installationDate":"2030-01-02T03:04:05Z"}"#)),
    (#"{"fault":"bad-chunk"}"#, wire("PATCH", Stage.device, body: #"{"installationDate":"2030-01-02T03:04:05Z"}"#)),
    (#"{"fault":"bad-chunk"}"#, wire("POST", "/book", version: "1.0", body: #"{"name":"Ljerka"}"#)),
    (#"{"fault":"bad-chunk"}"#, wire("HEAD", "/devices")), (#"{"fault":"truncate"}"#, wire("HEAD", "/devices")),
    (#"{"fault":"corrupt"}"#, wire("GET", "/image/Ljerka")), (#"{"fault":"drift"}"#, wire("GET", "/image/Ljerka")),
    (#"{"fault":"stale"}"#, wire("GET", "/users/1")), (#"{"fault":"stale"}"#, Stage.write),
  ]

  @Test(
    "are recorded as undeliverable where they cannot be applied, and have no other effect", arguments: undeliverable)
  func undelivered(effect: String, request: String) async throws {
    let calm = try await withServer { try exchange($0, request) }
    try await withStage(#"{"effect":\#(effect)}"#) { stage in
      let state = try stage.json("/_mock/state")
      let response = try exchange(stage.server, request)
      #expect(response.status == calm.status)
      #expect(response.body == calm.body)
      #expect(response["Content-Type"] == calm["Content-Type"])
      let entry = try stage.lastEntry()
      #expect(entry["outcome"] == "not deliverable")
      let isWrite = request.hasPrefix("P")
      #expect(entry["applied"] == .bool(isWrite), "the response reports success")
      #expect((try stage.json("/_mock/state") == state) != isWrite)
    }
  }

  @Test("show an older state with its own entity tag by `stale`, which counts all changes")
  func stale() async throws {
    try await withStage(#"{"match":{"method":["GET"]},"effect":{"fault":"stale","versions":2}}"#) { stage in
      func ask() throws -> (Int?, String?) {
        let rooms = try exchange(stage.server, wire("GET", "/rooms.json"))
        return (try JSONValue(parsing: rooms.body)["rooms"]?.array?.first?["spots"]?.int, rooms["ETag"])
      }
      #expect(try ask().0 == 43)
      for spots in [43, 43, 42, 41] {
        #expect(try exchange(stage.server, Stage.write).status == 200)
        #expect(try ask().0 == spots, "two bookings behind")
      }
      let tag = try #require(try ask().1)
      let again = try exchange(stage.server, wire("GET", "/rooms.json", "If-None-Match: \(tag)"))
      #expect(again.status == 304, "the entity tag is that of the older state")
      #expect(try stage.lastEntry()["outcome"] == "sent")
    }
  }

  @Test("show the state before a rival's last move by `stale`")
  func staleAfterRivals() throws {
    let server = try DurableServer(on: MemoryDisk(seed: 1))
    let rules = [
      #"{"effect":{"rivals":{"every":"10s","books":1}}}"#,
      #"{"match":{"header":{"X-Stale":"*"}},"effect":{"fault":"stale"}}"#,
    ]
    let scenario = "{\"rules\":[\(rules.joined(separator: ","))]}"
    #expect(server.ask(wire("PUT", "/_mock/scenario", body: scenario)).status == 200)
    let before = server.ask(wire("GET", "/rooms.json")).text
    server.pass(seconds: 11)
    #expect(server.ask(wire("GET", "/rooms.json")).text != before)
    #expect(server.ask(wire("GET", "/rooms.json", "X-Stale: 1")).text == before)
  }

  @Test("do not count a discarded write as an older state")
  func staleForgetsDiscarded() async throws {
    try await withStage(
      #"{"match":{"method":["GET"]},"effect":{"fault":"stale"}}"#,
      #"{"match":{"method":["POST"]},"when":{"nth":2},"effect":{"fault":"corrupt"}}"#
    ) { stage in
      for _ in 1...2 { _ = try exchange(stage.server, Stage.write) }
      let rooms = try exchange(stage.server, wire("GET", "/rooms.json"))
      #expect(try JSONValue(parsing: rooms.body)["rooms"]?.array?.first?["spots"] == 43)
      #expect(try stage.spots() == 42)
    }
  }

  @Test("can be requested by Prefer, which replaces the plan, is reported in the response, and is counted")
  func prefers() async throws {
    try await withStage(#"{"when":{"requests":"2...2"},"effect":{"status":500}}"#) { stage in
      let preferred = try exchange(
        stage.server, wire("GET", "/users/1", "Prefer: code=418, wait=10, delay=20ms"))
      #expect(preferred.status == 418)
      #expect(preferred["Preference-Applied"] == "code=418, delay=20ms")
      #expect(preferred["Server-Timing"]?.hasPrefix("plan;dur=20.000, actual;dur=") == true)
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 500, "it was the second")
      #expect(try stage.requests().map { $0["n"]?.int } == [1, 2])
    }
  }
}
