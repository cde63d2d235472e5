import Contract
import LiveTesting
import Testing

@testable import Faults
@testable import Primitives
@testable import Report
@testable import Understudy

@Suite("The report's verdicts")
struct VerdictTests {
  @Test("the checks are not exercised by a client without requests")
  func silence() {
    let findings = Traffic().findings(rules: ["a rule"])
    #expect(findings.count == CheckRunner.ids.count && Set(CheckRunner.ids).count == CheckRunner.all.count)
    #expect(findings.values.allSatisfy { $0.verdict == .notExercised && $0.evidence.isEmpty })
  }

  @Test("each mistake is found by its own check only", arguments: Mistake.allCases)
  func mistakes(mistake: Mistake) throws {
    var traffic = Traffic()
    var hash = SplitMix64(seed: 1)
    mistake.play(&traffic, &hash)
    #expect(traffic.complaints() == [mistake.check: mistake.verdict])
    let finding = try #require(traffic.findings()[mistake.check])
    #expect(!finding.evidence.isEmpty && finding.evidence.count <= Evidence.maximumIDs)
    #expect(finding.sentence.contains { $0.isNumber } && finding.sentence.hasSuffix("."))
  }

  @Test("needless reads are cited all, after the response that made them needless, up to a limit", arguments: [5, 40])
  func needlessReads(count: Int) throws {
    var (lists, tags) = (Traffic(), Traffic())
    for _ in 0..<count {
      lists.answered(304, "GET", "/rooms.json") { $0.operation = .named("listBookingRooms") }
      lists.wait(.seconds(6))
      tags.answered(200, "GET", "/devices/1") { $0.tag = 1 }
      tags.wait(.seconds(6))
    }
    let cited = Array(1...min(count, Evidence.maximumIDs))
    #expect(lists.findings()[Freshness.id]?.evidence == cited)
    #expect(tags.findings()[ConditionalRequests.id]?.evidence == cited)
  }

  @Test("a client without mistakes exercises and passes all checks")
  func virtue() {
    var traffic = Traffic()
    var client = WellBehaved(seed: 4)
    client.play(&traffic, steps: 80)
    let findings = traffic.findings(rules: ["lost", "silence"])
    // The condition is malformed, or of another record, so the request does not meet it.
    let idle: Set = [DamagedReplyTrusted.id, LostUpdate.id, Freshness.id, StreamResumed.id, KeysKept.id]
    for (id, finding) in findings {
      #expect(finding.verdict == (idle.contains(id) ? .notExercised : .pass), "\(id): \(finding.sentence)")
    }
  }

  @Test("no check fails for generated histories without mistakes")
  func falsePositives() {
    var accused: [String: Int] = [:]
    for seed in UInt64(1)...UInt64(WholeProof.rounds(100, of: 500)) {
      var traffic = Traffic()
      var client = WellBehaved(seed: seed)
      client.play(&traffic, steps: 5 + Int(seed % 36))
      for (id, finding) in traffic.findings(rules: ["lost", "silence"])
      where finding.verdict == .fail {
        accused[id, default: 0] += 1
        Issue.record("seed \(seed): \(id): \(finding.sentence)")
      }
    }
    #expect(accused.isEmpty)
  }

  @Test("one mistake among correct clients is found in each of many generated histories, and nothing else fails")
  func falseNegatives() {
    for seed in UInt64(1)...UInt64(WholeProof.rounds(100, of: 500)) {
      let mistake = Mistake.allCases[Int(seed) % Mistake.allCases.count]
      var traffic = Traffic()
      var client = WellBehaved(seed: seed)
      client.play(&traffic, steps: Int(seed % 10))
      mistake.play(&traffic, &client.hash)
      traffic.wait(.seconds(70))
      client.play(&traffic, steps: Int(seed % 10))
      let failed = traffic.complaints(rules: []).filter { $0.value == .fail || $0.key == mistake.check }
      #expect(failed == [mistake.check: mistake.verdict], "seed \(seed): \(mistake)")
    }
  }

  @Test("the report names rules that matched no request or could not be applied")
  func unmetRules() throws {
    var traffic = Traffic()
    traffic.lost("PATCH", "/devices/1")
    traffic.exchange("PATCH", "/devices/1") { seen in
      seen.outcome = .notDeliverable
      seen.planned = Plan(seen.planned.position, Fault(.ending(.badChunk), rule: "chunks", changes: true))
      seen.planned.change { $0.rules = ["chunks"] }
    }
    let finding = try #require(traffic.findings(rules: ["lost", "chunks", "never"])[FaultsDelivered.id])
    #expect(finding.verdict == .warn)
    #expect(finding.sentence.contains("2 of 3 rules"))
    #expect(finding.sentence.contains("“chunks” (all requests, not deliverable 1 time)"))
    #expect(finding.sentence.contains("“never”"))
    #expect(finding.evidence == [2])
  }

  @Test("a connection that was refused while offline has met its rule")
  func refused() {
    var runner = CheckRunner()
    func verdict() -> Verdict? {
      let context = CheckContext(now: MonotonicInstant(nanoseconds: 0))
      return runner.findings(context).findings.first { $0.id == FaultsDelivered.id }?.finding.verdict
    }
    runner.record(.armed(rules: [ArmedRule("tunnel")]))
    #expect(verdict() == .notExercised)
    runner.record(.refused(rules: ["tunnel"]))
    #expect(verdict() == .pass)
  }

  @Test("a lost response is judged after thirty seconds or at the end, and is followed up by a read or a later write")
  func lostReplies() {
    var traffic = Traffic()
    traffic.lost("PATCH", "/devices/1")
    traffic.wait(.seconds(5))
    let id = LostReplyFollowedUp.id
    #expect(traffic.findings(isFinal: false)[id]?.verdict == .notExercised)
    #expect(traffic.findings(isFinal: true)[id]?.verdict == .fail)
    var looks = traffic
    looks.answered(200, "GET", "/devices")
    #expect(looks.findings()[id]?.verdict == .pass)
    var looksElsewhere = traffic
    looksElsewhere.answered(200, "GET", "/rooms.json")
    #expect(looksElsewhere.findings()[id]?.verdict == .fail)
    var another = traffic
    another.answered(200, "GET", "/devices", client: 8)
    #expect(another.findings()[id]?.verdict == .fail)
    var writes = traffic
    writes.answered(200, "PATCH", "/devices/1") { $0.intent = Intent(.sets, record: $0.pathHash, meaning: 5) }
    #expect(writes.findings()[id]?.verdict == .pass)
    traffic.wait(.seconds(26))
    #expect(traffic.findings(isFinal: false)[id]?.verdict == .fail)
  }

  @Test(
    "polling at a constant interval during failures is not a retry, even if it is fast",
    arguments: [Duration.milliseconds(1_480), .milliseconds(4_980)])
  func poller(interval: Duration) {
    var traffic = Traffic()
    for turn in 0..<30 {
      traffic.answered((5..<25).contains(turn) ? 503 : 304, "GET", "/rooms.json")
      traffic.wait(interval)
    }
    #expect(traffic.complaints().isEmpty)
  }

  @Test("a booking that the transport repeats is a warning")
  func duplicates() {
    let applied: (Int) -> (inout Observation) -> Void = { version in
      { seen in
        seen.isApplied = true
        seen.versions = version..<version + 1
      }
    }
    var transport = Traffic()
    transport.lost("POST", "/book", applied(0))
    transport.answered(200, "POST", "/book") { seen in
      applied(1)(&seen)
      seen.replayOf = 1
    }
    #expect(transport.complaints() == [NoDuplicateEffect.id: .warn])
    #expect(transport.findings()[RetryAmplification.id]?.verdict == .notExercised)
  }

  @Test("retries that are no load are named as such, and not as one attempt each")
  func oneAttempt() {
    var traffic = Traffic()
    traffic.answered(503, "GET", "/devices/1")
    traffic.wait(.seconds(11))
    traffic.answered(200, "GET", "/devices/1")
    let sentence = traffic.findings()[RetryAmplification.id]?.sentence
    #expect(
      sentence
        == "Requests were tried again 1 time, only in or after an outage, after Retry-After, or after more than 10 s.")
  }

  @Test("the evidence of too many attempts begins with the first")
  func amplificationEvidence() {
    var traffic = Traffic()
    for attempt in 0..<9 {
      traffic.answered(503, "GET", "/devices/1")
      traffic.wait(.milliseconds(15 << attempt))
    }
    #expect(traffic.findings()[RetryAmplification.id]?.evidence == [1, 2, 3, 4, 5, 6, 7, 8, 9])
  }

  @Test("the weather's routes have separate polling intervals, and only tags that a client received count")
  func weatherAndTags() {
    var traffic = Traffic()
    for operation in ["getWeatherCold", "getWeatherHot"] {
      traffic.answered(200, "GET", "/weather/" + operation) { $0.operation = .named(operation) }
      traffic.wait(.seconds(1))
    }
    #expect(traffic.complaints().isEmpty)
    for _ in 0..<4 {
      traffic.answered(200, "GET", "/weather/hot") { $0.operation = .named("getWeatherHot") }
      traffic.wait(.seconds(5))
    }
    #expect(traffic.complaints() == [PollingInterval.id: .fail])
    var invented = Traffic()
    for tag in UInt64(100)...104 {
      invented.answered(200, "GET", "/devices/1") { seen in
        seen.tag = 5
        seen.namedTags = [tag]
      }
      invented.wait(.seconds(20))
    }
    #expect(invented.complaints() == [ConditionalRequests.id: .warn])
  }

  @Test("all tables are bounded, however long a run is")
  func bounds() {
    var checks = JudgedTraffic()
    var seen = Observation.answered
    seen.status = 503
    let count = WholeProof.rounds(3_000, of: 11_000)
    for number in 1...count {
      seen.id = number
      seen.client = UInt64(number)
      seen.target = Array("/devices/\(number)".utf8)[...]
      seen.arrival = MonotonicInstant(nanoseconds: Int64(number) * 1_000_000)
      seen.end = seen.arrival
      seen.identify()
      checks.observe(seen)
    }
    #expect(checks.timeline.count <= OpenRequests.maximumCount + LogicalRequests.maximumFinished)
    #expect(checks.exchanges == count)
  }
}
