import Contract
import Faults
import Testing

@testable import Understudy

/// For each threshold of a check, the last accepted value and the first refused one.
@Suite("The thresholds of the report")
struct ThresholdTests {
  struct Threshold: Sendable, CustomTestStringConvertible {
    let check: String
    let testDescription: String
    let just: Verdict
    let beyond: Verdict
    /// Plays the client: on the near side of the threshold, or beyond it.
    let play: @Sendable (inout Scene, _ isBeyond: Bool) -> Void

    init(
      _ check: String, _ name: String, _ just: Verdict, _ beyond: Verdict,
      play: @escaping @Sendable (inout Scene, Bool) -> Void
    ) {
      (self.check, testDescription) = (check, "\(check): \(name)")
      (self.just, self.beyond, self.play) = (just, beyond, play)
    }

    /// One that just passes.
    init(
      _ check: String, _ name: String, _ beyond: Verdict, play: @escaping @Sendable (inout Scene, Bool) -> Void
    ) {
      self.init(check, name, .pass, beyond, play: play)
    }
  }

  /// One logical read that fails until its last attempt, with these waits between its attempts.
  private static func retry(
    _ scene: inout Scene, _ waits: [Duration], _ target: String = "/devices/1", last: Int = 200
  ) {
    for wait in waits {
      scene.answered(503, "GET", target)
      scene.wait(wait)
    }
    scene.answered(last, "GET", target)
  }

  private static func hang(_ scene: inout Scene, took: Duration) {
    scene.exchange("GET", "/devices/1", took: took) { seen in
      seen.outcome = .peerGone
      seen.status = nil
      seen.plan.fault = Fault(.ending(.hang(Hold())), changes: false)
    }
  }

  private static let retries = [
    Threshold(RetryAmplification.id, "attempts of one request", .warn, .fail) { scene, isBeyond in
      retry(&scene, Array(repeating: .milliseconds(100), count: isBeyond ? 8 : 7))
    },
    Threshold(RetryAmplification.id, "attempts worth a warning", .warn) { scene, isBeyond in
      retry(&scene, Array(repeating: .milliseconds(100), count: isBeyond ? 5 : 4))
    },
    Threshold(RetryAmplification.id, "the window that they count in", .warn) { scene, isBeyond in
      retry(&scene, Array(repeating: .milliseconds(isBeyond ? 1_980 : 1_981), count: 5))
    },
    Threshold(RetryAmplification.id, "the budget of a client", .fail) { scene, isBeyond in
      for number in 0..<(isBeyond ? 125 : 124) { retry(&scene, [.milliseconds(1)], "/devices/\(number)") }
    },
    Threshold(BackoffGrows.id, "waits that are tiny", .fail) { scene, isBeyond in
      retry(&scene, Array(repeating: .microseconds(isBeyond ? 6_200 : 6_300), count: 3))
    },
    Threshold(BackoffGrows.id, "waits that are alike", .fail) { scene, isBeyond in
      retry(&scene, [.seconds(1), .seconds(1), .seconds(1), .milliseconds(isBeyond ? 1_200 : 1_210)])
    },
    Threshold(BackoffGrows.id, "how many waits are alike", .fail) { scene, isBeyond in
      retry(&scene, Array(repeating: .seconds(1), count: isBeyond ? 4 : 3))
    },
    Threshold(BackoffGrows.id, "waits so long that they need not grow", .fail) { scene, isBeyond in
      retry(&scene, Array(repeating: isBeyond ? .milliseconds(2_990) : .seconds(3), count: 4))
    },
    Threshold(BackoffGrows.id, "chains that are long enough to grow", .fail) { scene, isBeyond in
      for number in 0..<4 {
        retry(&scene, Array(repeating: .seconds(1), count: isBeyond ? 3 : 2), "/devices/\(number)")
      }
    },
    Threshold(BackoffJitter.id, "how far waits spread", .fail) { scene, isBeyond in
      for number in 0..<5 {
        retry(&scene, [.milliseconds(number < 4 ? 1_000 : isBeyond ? 1_050 : 1_060)], "/devices/\(number)")
      }
    },
    Threshold(BackoffJitter.id, "how many are compared", .notExercised, .fail) { scene, isBeyond in
      for number in 0..<(isBeyond ? 5 : 4) { retry(&scene, [.seconds(1)], "/devices/\(number)") }
    },
    Threshold(BackoffJitter.id, "waits that show the machine's jitter only", .notExercised, .fail) { scene, isBeyond in
      for number in 0..<5 { retry(&scene, [.milliseconds(isBeyond ? 11 : 10)], "/devices/\(number)") }
    },
    Threshold(RetryAfterHonoured.id, "how early a timer may be", .fail) { scene, isBeyond in
      scene.answered(503, "GET", "/devices/1", retryAfter: .seconds(5))
      scene.wait(.milliseconds(isBeyond ? 4_949 : 4_950))
      scene.answered(200, "GET", "/devices/1")
    },
    Threshold(NoStampede.id, "how many come back at once", .fail) { scene, isBeyond in
      stampede(&scene, count: isBeyond ? 11 : 10, apart: .milliseconds(1))
    },
    Threshold(NoStampede.id, "what at once means", .fail) { scene, isBeyond in
      stampede(&scene, count: 11, apart: .microseconds(isBeyond ? 10_000 : 10_001))
    },
  ]

  private static func stampede(_ scene: inout Scene, count: Int, apart: Duration) {
    for number in 0..<count { scene.answered(503, "GET", "/devices/\(number)") }
    let back = scene.now + .seconds(1)
    for number in 0..<count {
      scene.now = back + apart * number
      scene.answered(200, "GET", "/devices/\(number)")
    }
  }

  private static let rest = [
    Threshold(NoRetryOf4xx.id, "a person's pace", .warn, .fail) { scene, isBeyond in
      for _ in 0..<5 {
        scene.answered(400, "GET", "/devices/none")
        scene.wait(.milliseconds(isBeyond ? 979 : 1_000))
      }
    },
    Threshold(NoRetryOf4xx.id, "a read that a test asserts, and a loop", .warn, .fail) { scene, isBeyond in
      for _ in 0..<(isBeyond ? 5 : 4) {
        scene.answered(400, "GET", "/devices/none")
        scene.wait(.milliseconds(200))
      }
    },
    Threshold(NoRetryOf4xx.id, "a write that a test asserts, and a loop", .warn, .fail) { scene, isBeyond in
      for _ in 0..<(isBeyond ? 5 : 4) {
        scene.answered(412, "PATCH", "/devices/none")
        scene.wait(.milliseconds(200))
      }
    },
    Threshold(NoRetryOf4xx.id, "waiting for one record, and a habit", .warn, .fail) { scene, isBeyond in
      for record in 0..<(isBeyond ? 2 : 1) {
        for _ in 0..<9 {
          scene.answered(404, "GET", "/devices/none-\(record)")
          scene.wait(.milliseconds(200))
        }
      }
    },
    Threshold(NoRetryOf4xx.id, "what is asked again, and what anew", .warn) { scene, isBeyond in
      scene.answered(404, "GET", "/devices/none")
      scene.wait(.milliseconds(isBeyond ? 60_000 : 60_001))
      scene.answered(404, "GET", "/devices/none")
    },
    Threshold(ConditionalRequests.id, "needless responses", .notExercised, .warn) { scene, isBeyond in
      for _ in 0..<(isBeyond ? 4 : 3) {
        scene.answered(200, "GET", "/devices") { $0.tag = 5 }
        scene.wait(.seconds(5))
      }
    },
    Threshold(PollingInterval.id, "the minute, and what a timer may lack of it", .warn) { scene, isBeyond in
      scene.weather()
      scene.wait(.milliseconds(isBeyond ? 56_979 : 56_980))
      scene.weather()
    },
    Threshold(PollingInterval.id, "looks of a person, and a poller", .warn, .fail) { scene, isBeyond in
      for _ in 0..<(isBeyond ? 4 : 3) {
        scene.weather()
        scene.wait(.seconds(10))
      }
    },
    Threshold(TimeoutsSane.id, "giving up at once", .warn) { scene, isBeyond in
      hang(&scene, took: .milliseconds(isBeyond ? 999 : 1_000))
    },
    Threshold(TimeoutsSane.id, "never giving up", .warn) { scene, isBeyond in
      hang(&scene, took: .milliseconds(isBeyond ? 61_001 : 61_000))
    },
    Threshold(LostReplyFollowedUp.id, "the time to follow up", .fail) { scene, isBeyond in
      scene.lost("PATCH", "/devices/1")
      scene.wait(.milliseconds(isBeyond ? 30_001 : 30_000))
      scene.answered(200, "GET", "/devices")
    },
    Threshold(LostReplyFollowedUp.id, "time off the network", .fail) { scene, isBeyond in
      scene.lost("PATCH", "/devices/1")
      scene.outage = scene.now + .seconds(1)...scene.now + .seconds(101)
      scene.wait(.milliseconds(isBeyond ? 130_001 : 130_000))
      scene.answered(200, "GET", "/devices")
    },
    Threshold(FaultsDelivered.id, "a rule that could not hit", .warn) { scene, isBeyond in
      scene.exchange("PATCH", "/devices/1") { seen in
        seen.outcome = isBeyond ? .notDeliverable : .sent
        seen.plan.fault = Fault(.ending(.badChunk), rule: "chunks", changes: true)
        seen.plan.rules = ["chunks"]
      }
    },
  ]

  @Test("just passes, and just does not", arguments: retries + rest)
  func thresholds(threshold: Threshold) throws {
    for isBeyond in [false, true] {
      var scene = Scene()
      threshold.play(&scene, isBeyond)
      let rules = threshold.check == FaultsDelivered.id ? ["chunks"] : []
      let finding = try #require(scene.findings(rules: rules)[threshold.check])
      let expected = isBeyond ? threshold.beyond : threshold.just
      #expect(finding.verdict == expected, "\(isBeyond ? "beyond" : "just"): \(finding.sentence)")
    }
  }

  @Test(
    "refusals that may be otherwise the next time can be asked again",
    arguments: [401, 407, 408, 421, 423, 425, 426, 428, 429, 511])
  func worthRepeating(status: Int) {
    var scene = Scene()
    Self.retry(&scene, [], last: status)
    scene.wait(.milliseconds(300))
    scene.answered(status, "GET", "/devices/1")
    #expect(scene.findings()[NoRetryOf4xx.id]?.verdict == .notExercised)
  }

  @Test("refusals for good cannot", arguments: [400, 403, 405, 409, 412, 413, 415, 422])
  func final(status: Int) {
    var scene = Scene()
    for _ in 0..<5 {
      scene.answered(status, "PATCH", "/devices/1")
      scene.wait(.milliseconds(300))
    }
    #expect(scene.findings()[NoRetryOf4xx.id]?.verdict == .fail)
  }

  @Test("the last report counts a lost write without a look after it, however recent")
  func lostAtTheEnd() {
    var scene = Scene()
    scene.lost("PATCH", "/devices/1")
    #expect(scene.findings(isFinal: false)[LostReplyFollowedUp.id]?.verdict == .notExercised)
    #expect(scene.findings(isFinal: true)[LostReplyFollowedUp.id]?.verdict == .fail)
  }
}
