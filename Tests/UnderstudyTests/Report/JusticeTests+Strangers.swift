import Contract
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

/// Courses of events that were judged wrongly for clients of other languages and libraries.
extension JusticeTests {
  static let strangers = [
    Case("a test suite that asserts a conflict three times, and again in its next test", [NoRetryOf4xx.id: .warn]) {
      traffic in
      for _ in 0..<3 {
        for _ in 0..<3 {
          traffic.answered(409, "POST", "/book")
          traffic.wait(.milliseconds(5))
        }
        traffic.wait(.seconds(2))
      }
    },
    Case("a test suite that asserts many errors at once, each of them twice") { traffic in
      for number in 0..<12 {
        for _ in 0..<2 {
          traffic.exchange("GET", "/devices/\(number)", took: .milliseconds(1)) { $0.status = 404 }
        }
      }
    },
    Case("a booking that was hedged under one key and answered, and another before the refused half's Retry-After") {
      traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        (seen.status, seen.retryAfter, seen.key, seen.connection) = (503, .seconds(2), 1, 1)
        seen.end = seen.arrival + .milliseconds(700)
      }
      traffic.wait(.milliseconds(600))
      traffic.answered(200, "POST", "/book", booked(1, key: 1))
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", booked(2, key: 2))
    },
    Case(
      "a write that was hedged without a key, of which the first response is lost late", [NoDuplicateEffect.id: .fail]
    ) { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        booked(0)(&seen)
        (seen.outcome, seen.status, seen.end) = (.reset, nil, seen.arrival + .seconds(3))
      }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", booked(1))
      traffic.wait(.seconds(5))
    },
    Case("a lost booking repeated under its key, and then another one, at an address without names") { traffic in
      traffic.lost("POST", "/book", unnamed(booked(0, key: 1)))
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book") { ($0.key, $0.isNamed) = (1, false) }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", unnamed(booked(1, key: 2)))
    },
    Case("a job that comes back with its key only after 45 seconds", [LostReplyFollowedUp.id: .warn]) { traffic in
      traffic.lost("POST", "/book", booked(0, key: 1))
      traffic.wait(.seconds(45))
      traffic.answered(200, "POST", "/book") { $0.key = 1 }
    },
    Case(
      "a lost booking, and another under a fresh key after 90 seconds",
      [
        LostReplyFollowedUp.id: .fail, GaveUpAtOnce.id: .warn,
      ]
    ) { traffic in
      traffic.lost("POST", "/book", booked(0, key: 1))
      traffic.wait(.seconds(90))
      traffic.answered(200, "POST", "/book", booked(1, key: 2))
    },
    Case("a test suite that asserts a conflict six times, and each time that nothing changed") { traffic in
      for _ in 0..<6 {
        traffic.answered(409, "POST", "/book")
        traffic.answered(200, "GET", "/rooms.json")
      }
    },
    Case("assertions of an error whose responses get lost, minutes apart", [NoRetryOf4xx.id: .warn]) { traffic in
      for _ in 0..<5 {
        traffic.answered(400, "POST", "/book")
        traffic.wait(.milliseconds(300))
        traffic.lost("POST", "/book")
        traffic.wait(.seconds(17))
        traffic.answered(200, "GET", "/rooms.json")
        traffic.wait(.seconds(3))
      }
    },
    Case("a hedged booking of which the second half is refused, and another before that one's Retry-After") { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        booked(0, key: 1)(&seen)
        seen.end = seen.arrival + .seconds(1)
      }
      traffic.wait(.milliseconds(600))
      traffic.answered(503, "POST", "/book", retryAfter: .seconds(2)) { ($0.key, $0.connection) = (1, 2) }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", booked(1, key: 2))
    },
    Case("a hedged read of which the second half is refused, and another before that one's Retry-After") { traffic in
      traffic.exchange("GET", "/devices/1", took: .zero) { $0.end = $0.arrival + .seconds(1) }
      traffic.wait(.milliseconds(600))
      traffic.answered(503, "GET", "/devices/1", retryAfter: .seconds(2)) { $0.connection = 2 }
      traffic.wait(.seconds(1))
      traffic.answered(200, "GET", "/devices/1")
    },
    Case("a hedged booking of which both halves fail, repeated under its key, and later another one") { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        (seen.status, seen.retryAfter, seen.key, seen.end) = (503, .seconds(1), 1, seen.arrival + .seconds(1))
      }
      traffic.wait(.milliseconds(800))
      traffic.exchange("POST", "/book", took: .zero) { seen in
        booked(0, key: 1)(&seen)
        (seen.outcome, seen.status, seen.end) = (.reset, nil, seen.arrival + .milliseconds(100))
      }
      traffic.wait(.seconds(4))
      traffic.answered(200, "POST", "/book") { $0.key = 1 }
      traffic.wait(.seconds(30))
      traffic.answered(200, "POST", "/book", booked(1, key: 2))
    },
    Case(
      "a hedged booking without a key of which both halves fail, and one of them took effect",
      [
        NoDuplicateEffect.id: .fail
      ]
    ) { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        (seen.status, seen.end) = (503, seen.arrival + .seconds(1))
      }
      traffic.wait(.milliseconds(800))
      traffic.exchange("POST", "/book", took: .zero) { seen in
        booked(0)(&seen)
        (seen.outcome, seen.status, seen.end) = (.reset, nil, seen.arrival + .milliseconds(100))
      }
      traffic.wait(.seconds(4))
      traffic.answered(200, "POST", "/book", booked(1))
    },
    Case(
      "a lost booking whose repetition is answered with what drifted, and later another one",
      [
        NoDuplicateEffect.id: .warn
      ]
    ) { traffic in
      traffic.lost("POST", "/book", booked(0, key: 1))
      traffic.wait(.seconds(3))
      traffic.answered(200, "POST", "/book") { seen in
        seen.key = 1
        seen.planned = Plan(seen.planned.position, Fault(.damage(.drift), phase: .after, rule: "drift", changes: true))
      }
      traffic.wait(.seconds(38))
      traffic.answered(200, "POST", "/book", booked(1, key: 2))
    },
    Case("retries drawn as Envoy draws them, from 25 and from 75 milliseconds", [BackoffGrows.id: .warn]) { traffic in
      for number in 0..<40 {
        traffic.answered(503)
        traffic.wait(.milliseconds(1 + number % 23))
        traffic.answered(503)
        traffic.wait(.milliseconds(5 + number * 7 % 67))
        traffic.answered(200)
        traffic.wait(.milliseconds(500))
      }
    },
    Case("a quick poll whose responses drifted, which a tolerant client can read") { traffic in
      for _ in 0..<14 {
        traffic.answered(200) { seen in
          seen.planned = Plan(
            seen.planned.position, Fault(.damage(.drift), phase: .after, rule: "drift", changes: false))
        }
        traffic.wait(.milliseconds(400))
      }
    },
  ]

  @Test("a Retry-After that was a date is called one, for clients that read only seconds")
  func dates() throws {
    var traffic = Traffic()
    traffic.answered(503, retryAfter: .seconds(2)) { seen in
      let refusal = Status(503, retryAfter: .seconds(3), isRetryAfterDate: true)
      seen.planned = Plan(seen.planned.position, Fault(refusal.action, rule: "busy", changes: false))
      seen.isRetryAfterDate = true
    }
    traffic.wait(.milliseconds(500))
    traffic.answered(200)
    let sentence = try #require(traffic.findings()[RetryAfterHonoured.id]?.sentence)
    #expect(sentence.contains("where the response asked for 2 s by an HTTP-date."), "\(sentence)")
  }

  @Test("a loop of refused requests is named by its own request and status, and proved by its own attempts")
  func refusedLoop() throws {
    var traffic = Traffic()
    for _ in 0..<2 { traffic.answered(404, "GET", "/devices/asserted") }
    for _ in 0..<5 { traffic.answered(400, "POST", "/book") }
    let finding = try #require(traffic.findings()[NoRetryOf4xx.id])
    #expect(finding.verdict == .fail)
    #expect(finding.sentence.contains("POST /book, refused with 400"), "\(finding.sentence)")
    #expect(finding.evidence == [3, 4, 5, 6, 7])
  }
}

extension JusticeTests {
  @Test("the sentence about a loop names the request that was sent in a loop, and not one that waited for a record")
  func namesTheLoop() throws {
    var traffic = Traffic()
    for _ in 0..<5 {
      traffic.answered(404, "GET", "/devices/new")
      traffic.wait(.milliseconds(100))
    }
    traffic.answered(200, "GET", "/devices/new")
    let before = traffic.findings()[NoRetryOf4xx.id]
    #expect(before?.verdict == .pass)
    traffic.wait(.seconds(90))
    for _ in 0..<5 {
      traffic.answered(400, "POST", "/book")
      traffic.wait(.milliseconds(100))
    }
    let finding = try #require(traffic.findings()[NoRetryOf4xx.id])
    #expect(finding.verdict == .fail)
    #expect(finding.sentence.hasPrefix("1 request was sent again and again"))
    #expect(finding.sentence.contains("POST /book") && finding.sentence.contains("refused with 400"))
    #expect(finding.evidence == [7, 8, 9, 10, 11])
  }
}
