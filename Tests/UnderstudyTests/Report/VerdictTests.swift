import Contract
import Faults
import Testing

@testable import Understudy

@Suite("The report's verdicts")
struct VerdictTests {
  @Test("a client that did nothing is not exercised, never passed")
  func silence() {
    let findings = Scene().findings(rules: ["a rule"])
    #expect(findings.count == CheckRunner.ids.count && Set(CheckRunner.ids).count == 18)
    #expect(findings.values.allSatisfy { $0.verdict == .notExercised && $0.evidence.isEmpty })
  }

  @Test("each mistake is found by its own check and by no other", arguments: Vice.allCases)
  func vices(vice: Vice) throws {
    var scene = Scene()
    var hash = WireRandom(seed: 1)
    vice.play(&scene, &hash)
    #expect(scene.complaints() == [vice.check: vice.verdict])
    let finding = try #require(scene.findings()[vice.check])
    #expect(!finding.evidence.isEmpty && finding.evidence.count <= Evidence.most)
    #expect(finding.sentence.contains { $0.isNumber } && finding.sentence.hasSuffix("."))
  }

  @Test("a virtuous client passes all checks, and has each of them exercised")
  func virtue() {
    var scene = Scene()
    var client = WellBehaved(seed: 4)
    client.play(&scene, steps: 80)
    let findings = scene.findings(rules: ["lost", "silence"], state: client.judged)
    // What is broken or somebody else's it does not meet.
    let idle: Set = [DamagedReplyTrusted.id, LostUpdate.id, Freshness.id]
    for (id, finding) in findings {
      #expect(finding.verdict == (idle.contains(id) ? .notExercised : .pass), "\(id): \(finding.sentence)")
    }
  }

  @Test("500 well-behaved histories: no check fails")
  func falsePositives() {
    var accused: [String: Int] = [:]
    for seed in UInt64(1)...500 {
      var scene = Scene()
      var client = WellBehaved(seed: seed)
      client.play(&scene, steps: 5 + Int(seed % 36))
      for (id, finding) in scene.findings(rules: ["lost", "silence"], state: client.judged)
      where finding.verdict == .fail {
        accused[id, default: 0] += 1
        Issue.record("seed \(seed): \(id): \(finding.sentence)")
      }
    }
    #expect(accused.isEmpty)
  }

  @Test("500 histories with one mistake among correct clients: each is found, and nothing else fails")
  func falseNegatives() {
    for seed in UInt64(1)...500 {
      let vice = Vice.allCases[Int(seed) % Vice.allCases.count]
      var scene = Scene()
      var client = WellBehaved(seed: seed)
      client.play(&scene, steps: Int(seed % 10))
      vice.play(&scene, &client.hash)
      scene.wait(.seconds(70))
      client.play(&scene, steps: Int(seed % 10))
      let failed = scene.complaints(rules: []).filter { $0.value == .fail || $0.key == vice.check }
      #expect(failed == [vice.check: vice.verdict], "seed \(seed): \(vice)")
    }
  }

  @Test("a rule that matched no request is named, and so is one that could not be applied")
  func unmetRules() throws {
    var scene = Scene()
    scene.lost("PATCH", "/devices/1")
    scene.exchange("PATCH", "/devices/1") { seen in
      seen.outcome = .notDeliverable
      seen.plan.fault = Fault(.ending(.badChunk), rule: "chunks", changes: true)
      seen.plan.rules = ["chunks"]
    }
    let finding = try #require(scene.findings(rules: ["lost", "chunks", "never"])[FaultsDelivered.id])
    #expect(finding.verdict == .warn)
    #expect(finding.sentence.contains("2 of 3 rules"))
    #expect(finding.sentence.contains("“chunks” (not deliverable 1 time)") && finding.sentence.contains("“never”"))
    #expect(finding.evidence == [2])
  }

  @Test("a connection that was refused while offline has met its rule")
  func refused() {
    var check = FaultsDelivered()
    check.note(.armed(rules: [ArmedRule("tunnel")]))
    #expect(check.finding(CheckContext(now: MonotonicInstant(nanoseconds: 0))).verdict == .notExercised)
    check.note(.refused(rules: ["tunnel"]))
    #expect(check.finding(CheckContext(now: MonotonicInstant(nanoseconds: 0))).verdict == .pass)
  }

  @Test("a lost reply is judged after thirty seconds or at the end, and a look or a later write settles it")
  func lostReplies() {
    var scene = Scene()
    scene.lost("PATCH", "/devices/1")
    scene.wait(.seconds(5))
    let id = LostReplyFollowedUp.id
    #expect(scene.findings(isFinal: false)[id]?.verdict == .notExercised)
    #expect(scene.findings(isFinal: true)[id]?.verdict == .fail)
    var looks = scene
    looks.answered(200, "GET", "/devices")
    #expect(looks.findings()[id]?.verdict == .pass)
    var looksElsewhere = scene
    looksElsewhere.answered(200, "GET", "/rooms.json")
    #expect(looksElsewhere.findings()[id]?.verdict == .fail)
    var another = scene
    another.answered(200, "GET", "/devices", client: 8)
    #expect(another.findings()[id]?.verdict == .fail)
    var writes = scene
    writes.answered(200, "PATCH", "/devices/1") { $0.intent = Intent(.sets, record: $0.place, meaning: 5) }
    #expect(writes.findings()[id]?.verdict == .pass)
    scene.wait(.seconds(26))
    #expect(scene.findings(isFinal: false)[id]?.verdict == .fail)
  }

  @Test("a poller that goes on at its pace while it fails is no retrier")
  func poller() {
    var scene = Scene()
    for turn in 0..<30 {
      scene.answered((5..<25).contains(turn) ? 503 : 304, "GET", "/rooms.json")
      scene.wait(.milliseconds(4_980))
    }
    #expect(scene.complaints().isEmpty)
  }

  @Test("a client that looks before it books again has made a new decision; a repetition by the transport is a warning")
  func duplicates() {
    let applied: (Int) -> (inout Observation) -> Void = { version in
      { seen in
        seen.isApplied = true
        seen.versions = version..<version + 1
      }
    }
    var scene = Scene()
    scene.lost("POST", "/book", applied(0))
    scene.answered(200, "GET", "/rooms.json")
    scene.answered(200, "POST", "/book", applied(1))
    #expect(scene.complaints().isEmpty)
    var transport = Scene()
    transport.lost("POST", "/book", applied(0))
    transport.answered(200, "POST", "/book") { seen in
      applied(1)(&seen)
      seen.replayOf = 1
    }
    #expect(transport.complaints() == [NoDuplicateEffect.id: .warn])
    #expect(transport.findings()[RetryAmplification.id]?.verdict == .notExercised)
  }

  @Test("a read that a person asks again is a warning, a third one too")
  func humanPace() {
    var scene = Scene()
    scene.answered(404, "GET", "/devices/none")
    scene.wait(.seconds(4))
    scene.answered(404, "GET", "/devices/none")
    #expect(scene.complaints() == [NoRetryOf4xx.id: .warn])
    scene.wait(.seconds(4))
    scene.answered(404, "GET", "/devices/none")
    #expect(scene.complaints() == [NoRetryOf4xx.id: .warn], "a third look, too")
  }

  @Test("the proof of too many attempts begins with the first")
  func amplificationEvidence() {
    var scene = Scene()
    for attempt in 0..<9 {
      scene.answered(503, "GET", "/devices/1")
      scene.wait(.milliseconds(15 << attempt))
    }
    #expect(scene.findings()[RetryAmplification.id]?.evidence == [1, 2, 3, 4, 5, 6, 7, 8, 9])
  }

  @Test("each route of the weather has its own minute, and only tags that a client was given count")
  func weatherAndTags() {
    var scene = Scene()
    for operation in ["getWeatherCold", "getWeatherHot"] {
      scene.answered(200, "GET", "/weather/" + operation) { $0.operation = .named(operation) }
      scene.wait(.seconds(1))
    }
    #expect(scene.complaints().isEmpty)
    for _ in 0..<4 {
      scene.answered(200, "GET", "/weather/hot") { $0.operation = .named("getWeatherHot") }
      scene.wait(.seconds(5))
    }
    #expect(scene.complaints() == [PollingInterval.id: .fail])
    var invented = Scene()
    for tag in UInt64(100)...104 {
      invented.answered(200, "GET", "/devices/1") { seen in
        seen.tag = 5
        seen.namedTags = [tag]
      }
      invented.wait(.seconds(20))
    }
    #expect(invented.complaints() == [ConditionalRequests.id: .warn])
  }

  @Test("all tables stay small, however long a run lasts")
  func bounds() {
    var examination = CheckRunner()
    var seen = Observation()
    seen.status = 503
    let count = History.most + 1_000
    for number in 1...count {
      seen.id = number
      seen.client = UInt64(number)
      seen.target = Array("/devices/\(number)".utf8)[...]
      seen.arrival = MonotonicInstant(nanoseconds: Int64(number) * 1_000_000)
      seen.end = seen.arrival
      seen.effect = .read(Register.Record("devices", "1"), body: Array("{\"type\":1}".utf8))
      seen.identify()
      examination.observe(seen)
    }
    #expect(examination.timeline.count <= LogicalRequests.maximumOpen + LogicalRequests.maximumFinished)
    #expect(examination.history.kept.count == History.most)
    #expect(examination.exchanges == count)
  }
}
