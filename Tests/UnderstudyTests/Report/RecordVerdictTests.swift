import Contract
import Faults
import Testing

@testable import Understudy

@Suite("What the report makes of records, rules and resets")
struct RecordVerdictTests {
  @Test("a write over an unseen change is a warning, unless its client read again or sent If-Match")
  func lostUpdate() {
    func verdict(reads: Bool = false, isConditional: Bool = false) -> Verdict? {
      var scene = Scene()
      let record = Observation.hash("d1")
      func read(_ seen: inout Observation, at version: Int) {
        seen.intent = Intent(.reads, record: record)
        (seen.tag, seen.versions) = (UInt64(version), version..<version)
      }
      func write(_ seen: inout Observation, at version: Int) {
        seen.operation = .named("patchDevice")
        seen.intent = Intent(.sets, record: record, members: ["type"], meaning: UInt64(version))
        (seen.isApplied, seen.versions) = (true, version..<version + 1)
      }
      scene.answered(200, "GET", "/devices/d1", client: 1) { read(&$0, at: 0) }
      scene.answered(200, "PATCH", "/devices/d1", client: 2) { write(&$0, at: 0) }
      if reads { scene.answered(200, "GET", "/devices/d1", client: 1) { read(&$0, at: 1) } }
      scene.answered(200, "PATCH", "/devices/d1", client: 1) { seen in
        write(&seen, at: 1)
        seen.isConditionalWrite = isConditional
      }
      return scene.findings()[LostUpdate.id]?.verdict
    }
    #expect(verdict() == .warn)
    #expect(verdict(reads: true) == .notExercised)
    #expect(verdict(isConditional: true) == .pass)
  }

  @Test("sentences name the request and its client, and say how to tell clients apart")
  func sentences() throws {
    var scene = Scene()
    for _ in 0..<2 {
      scene.answered(503, "GET", "/devices/7", retryAfter: .seconds(5)) { seen in
        (seen.isNamed, seen.peer, seen.clientText) = (false, "10.0.0.9", Array("curl/8".utf8)[...])
      }
      scene.wait(.seconds(1))
    }
    let sentence = try #require(scene.findings()[RetryAfterHonoured.id]?.sentence)
    #expect(sentence.contains("GET /devices/7 by the client at 10.0.0.9 (curl/8)"))
    #expect(sentence.contains("Understudy-Client"))
  }

  @Test("rules of rivals strike by what rivals do, and rules about APIs that nobody used are not held against the run")
  func rivals() {
    var check = FaultsDelivered()
    check.note(
      .armed(rules: [ArmedRule("rush", isOfRivals: true), ArmedRule("slow house", api: "house")]))
    check.note(.rival(takes: true, versions: 0..<1, rules: ["rush"]))
    var seen = Observation()
    seen.api = API.all.firstIndex { $0.name == "booking" }
    check.observe(seen, .first)
    #expect(check.finding(CheckContext(now: MonotonicInstant(nanoseconds: 0))).verdict == .pass)
    seen.api = API.all.firstIndex { $0.name == "house" }
    check.observe(seen, .first)
    #expect(check.finding(CheckContext(now: MonotonicInstant(nanoseconds: 0))).verdict == .warn)
  }

  @Test("of two overlapping resets the older one may end later")
  func resets() {
    var audit = Audit()
    audit.note(.replaced(.booking(version: 0), at: MonotonicInstant(nanoseconds: 0)))
    let record = Register.Record("activities", "1")
    func seen(_ id: Int, _ effect: Observation.Effect, _ version: Int) -> Observation {
      var seen = Observation()
      (seen.id, seen.isWrite, seen.isApplied, seen.versions, seen.effect) = (
        id, true, true, version..<version + 1, effect
      )
      return seen
    }
    let reset = Observation.Effect.restore(api: "activities", initial: { _ in "false" })
    audit.observe(seen(3, reset, 2))
    audit.observe(seen(2, .write([Register.Value(record, "is_archived", "true")]), 1))
    audit.observe(seen(1, reset, 0))
    var evidence = Evidence()
    let state = CheckContext.State(version: 3, value: { _ in "false" }, counters: [.spots(of: "Ljerka"): 1_000])
    #expect(audit.complaints(state, &evidence).isEmpty)
  }

  @Test("a reset stands in the history as a write of each register that it brought back")
  func historyOfResets() async throws {
    try await withServer { server in
      let patch = #"{"is_archived": true}"#
      #expect(try exchange(server, wire("PATCH", "/activities/7834", body: patch)).status == 200)
      #expect(try exchange(server, wire("GET", "/reset")).status == 200)
      #expect(try exchange(server, wire("GET", "/activities/7834")).status == 200)
      let lines = try exchange(server, wire("GET", "/_mock/history")).text.split(separator: "\n")
      #expect(lines.count == 6)
      let writes = lines.filter { $0.contains("\"write\"") && $0.contains("\"ok\"") && $0.contains("is_archived") }
      #expect(writes.count == 2 && writes[0].contains("true") && writes[1].contains("false"))
    }
  }
}
