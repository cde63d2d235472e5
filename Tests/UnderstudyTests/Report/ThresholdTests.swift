import Contract
import Primitives
import Testing

@testable import Faults
@testable import Report
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
    let play: @Sendable (inout Traffic, _ isBeyond: Bool) -> Void

    init(
      _ check: String, _ name: String, _ just: Verdict, _ beyond: Verdict,
      play: @escaping @Sendable (inout Traffic, Bool) -> Void
    ) {
      (self.check, testDescription) = (check, "\(check): \(name)")
      (self.just, self.beyond, self.play) = (just, beyond, play)
    }

    /// Creates a threshold whose accepted side passes.
    init(
      _ check: String, _ name: String, _ beyond: Verdict, play: @escaping @Sendable (inout Traffic, Bool) -> Void
    ) {
      self.init(check, name, .pass, beyond, play: play)
    }
  }

  /// One logical read that fails until its last attempt, with these waits between its attempts.
  private static func retry(
    _ traffic: inout Traffic, _ waits: [Duration], _ target: String = "/devices/1", last: Int = 200
  ) {
    for wait in waits {
      traffic.answered(503, "GET", target)
      traffic.wait(wait)
    }
    traffic.answered(last, "GET", target)
  }

  private static func hang(_ traffic: inout Traffic, took: Duration) {
    traffic.exchange("GET", "/devices/1", took: took) { seen in
      seen.outcome = .peerGone
      seen.status = nil
      seen.planned = Plan(seen.planned.position, Fault(.ending(.hang(Hold())), changes: false))
    }
  }

  private static let retries = [
    Threshold(RetryAmplification.id, "attempts of one request", .warn, .fail) { traffic, isBeyond in
      retry(&traffic, Array(repeating: .milliseconds(100), count: isBeyond ? 8 : 7))
    },
    Threshold(RetryAmplification.id, "attempts worth a warning", .warn) { traffic, isBeyond in
      retry(&traffic, Array(repeating: .milliseconds(100), count: isBeyond ? 5 : 4))
    },
    Threshold(RetryAmplification.id, "the window of the attempts", .warn) { traffic, isBeyond in
      retry(&traffic, Array(repeating: .milliseconds(isBeyond ? 1_980 : 1_981), count: 5))
    },
    Threshold(RetryAmplification.id, "the budget of a client", .fail) { traffic, isBeyond in
      for number in 0..<(isBeyond ? 125 : 124) { retry(&traffic, [.milliseconds(1)], "/devices/\(number)") }
    },
    Threshold(BackoffGrows.id, "waits that are tiny", .fail) { traffic, isBeyond in
      retry(&traffic, Array(repeating: .microseconds(isBeyond ? 6_200 : 6_300), count: 3))
    },
    Threshold(BackoffGrows.id, "the similarity of waits that may be chance", .warn) { traffic, isBeyond in
      retry(&traffic, [.seconds(1), .seconds(1), .seconds(1), .milliseconds(isBeyond ? 1_200 : 1_210)])
    },
    Threshold(BackoffGrows.id, "the similarity of waits", .warn, .fail) { traffic, isBeyond in
      retry(&traffic, [.seconds(1), .seconds(1), .seconds(1), .milliseconds(isBeyond ? 1_029 : 1_031)])
    },
    Threshold(BackoffGrows.id, "the number of similar waits", .fail) { traffic, isBeyond in
      retry(&traffic, Array(repeating: .seconds(1), count: isBeyond ? 4 : 3))
    },
    Threshold(BackoffGrows.id, "waits so long that they need not grow", .fail) { traffic, isBeyond in
      retry(&traffic, Array(repeating: .milliseconds(isBeyond ? 2_490 : 2_500), count: 4))
    },
    Threshold(BackoffGrows.id, "chains that are long enough to grow", .fail) { traffic, isBeyond in
      for number in 0..<4 {
        retry(&traffic, Array(repeating: .seconds(1), count: isBeyond ? 3 : 2), "/devices/\(number)")
      }
    },
    Threshold(BackoffJitter.id, "the spread of waits", .fail) { traffic, isBeyond in
      for number in 0..<5 {
        retry(&traffic, [.milliseconds(number < 4 ? 1_000 : isBeyond ? 1_005 : 1_006)], "/devices/\(number)")
      }
    },
    Threshold(BackoffJitter.id, "the number of compared waits", .notExercised, .fail) { traffic, isBeyond in
      for number in 0..<(isBeyond ? 5 : 4) { retry(&traffic, [.seconds(1)], "/devices/\(number)") }
    },
    Threshold(BackoffJitter.id, "waits as short as the machine's own jitter", .notExercised, .fail) {
      traffic, isBeyond in
      for number in 0..<8 { retry(&traffic, [.milliseconds(isBeyond ? 11 : 10)], "/devices/\(number)") }
    },
    Threshold(RetryAfterHonoured.id, "the tolerance for early timers", .fail) { traffic, isBeyond in
      traffic.answered(503, "GET", "/devices/1", retryAfter: .seconds(5))
      traffic.wait(.milliseconds(isBeyond ? 4_949 : 4_950))
      traffic.answered(200, "GET", "/devices/1")
    },
    Threshold(RetryAfterHonoured.id, "the number of requests that cross one refusal", .warn, .fail) {
      traffic, isBeyond in
      for connection in 1...(isBeyond ? 3 : 2) {
        traffic.exchange("GET", "/devices/1", took: .milliseconds(60)) { seen in
          (seen.status, seen.retryAfter, seen.connection) = (503, .seconds(5), connection)
        }
        traffic.wait(.milliseconds(50))
      }
      traffic.wait(.seconds(6))
      traffic.answered(200, "GET", "/devices/1")
    },
    Threshold(NoStampede.id, "the share of the clients that come back together", .warn) { traffic, isBeyond in
      herd(&traffic, of: 15, together: isBeyond ? 12 : 11)
    },
    Threshold(NoStampede.id, "the number of simultaneous requests", .fail) { traffic, isBeyond in
      stampede(&traffic, count: isBeyond ? 11 : 10, apart: .milliseconds(1))
    },
    Threshold(NoStampede.id, "the interval that counts as simultaneous", .fail) { traffic, isBeyond in
      stampede(&traffic, count: 11, apart: .microseconds(isBeyond ? 10_000 : 10_001))
    },
  ]

  private static func stampede(_ traffic: inout Traffic, count: Int, apart: Duration) {
    for number in 0..<count { traffic.answered(503, "GET", "/devices/\(number)") }
    let back = traffic.now + .seconds(1)
    for number in 0..<count {
      traffic.now = back + apart * number
      traffic.answered(200, "GET", "/devices/\(number)")
    }
  }

  /// Many clients that come back after a wait, some of them within a tenth of a second.
  private static func herd(_ traffic: inout Traffic, of count: Int, together: Int) {
    for client in 0..<count { traffic.answered(503, client: UInt64(100 + client), retryAfter: .seconds(5)) }
    let back = traffic.now + .seconds(5)
    for client in 0..<count {
      traffic.now = back + (client < together ? .milliseconds(client) : .seconds(client))
      traffic.answered(200, client: UInt64(100 + client))
    }
  }

  private static let rest = [
    Threshold(NoRetryOf4xx.id, "a person's pace", .pass, .fail) { traffic, isBeyond in
      for _ in 0..<5 {
        traffic.answered(400, "GET", "/devices/none")
        traffic.wait(.milliseconds(isBeyond ? 979 : 1_000))
      }
    },
    Threshold(NoRetryOf4xx.id, "a read that a test asserts, and a loop", .warn, .fail) { traffic, isBeyond in
      for _ in 0..<(isBeyond ? 5 : 4) {
        traffic.answered(400, "GET", "/devices/none")
        traffic.wait(.milliseconds(200))
      }
    },
    Threshold(NoRetryOf4xx.id, "a write that a test asserts, and a loop", .warn, .fail) { traffic, isBeyond in
      for _ in 0..<(isBeyond ? 5 : 4) {
        traffic.answered(412, "PATCH", "/devices/none")
        traffic.wait(.milliseconds(200))
      }
    },
    Threshold(NoRetryOf4xx.id, "what is asked again, and what anew", .warn) { traffic, isBeyond in
      traffic.answered(400, "PATCH", "/devices/none")
      traffic.wait(.milliseconds(isBeyond ? 60_000 : 60_001))
      traffic.answered(400, "PATCH", "/devices/none")
    },
    Threshold(ConditionalRequests.id, "needless responses", .notExercised, .warn) { traffic, isBeyond in
      for _ in 0..<(isBeyond ? 4 : 3) {
        traffic.answered(200, "GET", "/devices") { $0.tag = 5 }
        traffic.wait(.seconds(5))
      }
    },
    Threshold(PollingInterval.id, "the polling interval, with the tolerance for timers", .warn) { traffic, isBeyond in
      traffic.weather()
      traffic.wait(.milliseconds(isBeyond ? 56_979 : 56_980))
      traffic.weather()
    },
    Threshold(PollingInterval.id, "the number of reads that a user may make", .warn, .fail) { traffic, isBeyond in
      for _ in 0..<(isBeyond ? 4 : 3) {
        traffic.weather()
        traffic.wait(.seconds(10))
      }
    },
    Threshold(TimeoutsSane.id, "the shortest timeout", .warn) { traffic, isBeyond in
      hang(&traffic, took: .milliseconds(isBeyond ? 999 : 1_000))
    },
    Threshold(TimeoutsSane.id, "the longest timeout", .warn) { traffic, isBeyond in
      hang(&traffic, took: .milliseconds(isBeyond ? 61_001 : 61_000))
    },
    Threshold(LostReplyFollowedUp.id, "the time to follow up", .fail) { traffic, isBeyond in
      traffic.lost("PATCH", "/devices/1")
      traffic.wait(.milliseconds(isBeyond ? 30_001 : 30_000))
      traffic.answered(200, "GET", "/devices")
    },
    Threshold(LostReplyFollowedUp.id, "the offline time, which is not counted", .fail) { traffic, isBeyond in
      traffic.lost("PATCH", "/devices/1")
      traffic.outage = traffic.now + .seconds(1)...traffic.now + .seconds(101)
      traffic.wait(.milliseconds(isBeyond ? 130_001 : 130_000))
      traffic.answered(200, "GET", "/devices")
    },
    Threshold(FaultsDelivered.id, "a fault that is undeliverable", .warn) { traffic, isBeyond in
      traffic.exchange("PATCH", "/devices/1") { seen in
        seen.outcome = isBeyond ? .notDeliverable : .sent
        seen.planned = Plan(seen.planned.position, Fault(.ending(.badChunk), rule: "chunks", changes: true))
        seen.planned.change { $0.rules = ["chunks"] }
      }
    },
  ]

  @Test("separate the last accepted value from the first refused one", arguments: retries + rest)
  func thresholds(threshold: Threshold) throws {
    for isBeyond in [false, true] {
      var traffic = Traffic()
      threshold.play(&traffic, isBeyond)
      let rules = threshold.check == FaultsDelivered.id ? ["chunks"] : []
      let finding = try #require(traffic.findings(rules: rules)[threshold.check])
      let expected = isBeyond ? threshold.beyond : threshold.just
      #expect(finding.verdict == expected, "\(isBeyond ? "beyond" : "just"): \(finding.sentence)")
    }
  }

  @Test(
    "allow repeating a request after a temporary refusal",
    arguments: [401, 407, 408, 421, 423, 425, 426, 428, 429, 511])
  func worthRepeating(status: Int) {
    var traffic = Traffic()
    Self.retry(&traffic, [], last: status)
    traffic.wait(.milliseconds(300))
    traffic.answered(status, "GET", "/devices/1")
    #expect(traffic.findings()[NoRetryOf4xx.id]?.verdict == .notExercised)
  }

  @Test(
    "do not allow repeating a request after a permanent refusal", arguments: [400, 403, 405, 409, 412, 413, 415, 422])
  func final(status: Int) {
    var traffic = Traffic()
    for _ in 0..<5 {
      traffic.answered(status, "PATCH", "/devices/1")
      traffic.wait(.milliseconds(300))
    }
    #expect(traffic.findings()[NoRetryOf4xx.id]?.verdict == .fail)
  }
}
