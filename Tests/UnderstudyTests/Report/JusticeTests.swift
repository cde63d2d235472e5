import Contract
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

/// Courses of events that were judged wrongly once, or that only one check can detect.
@Suite("A course of events")
struct JusticeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: [String: Verdict]
    let play: @Sendable (inout Traffic) -> Void

    init(_ name: String, _ expected: [String: Verdict] = [:], play: @escaping @Sendable (inout Traffic) -> Void) {
      (testDescription, self.expected, self.play) = (name, expected, play)
    }
  }

  /// A booking that was applied as the change to a version.
  static func booked(_ version: Int, key: UInt64? = nil) -> (inout Observation) -> Void {
    { seen in
      seen.isApplied = true
      seen.versions = version..<version + 1
      seen.key = key
      seen.purpose = .booking("Ljerka")
      seen.connection = version + 1
    }
  }

  static func unnamed(_ change: @escaping (inout Observation) -> Void) -> (inout Observation) -> Void {
    { seen in
      change(&seen)
      seen.isNamed = false
    }
  }

  static func slow(_ seen: inout Observation, end: Duration) {
    seen.outcome = .peerGone
    seen.status = nil
    seen.end = seen.arrival + end
  }

  private static let duplicates = [
    Case("a slow write, and its repetition that ends first", [NoDuplicateEffect.id: .fail]) {
      traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        booked(0)(&seen)
        slow(&seen, end: .seconds(3))
      }
      traffic.wait(.milliseconds(1_500))
      traffic.answered(200, "POST", "/book", booked(1))
      traffic.wait(.seconds(5))
    },
    Case("a hedged write with two responses", [NoDuplicateEffect.id: .fail]) { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        booked(0)(&seen)
        seen.end = seen.arrival + .seconds(2)
      }
      traffic.wait(.milliseconds(100))
      traffic.exchange("POST", "/book", took: .seconds(2), booked(1))
    },
    Case("two bookings of one client at the same time") { traffic in
      for version in 0..<2 {
        traffic.exchange("POST", "/book", took: .zero) { seen in
          booked(version)(&seen)
          seen.end = seen.arrival + .seconds(2)
        }
        traffic.wait(.milliseconds(5))
      }
    },
    Case("an intended second booking after a drifted response", [NoDuplicateEffect.id: .warn]) { traffic in
      traffic.answered(200, "POST", "/book") { seen in
        booked(0, key: 1)(&seen)
        seen.planned = Plan(seen.planned.position, Fault(.damage(.drift), phase: .after, rule: "drift", changes: true))
      }
      traffic.wait(.seconds(4))
      traffic.answered(200, "POST", "/book", booked(1, key: 2))
    },
    Case("a duplicate after steady polling", [NoDuplicateEffect.id: .fail]) { traffic in
      for _ in 0..<4 {
        traffic.answered(200, "GET", "/rooms.json")
        traffic.wait(.seconds(1))
      }
      traffic.lost("POST", "/book", booked(0))
      traffic.wait(.milliseconds(960))
      traffic.answered(200, "GET", "/rooms.json")
      traffic.wait(.milliseconds(100))
      traffic.answered(200, "POST", "/book", booked(1))
    },
    Case("a duplicate that does not wait for its client's read", [NoDuplicateEffect.id: .fail]) { traffic in
      traffic.lost("POST", "/book", booked(0))
      traffic.wait(.milliseconds(300))
      traffic.exchange("GET", "/rooms.json", took: .zero) { $0.end = $0.arrival + .seconds(1) }
      traffic.wait(.milliseconds(20))
      traffic.answered(200, "POST", "/book", booked(1))
    },
    Case("a duplicate from one address with another User-Agent", [NoDuplicateEffect.id: .warn]) { traffic in
      traffic.lost("POST", "/book", client: 7, unnamed(booked(0)))
      traffic.answered(200, "GET", "/rooms.json", client: 7)
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", client: 8, unnamed(booked(1)))
    },
    Case("two users at one address, each with a key") { traffic in
      traffic.lost("POST", "/book", unnamed(booked(0, key: 1)))
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", unnamed(booked(1, key: 2)))
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book") { seen in
        (seen.key, seen.isNamed) = (1, false)
      }
    },
  ]

  private static let refusals = [
    Case("one user's first request after the other's 429", [RetryAfterHonoured.id: .warn]) { traffic in
      traffic.answered(429, retryAfter: .seconds(5)) { $0.isNamed = false }
      traffic.wait(.milliseconds(300))
      traffic.answered(200) { $0.isNamed = false }
    },
    Case("an unnamed client that repeatedly ignores Retry-After", [RetryAfterHonoured.id: .warn]) { traffic in
      for _ in 0..<3 {
        traffic.answered(503, retryAfter: .seconds(5)) { $0.isNamed = false }
        traffic.wait(.milliseconds(300))
      }
    },
    Case("requests for other targets before a rate limit's Retry-After", [RetryAfterHonoured.id: .fail]) { traffic in
      for number in 0..<5 {
        traffic.answered(429, "GET", "/devices/\(number)", retryAfter: .seconds(20))
        traffic.wait(.milliseconds(700))
      }
    },
    Case("a full room that several users try to book") { traffic in
      for _ in 0..<4 {
        traffic.answered(409, "POST", "/book") { $0.isNamed = false }
        traffic.wait(.seconds(2))
      }
    },
    Case("Retry-After honoured nine times") { traffic in
      for _ in 0..<9 {
        traffic.answered(503, retryAfter: .seconds(1))
        traffic.wait(.seconds(1))
      }
      traffic.answered(200)
    },
    Case("attempts during an outage") { traffic in
      for attempt in 0..<9 {
        traffic.exchange { seen in
          seen.outcome = .reset
          seen.status = nil
          seen.planned = Plan(seen.planned.position, Fault(.ending(.offline), rule: "tunnel", changes: false))
        }
        traffic.wait(.milliseconds(20 << attempt))
      }
      traffic.answered(200)
    },
    Case("polling for a new record") { traffic in
      for _ in 0..<9 {
        traffic.answered(404, "GET", "/devices/new")
        traffic.wait(.milliseconds(200))
      }
      traffic.answered(200, "GET", "/devices/new")
    },
  ]

  @Test(
    "gets the expected verdict of every check",
    arguments: duplicates + refusals + waits + outcomes + certainty + strangers)
  func judged(course: Case) {
    var traffic = Traffic()
    course.play(&traffic)
    let findings = traffic.findings()
    for id in CheckRunner.ids where id != FaultsDelivered.id {
      guard let finding = findings[id] else { continue }
      let verdict = finding.verdict > .pass ? finding.verdict : nil
      #expect(verdict == course.expected[id], "\(id): \(finding.sentence)")
      if verdict != nil { #expect(!finding.evidence.isEmpty && finding.sentence.hasSuffix("."), "\(finding.sentence)") }
    }
  }
}
