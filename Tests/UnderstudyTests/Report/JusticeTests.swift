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
  static func booked(_ version: Int, key: UInt64? = nil) -> (inout Observation) -> Void {
    { seen in
      seen.isApplied = true
      seen.versions = version..<version + 1
      seen.key = key
      seen.effect = .take(.spots(of: "Ljerka"))
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
    Case("an unnamed client that comes early again and again", [RetryAfterHonoured.id: .warn]) { scene in
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

  @Test("is judged as it is", arguments: duplicates + refusals + waits + outcomes + certainty)
  func judged(course: Case) {
    var scene = Scene()
    course.play(&scene)
    let findings = scene.findings()
    for id in CheckRunner.ids where id != FaultsDelivered.id {
      guard let finding = findings[id] else { continue }
      let verdict = finding.verdict > .pass ? finding.verdict : nil
      #expect(verdict == course.expected[id], "\(id): \(finding.sentence)")
      if verdict != nil { #expect(!finding.evidence.isEmpty && finding.sentence.hasSuffix("."), "\(finding.sentence)") }
    }
  }
}
