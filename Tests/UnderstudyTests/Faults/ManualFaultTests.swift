import Faults
import JSON
import Testing

@testable import Understudy

@Suite("A fault by hand")
struct ManualFaultTests {
  private static let lost =
    #"{"match":{"method":"POST","path":"/book"},"phase":"after","effect":{"fault":"reset"},"count":1}"#

  @Test("affects the next request that it matches, and no further one")
  func affectsTheNext() async throws {
    try await withStage { stage in
      let armed = try stage.json("/_mock/faults", "POST", Self.lost)
      #expect(armed["id"] == 1 && armed["remaining"] == 1 && armed["effect"] == ["fault": "reset"])
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200, "another request is not affected")
      #expect(try stage.json("/_mock/faults")["faults"]?.array == [armed])
      #expect(throws: (any Error).self) { try exchange(stage.server, Stage.write) }
      #expect(try stage.isChanged(), "the booking was made")
      #expect(try stage.json("/_mock/faults")["faults"] == [])
      #expect(try exchange(stage.server, Stage.write).status == 200)
      #expect(try stage.requests()[1]["plan", "words"] == #"reset after commit (rule "by hand 1")"#)
    }
  }

  @Test("leaves the scenario as it is armed, and takes effect before its rules")
  func precedesTheScenario() async throws {
    try await withStage(
      #"{"name":"second","when":{"requests":"2...2"},"effect":{"status":503}}"#,
      #"{"name":"slow","effect":{"latency":"1ms"}}"#
    ) { stage in
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      _ = try stage.json("/_mock/faults", "POST", #"{"effect":{"status":418},"count":1}"#)
      let response = try exchange(stage.server, wire("GET", "/users/1"))
      #expect(response.status == 418, "the first fault wins")
      #expect(response["Understudy-Fault"] == #"latency 1ms; status 418 (rules "by hand 1", "slow")"#)
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      #expect(try stage.requests().compactMap { $0["n"]?.int } == [1, 2, 3], "requests are counted on")
    }
  }

  @Test("affects each request until it is removed, by its id or with all others")
  func affectsEach() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"match":{"path":"/users/*"},"effect":{"status":500}}"#)
      _ = try stage.json("/_mock/faults", "POST", #"{"match":{"path":"/devices"},"effect":{"status":502}}"#)
      for _ in 1...3 { #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 500) }
      #expect(try exchange(stage.server, wire("DELETE", "/_mock/faults/1")).status == 204)
      #expect(try exchange(stage.server, wire("DELETE", "/_mock/faults/1")).status == 404)
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      #expect(try exchange(stage.server, wire("GET", "/devices")).status == 502)
      #expect(try exchange(stage.server, wire("DELETE", "/_mock/faults")).status == 204)
      #expect(try exchange(stage.server, wire("GET", "/devices")).status == 200)
    }
  }

  @Test("survives a new scenario, and not a reset")
  func survivesAScenario() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"effect":{"status":500}}"#)
      _ = try stage.json("/_mock/scenario", "PUT", "\"calm\"")
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 500)
      _ = try stage.json("/_mock/reset", "POST")
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      #expect(try stage.json("/_mock/faults")["faults"] == [])
    }
  }

  @Test("counts down when several requests are to fail, and yields to the request's own preference")
  func countsDown() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"effect":{"status":500},"count":2}"#)
      #expect(try exchange(stage.server, wire("GET", "/users/1", "Prefer: status=418")).status == 418)
      for status in [500, 500, 200] { #expect(try exchange(stage.server, wire("GET", "/users/1")).status == status) }
    }
  }

  @Test("is not used up by a request whose response cannot have it")
  func staysUntilDelivered() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"effect":{"fault":"drift"},"count":1}"#)
      let armed = try stage.json("/_mock/faults")
      let whole = try exchange(stage.server, wire("HEAD", "/users/1"))
      #expect(whole["Understudy-Fault"]?.contains("drift not deliverable") == true)
      #expect(try stage.json("/_mock/faults") == armed, "the fault is still armed")
      let drifted = try exchange(stage.server, wire("GET", "/users/1"))
      #expect(drifted["Understudy-Fault"]?.hasPrefix("drift: ") == true)
      #expect(try stage.json("/_mock/faults")["faults"] == [])
    }
  }

  @Test("stays removed, though a request that it was planned for turns out not to have it", arguments: [false, true])
  func staysRemoved(removesAll: Bool) throws {
    var faults = ManualFaults()
    let rule = try Scenarios.rule(["effect": ["fault": "drift"]])
    let fault = faults.add(rule, count: 1, seed: 1)
    let stream = RequestKey(api: "users", method: "GET", path: "/users/1")
    let context = RequestContext(stream: stream, position: .ordinal(1), changes: false)
    let plan = try #require(faults.takePlan(for: context) { _ in nil })
    if removesAll { faults.removeAll() } else { _ = faults.remove(fault.id) }
    faults.uncount(plan.rules)
    #expect(faults.all.isEmpty)
  }

  @Test("counts only the requests that have it, and keeps its place before newer ones")
  func keepsItsPlace() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"effect":{"fault":"drift"},"count":2}"#)
      _ = try stage.json("/_mock/faults", "POST", #"{"effect":{"latency":"1ms"},"count":1}"#)
      let plans = try ["HEAD", "GET", "HEAD", "GET", "HEAD"].map { method in
        try exchange(stage.server, wire(method, "/devices"))["Understudy-Fault"] ?? "no fault"
      }
      #expect(plans.map { $0.prefix { $0.isLetter } } == ["drift", "drift", "drift", "drift", "latency"], "\(plans)")
      #expect(try stage.json("/_mock/faults")["faults"] == [], "a delay is delivered to every request")
    }
  }

  @Test("is in the plans of the requests that it will affect")
  func isPlanned() async throws {
    try await withStage(#"{"name":"slow","effect":{"latency":"1ms"}}"#) { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"match":{"path":"/users/*"},"effect":{"status":503},"count":2}"#)
      for _ in 1...2 {
        let plans = try stage.json("/_mock/plan?method=GET&path=/users/1&count=3")["plan"]?.array ?? []
        #expect(plans.map { $0["status"]?.int } == [503, 503, nil], "a preview uses nothing up")
        #expect(plans.map { $0["rules"]?.array?.last } == ["slow", "slow", "slow"])
      }
      #expect(try stage.json("/_mock/plan?method=GET&path=/devices&count=1")["plan"]?.array?.first?["status"] == nil)
    }
  }

  @Test("can need an older state, which is stored from then on")
  func storesOlderStates() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"match":{"path":"/rooms"},"effect":{"fault":"stale"},"count":1}"#)
      _ = try exchange(stage.server, Stage.write)
      let stale = try exchange(stage.server, wire("GET", "/@booking/rooms"))
      #expect(stale["Understudy-Fault"] == #"stale by 1 (rule "by hand 1")"#)
      #expect(try stale.text != exchange(stage.server, wire("GET", "/@booking/rooms")).text)
    }
  }

  @Test("is armed and removed with an event in the journal, which the removal of none does not have")
  func isRecorded() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/faults", "POST", #"{"effect":{"status":500}}"#)
      for _ in 1...2 { #expect(try exchange(stage.server, wire("DELETE", "/_mock/faults")).status == 204) }
      let events = try stage.journal().map { $0["event"]?.string }
      #expect(events == ["armed a fault by hand: status 500, each request", "removed all faults by hand"])
    }
  }

  @Test("over the limit is refused, and accepted after another was removed")
  func limit() async throws {
    try await withStage { stage in
      let fault = wire("POST", "/_mock/faults", body: #"{"effect":{"latency":"1ms"}}"#)
      let statuses = try (0...ManualFaults.maximumCount).map { _ in try exchange(stage.server, fault).status }
      #expect(statuses.firstIndex(of: 507) == ManualFaults.maximumCount)
      #expect(try exchange(stage.server, wire("DELETE", "/_mock/faults/1")).status == 204)
      #expect(try exchange(stage.server, fault).status == 201)
    }
  }

  @Test(
    "is refused with the reason",
    arguments: [
      (#"{"effect":{"fault":"rest"},"count":1}"#, "/effect/fault", "did you mean reset?"),
      (#"{"effect":{"status":500},"count":0}"#, "/count", "expected an integer from 1 to 1000"),
      (#"{"effect":{"offline":true}}"#, "/effect", "PATCH /_mock/network"),
      (#"{"name":"mine","effect":{"status":500}}"#, "/name", "named by its id"),
      (#"{"match":{"path":"/nothing"},"effect":{"status":500}}"#, "/match/path", "expected"),
    ])
  func refuses(body: String, pointer: String, words: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("POST", "/_mock/faults", body: body))
      #expect(response.status == 400)
      let error = try #require(try JSONValue(parsing: response.body)["errors"]?.array?.first)
      #expect(error["pointer"] == .string(pointer))
      #expect(error["detail"]?.string?.contains(words) == true, "\(error.text)")
    }
  }
}
