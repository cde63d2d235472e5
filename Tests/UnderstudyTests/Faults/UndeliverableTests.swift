import JSON
import LiveTesting
import Testing

@testable import Primitives
@testable import Understudy

@Suite("A fault that cannot be applied to a response", .live)
struct UndeliverableTests {
  @Test(
    "is not among the applied preferences, and field and journal state the reason",
    arguments: [
      ("GET", "/devices", "fault=bad-chunk", "1.0", "bad-chunk not deliverable: HTTP/1.0 has no chunked coding"),
      ("HEAD", "/devices", "fault=truncate", "1.1", "truncate not deliverable: the response has no body"),
      (
        "GET", "/devices", "fault=stall; events=2", "1.1",
        "stall not deliverable: the response is not a stream of events"
      ),
      (
        "GET", "/devices", "fault=stale", "1.1",
        "stale not deliverable: older states are stored from now on; change the state, and try again"
      ),
      ("GET", "/unknown", "fault=stale", "1.1", "stale not deliverable: the response does not show the state"),
      (
        "GET", "/image/Ljerka", "fault=drift", "1.1",
        "drift not deliverable: the content has nothing that the fault can change"
      ),
    ])
  func reason(method: String, target: String, prefer: String, version: String, words: String) async throws {
    try await withStage { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire(method, target, "Prefer: \(prefer)", "Connection: close", version: version))
      let response = try client.response(toHead: method == "HEAD")
      #expect(response["Preference-Applied"] == nil)
      #expect(response["Understudy-Fault"] == words, "\(response.head)")
      let entry = try stage.lastEntry()
      #expect(entry["outcome"] == "not deliverable")
      #expect(entry["remark"]?.string == words.split(separator: " ", maxSplits: 1).last.map(String.init))
    }
  }

  @Test("leaves the other preferences applied")
  func others() async throws {
    try await withStage { stage in
      let prefer = "Prefer: delay=1ms, fault=bad-chunk"
      let response = try exchange(stage.server, wire("GET", "/devices", prefer, version: "1.0"))
      #expect(response["Preference-Applied"] == "delay=1ms")
      #expect(response["Understudy-Fault"]?.hasPrefix("latency 1ms; bad-chunk not deliverable: ") == true)
    }
  }

  @Test("keeps the change of the request, even if it counts events")
  func change() async throws {
    try await withStage { stage in
      let write = wire("POST", "/book", "Prefer: fault=truncate; events=2", body: "{\"name\":\"Ljerka\"}")
      let response = try exchange(stage.server, write)
      #expect(response.text == Stage.written)
      #expect(try stage.isChanged())
    }
  }

  @Test("of two preferred faults only the first is applied, and the second is reported")
  func second() async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("GET", "/devices", "Prefer: code=503, fault=drift, delay=1ms"))
      #expect(response.status == 503 && response["Preference-Applied"] == "code=503, delay=1ms")
      #expect(
        response["Understudy-Fault"]
          == "latency 1ms; status 503; not understood: fault=drift (only one fault is possible, and code=503 is the first)"
      )
    }
  }

  @Test("a response that the disk refused names no fault in its content as applied")
  func refused() throws {
    let disk = MemoryDisk(seed: 1)
    let server = try DurableServer(on: disk)
    disk.action = { _ in .error(28) }
    let response = server.ask(
      wire("POST", "/book", "Prefer: fault=corrupt; phase=after", body: "{\"name\":\"Ljerka\"}"))
    #expect(response.status == 507 && response["Preference-Applied"] == nil)
    #expect(response["Understudy-Fault"] == "corrupt not deliverable: the change could not be stored")
  }

  @Test("`stale` needs no rule: after the first request that prefers it, older states are stored")
  func stale() async throws {
    try await withStage { stage in
      let first = try exchange(stage.server, wire("GET", "/rooms.json", "Prefer: fault=stale"))
      #expect(
        first["Understudy-Fault"]
          == "stale not deliverable: older states are stored from now on; change the state, and try again")
      #expect(try exchange(stage.server, Stage.write).status == 200)
      let current = try exchange(stage.server, wire("GET", "/rooms.json"))
      let stale = try exchange(stage.server, wire("GET", "/rooms.json", "Prefer: fault=stale"))
      #expect(stale["Preference-Applied"] == "fault=stale" && stale["Understudy-Fault"] == "stale by 1")
      #expect(current.text.contains("\"Ljerka\",\"spots\":42,") && stale.text.contains("\"Ljerka\",\"spots\":43,"))
      #expect(current["ETag"] != stale["ETag"])
      let write = wire("POST", "/book", "Prefer: fault=stale", body: "{\"name\":\"Ljerka\"}")
      let refused = try exchange(stage.server, write)
      #expect(refused["Understudy-Fault"] == "stale not deliverable: the request changes state")
      let older = try exchange(stage.server, wire("GET", "/rooms.json", "Prefer: fault=stale; versions=2"))
      #expect(older["Understudy-Fault"]?.contains("are stored from now on") == true, "\(older.head)")
    }
  }

  @Test("a preferred 401 has a challenge, and a preferred 405 the other methods of the path")
  func challenges() async throws {
    try await withStage { stage in
      func fields(_ code: Int, _ method: String, _ target: String, _ name: String) throws -> String? {
        try exchange(stage.server, wire(method, target, "Prefer: code=\(code)"))[name]
      }
      let challenge = try fields(401, "GET", "/devices", "WWW-Authenticate")
      #expect(challenge == "Bearer realm=\"understudy\"")
      #expect(try fields(405, "GET", "/devices", "Allow") == "OPTIONS")
      #expect(try fields(405, "PATCH", "/devices/WWM-0001-12", "Allow") == "GET, HEAD, OPTIONS")
      #expect(try fields(405, "POST", "/users", "Allow") == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
      #expect(try fields(405, "GET", "/unknown", "Allow") == "OPTIONS")
      #expect(try fields(407, "GET", "/devices", "Proxy-Authenticate") != nil)
      #expect(try fields(426, "GET", "/devices", "Upgrade") == "HTTP/1.1")
      #expect(try fields(503, "GET", "/devices", "Allow") == nil)
    }
  }
}
