import Contract
import Faults
import Testing

@testable import Understudy

/// Courses of events that were judged wrongly once, or that only one check can tell.
@Suite("Who is accused, and who is not")
struct JusticeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: [String: Verdict]
    let play: @Sendable (inout Scene) -> Void

    init(_ name: String, _ expected: [String: Verdict] = [:], play: @escaping @Sendable (inout Scene) -> Void) {
      (testDescription, self.expected, self.play) = (name, expected, play)
    }
  }

  /// A booking that was applied as the change to a version.
  private static func booked(_ version: Int, key: UInt64? = nil) -> (inout Observation) -> Void {
    { seen in
      seen.isApplied = true
      seen.versions = version..<version + 1
      seen.key = key
      seen.effect = .take(.spots(of: "Ljerka"))
      seen.connection = version + 1
    }
  }

  private static func unnamed(_ change: @escaping (inout Observation) -> Void) -> (inout Observation) -> Void {
    { seen in
      change(&seen)
      seen.isNamed = false
    }
  }

  private static func slow(_ seen: inout Observation, end: Duration) {
    seen.outcome = .peerGone
    seen.status = nil
    seen.end = seen.arrival + end
  }

  private static let duplicates = [
    Case("a write that was only slow, and the same again that ended before it", [NoDuplicateEffect.id: .fail]) {
      scene in
      scene.exchange("POST", "/book", took: .zero) { seen in
        booked(0)(&seen)
        slow(&seen, end: .seconds(3))
      }
      scene.wait(.milliseconds(1_500))
      scene.answered(200, "POST", "/book", booked(1))
      scene.wait(.seconds(5))
    },
    Case("a write that was hedged and had two answers", [NoDuplicateEffect.id: .fail]) { scene in
      scene.exchange("POST", "/book", took: .zero) { seen in
        booked(0)(&seen)
        seen.end = seen.arrival + .seconds(2)
      }
      scene.wait(.milliseconds(100))
      scene.exchange("POST", "/book", took: .seconds(2), booked(1))
    },
    Case("two bookings of one client at the same moment") { scene in
      for version in 0..<2 {
        scene.exchange("POST", "/book", took: .zero) { seen in
          booked(version)(&seen)
          seen.end = seen.arrival + .seconds(2)
        }
        scene.wait(.milliseconds(5))
      }
    },
    Case("a second booking on purpose after a drifted answer", [NoDuplicateEffect.id: .warn]) { scene in
      scene.answered(200, "POST", "/book") { seen in
        booked(0, key: 1)(&seen)
        seen.plan.fault = Fault(.damage(.drift), phase: .after, rule: "drift", changes: true)
      }
      scene.wait(.seconds(4))
      scene.answered(200, "POST", "/book", booked(1, key: 2))
    },
    Case("a duplicate behind a steady poll", [NoDuplicateEffect.id: .fail]) { scene in
      for _ in 0..<4 {
        scene.answered(200, "GET", "/rooms.json")
        scene.wait(.seconds(1))
      }
      scene.lost("POST", "/book", booked(0))
      scene.wait(.milliseconds(960))
      scene.answered(200, "GET", "/rooms.json")
      scene.wait(.milliseconds(100))
      scene.answered(200, "POST", "/book", booked(1))
    },
    Case("a duplicate that did not wait for what its client looked at", [NoDuplicateEffect.id: .fail]) { scene in
      scene.lost("POST", "/book", booked(0))
      scene.wait(.milliseconds(300))
      scene.exchange("GET", "/rooms.json", took: .zero) { $0.end = $0.arrival + .seconds(1) }
      scene.wait(.milliseconds(20))
      scene.answered(200, "POST", "/book", booked(1))
    },
    Case("a duplicate of one address under another User-Agent", [NoDuplicateEffect.id: .warn]) { scene in
      scene.lost("POST", "/book", client: 7, unnamed(booked(0)))
      scene.answered(200, "GET", "/rooms.json", client: 7)
      scene.wait(.seconds(1))
      scene.answered(200, "POST", "/book", client: 8, unnamed(booked(1)))
    },
    Case("two people at one address, each with a key") { scene in
      scene.lost("POST", "/book", unnamed(booked(0, key: 1)))
      scene.wait(.seconds(1))
      scene.answered(200, "POST", "/book", unnamed(booked(1, key: 2)))
      scene.wait(.seconds(1))
      scene.answered(200, "POST", "/book") { seen in
        (seen.key, seen.isNamed) = (1, false)
      }
    },
  ]

  private static let refusals = [
    Case("one person's first request after the other's 429", [RetryAfterHonoured.id: .warn]) { scene in
      scene.answered(429, retryAfter: .seconds(5)) { $0.isNamed = false }
      scene.wait(.milliseconds(300))
      scene.answered(200) { $0.isNamed = false }
    },
    Case("an unnamed client that comes early again and again", [RetryAfterHonoured.id: .fail]) { scene in
      for _ in 0..<3 {
        scene.answered(503, retryAfter: .seconds(5)) { $0.isNamed = false }
        scene.wait(.milliseconds(300))
      }
    },
    Case("other targets while a limit's Retry-After runs", [RetryAfterHonoured.id: .fail]) { scene in
      for number in 0..<5 {
        scene.answered(429, "GET", "/devices/\(number)", retryAfter: .seconds(20))
        scene.wait(.milliseconds(700))
      }
    },
    Case("a full room that several people ask for") { scene in
      for _ in 0..<4 {
        scene.answered(409, "POST", "/book") { $0.isNamed = false }
        scene.wait(.seconds(2))
      }
    },
    Case("Retry-After obeyed six times") { scene in
      for _ in 0..<9 {
        scene.answered(503, retryAfter: .seconds(1))
        scene.wait(.seconds(1))
      }
      scene.answered(200)
    },
    Case("attempts that an outage refused") { scene in
      for attempt in 0..<9 {
        scene.exchange { seen in
          seen.outcome = .reset
          seen.status = nil
          seen.plan.fault = Fault(.ending(.offline), rule: "tunnel", changes: false)
        }
        scene.wait(.milliseconds(20 << attempt))
      }
      scene.answered(200)
    },
    Case("a record that is waited for", [NoRetryOf4xx.id: .warn]) { scene in
      for _ in 0..<9 {
        scene.answered(404, "GET", "/devices/new")
        scene.wait(.milliseconds(200))
      }
      scene.answered(200, "GET", "/devices/new")
    },
  ]

  private static let waits = [
    Case("a breaker's probes each five seconds") { scene in
      for _ in 0..<9 {
        scene.answered(500)
        scene.wait(.seconds(5))
      }
    },
    Case("waits that shrink", [BackoffGrows.id: .fail]) { scene in
      for wait in [800, 400, 200, 100] {
        scene.answered(503)
        scene.wait(.milliseconds(wait))
      }
      scene.answered(200)
    },
    Case("fixed waits of two routes", [BackoffGrows.id: .fail]) { scene in
      for (route, operation, wait) in [("/devices", "listDevices", 500), ("/activities", "listActivities", 2_000)] {
        for _ in 0..<4 {
          scene.answered(503, "GET", route) { $0.operation = .named(operation) }
          scene.wait(.milliseconds(wait))
        }
        scene.answered(200, "GET", route) { $0.operation = .named(operation) }
      }
    },
    Case("many clients that meet") { scene in
      for client in 0..<120 { scene.answered(503, client: UInt64(1_000 + client)) }
      for client in 0..<120 {
        scene.wait(.milliseconds(2))
        scene.exchange(client: UInt64(1_000 + client), took: .zero)
      }
    },
    Case("one tap that sends a batch again") { scene in
      for number in 0..<6 { scene.answered(503, "PATCH", "/devices/\(number)") }
      scene.wait(.seconds(2))
      for number in 0..<6 { scene.answered(200, "PATCH", "/devices/\(number)") }
    },
    Case("a clock that was advanced while a client looked after its write") { scene in
      scene.lost("PATCH", "/devices/1")
      scene.wait(.seconds(600))
      scene.answered(200) { $0.advanced = .seconds(600) ... .seconds(600) }
    },
    Case("waits that are alike because somebody advanced the clock") { scene in
      for number in 0..<6 {
        let advanced = Duration.seconds(number * 2)
        scene.answered(503) { $0.advanced = advanced...advanced }
        scene.wait(.seconds(2))
      }
    },
    Case("a search that is typed") { scene in
      for text in ["l", "lj", "lje"] {
        scene.exchange("GET", "/users?q=\(text)", took: .milliseconds(200)) { seen in
          seen.place = 9
          seen.outcome = .peerGone
          seen.status = nil
          seen.plan.fault = Fault(.ending(.hang(Hold())), changes: false)
        }
        scene.wait(.milliseconds(50))
      }
      scene.answered(200, "GET", "/users?q=ljer") { $0.place = 9 }
    },
    Case("slow responses that nobody waits for", [TimeoutsSane.id: .warn]) { scene in
      for number in 0..<4 {
        scene.exchange("GET", "/devices/\(number)", took: .zero) { slow(&$0, end: .seconds(2)) }
        scene.wait(.milliseconds(2_100 + number * 137))
        scene.answered(200, "GET", "/devices/\(number)")
      }
    },
  ]

  private static let outcomes = [
    Case("a 502 behind which the write was done, forgotten", [LostReplyFollowedUp.id: .fail]) { scene in
      scene.answered(502, "POST", "/book", booked(0))
      scene.wait(.seconds(45))
    },
    Case("a hedge whose other half was answered") { scene in
      scene.exchange("POST", "/book", took: .zero) { seen in
        booked(0, key: 1)(&seen)
        seen.end = seen.arrival + .seconds(1)
      }
      scene.wait(.milliseconds(800))
      scene.lost("POST", "/book") { $0.key = 1 }
      scene.wait(.seconds(45))
    },
    Case("a lost write that only a poll showed", [LostReplyFollowedUp.id: .warn]) { scene in
      for _ in 0..<4 {
        scene.answered(200)
        scene.wait(.seconds(5))
      }
      scene.lost("PATCH", "/devices/1")
      for _ in 0..<8 {
        scene.wait(.seconds(5))
        scene.answered(200)
      }
    },
    Case("a portal's page taken for a success", [DamagedReplyTrusted.id: .fail]) { scene in
      scene.answered(200, "PATCH", "/devices/1") { seen in
        seen.plan.fault = Fault(.damage(.captivePortal), rule: "portal", changes: true)
      }
      scene.wait(.seconds(45))
    },
    Case("a portal's page that a client looked behind") { scene in
      scene.answered(200, "PATCH", "/devices/1") { seen in
        seen.plan.fault = Fault(.damage(.captivePortal), rule: "portal", changes: true)
      }
      scene.wait(.seconds(2))
      scene.answered(200)
    },
    Case("a body that was cut, and kept with its tag", [DamagedReplyTrusted.id: .fail]) { scene in
      scene.lost("GET") { seen in
        seen.status = 200
        seen.tag = 5
      }
      scene.wait(.seconds(2))
      scene.answered(304) { $0.namedTags = [5] }
    },
    Case("a write refused for now and never tried again", [GaveUpAtOnce.id: .warn]) { scene in
      scene.answered(503, "POST", "/book")
      scene.wait(.seconds(45))
    },
    Case("a read refused for now and never tried again") { scene in
      scene.answered(503)
      scene.wait(.seconds(45))
    },
    Case("one key for two writes", [KeyReuse.id: .fail]) { scene in
      scene.answered(200, "POST", "/book") { seen in
        (seen.key, seen.body) = (1, 1)
      }
      scene.wait(.seconds(5))
      scene.answered(422, "POST", "/book") { seen in
        (seen.key, seen.body) = (1, 2)
      }
    },
    Case("one key for ever", [KeyReuse.id: .fail]) { scene in
      for _ in 0..<4 {
        scene.answered(200, "POST", "/book") { $0.key = 1 }
        scene.wait(.seconds(5))
      }
    },
    Case("a tap too many, and a retry after an answer") { scene in
      for wait in [100, 100, 9_000, 0] {
        scene.answered(200, "POST", "/book") { $0.key = 1 }
        scene.wait(.milliseconds(wait))
      }
    },
    Case("a room's list asked for again and again within its max-age", [Freshness.id: .warn]) { scene in
      for _ in 0..<5 {
        scene.answered(304, "GET", "/rooms.json") { $0.operation = .named("listBookingRooms") }
        scene.wait(.seconds(6))
      }
    },
    Case("pulls to refresh") { scene in
      for _ in 0..<5 {
        scene.answered(304, "GET", "/rooms.json") { seen in
          seen.operation = .named("listBookingRooms")
          seen.isRefresh = true
        }
        scene.wait(.seconds(6))
      }
    },
  ]

  @Test("is judged as it is", arguments: duplicates + refusals + waits + outcomes)
  func judged(course: Case) {
    var scene = Scene()
    course.play(&scene)
    let findings = scene.findings()
    for id in Examination.ids where id != FaultsDelivered.id {
      guard let finding = findings[id] else { continue }
      let verdict = finding.verdict > .pass ? finding.verdict : nil
      #expect(verdict == course.expected[id], "\(id): \(finding.sentence)")
      if verdict != nil { #expect(!finding.evidence.isEmpty && finding.sentence.hasSuffix("."), "\(finding.sentence)") }
    }
  }

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
    #expect(check.finding(Judgement(now: Tick(nanoseconds: 0))).verdict == .pass)
    seen.api = API.all.firstIndex { $0.name == "house" }
    check.observe(seen, .first)
    #expect(check.finding(Judgement(now: Tick(nanoseconds: 0))).verdict == .warn)
  }

  @Test("of two overlapping resets the older one may end later")
  func resets() {
    var audit = Audit()
    audit.note(.replaced(.booking(version: 0), at: Tick(nanoseconds: 0)))
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
    let state = Judgement.State(version: 3, value: { _ in "false" }, counters: [.spots(of: "Ljerka"): 1_000])
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
