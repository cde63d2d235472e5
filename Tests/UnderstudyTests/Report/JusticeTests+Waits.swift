import Contract
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

extension JusticeTests {
  static let waits = [
    Case("a circuit breaker's probes every five seconds") { traffic in
      for _ in 0..<9 {
        traffic.answered(500)
        traffic.wait(.seconds(5))
      }
    },
    Case("a circuit breaker's probes every five seconds, in each of three outages") { traffic in
      for _ in 0..<3 {
        for _ in 0..<4 {
          traffic.answered(500)
          traffic.wait(.seconds(5))
        }
        traffic.answered(200)
        traffic.wait(.seconds(60))
      }
    },
    Case("waits that shrink", [BackoffGrows.id: .fail]) { traffic in
      for wait in [800, 400, 200, 100] {
        traffic.answered(503)
        traffic.wait(.milliseconds(wait))
      }
      traffic.answered(200)
    },
    Case("four waits that were drawn nearly alike", [BackoffGrows.id: .warn]) { scene in
      for wait in [970, 926, 944, 1_026] {
        scene.lost("GET", "/devices/1")
        scene.wait(.milliseconds(wait))
      }
      scene.answered(404, "GET", "/devices/1")
    },
    Case("fixed waits of two routes", [BackoffGrows.id: .fail]) { traffic in
      for (route, operation, wait) in [("/devices", "listDevices", 500), ("/activities", "listActivities", 2_000)] {
        for _ in 0..<4 {
          traffic.answered(503, "GET", route) { $0.operation = .named(operation) }
          traffic.wait(.milliseconds(wait))
        }
        traffic.answered(200, "GET", route) { $0.operation = .named(operation) }
      }
    },
    Case("many clients that repeat at the same time") { traffic in
      for client in 0..<120 { traffic.answered(503, client: UInt64(1_000 + client)) }
      for client in 0..<120 {
        traffic.wait(.milliseconds(2))
        traffic.exchange(client: UInt64(1_000 + client), took: .zero)
      }
    },
    Case("one action that repeats a batch") { traffic in
      for number in 0..<6 { traffic.answered(503, "PATCH", "/devices/\(number)") }
      traffic.wait(.seconds(2))
      for number in 0..<6 { traffic.answered(200, "PATCH", "/devices/\(number)") }
    },
    Case("a clock that was advanced while a client looked after its write") { traffic in
      traffic.lost("PATCH", "/devices/1")
      traffic.wait(.seconds(600))
      traffic.answered(200) { $0.advanced = .seconds(600) ... .seconds(600) }
    },
    Case("waits that are alike because a test advanced the clock") { traffic in
      for number in 0..<6 {
        let advanced = Duration.seconds(number * 2)
        traffic.answered(503) { $0.advanced = advanced...advanced }
        traffic.wait(.seconds(2))
      }
    },
    Case("a search that is typed") { traffic in
      for text in ["l", "lj", "lje"] {
        traffic.exchange("GET", "/users?q=\(text)", took: .milliseconds(200)) { seen in
          seen.pathHash = 9
          seen.outcome = .peerGone
          seen.status = nil
          seen.planned = Plan(seen.planned.position, Fault(.ending(.hang(Hold())), changes: false))
        }
        traffic.wait(.milliseconds(50))
      }
      traffic.answered(200, "GET", "/users?q=ljer") { $0.pathHash = 9 }
    },
    Case("slow responses that the client gives up", [TimeoutsSane.id: .warn]) { traffic in
      for number in 0..<4 {
        traffic.exchange("GET", "/devices/\(number)", took: .zero) { slow(&$0, end: .seconds(2)) }
        traffic.wait(.milliseconds(2_100 + number * 137))
        traffic.answered(200, "GET", "/devices/\(number)")
      }
    },
  ]

  static let outcomes = [
    Case("an applied write with a 502, and no follow-up", [LostReplyFollowedUp.id: .fail]) { traffic in
      traffic.answered(502, "POST", "/book", booked(0))
      traffic.wait(.seconds(45))
    },
    Case("a hedged request with one response") { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        booked(0, key: 1)(&seen)
        seen.end = seen.arrival + .seconds(1)
      }
      traffic.wait(.milliseconds(800))
      traffic.lost("POST", "/book") { $0.key = 1 }
      traffic.wait(.seconds(45))
    },
    Case("a lost write that is followed up by polling only", [LostReplyFollowedUp.id: .warn]) { traffic in
      for _ in 0..<4 {
        traffic.answered(200)
        traffic.wait(.seconds(5))
      }
      traffic.lost("PATCH", "/devices/1")
      for _ in 0..<8 {
        traffic.wait(.seconds(5))
        traffic.answered(200)
      }
    },
    Case("a captive portal's page after which nothing follows", [DamagedReplyTrusted.id: .warn]) { traffic in
      traffic.answered(200, "PATCH", "/devices/1") { seen in
        seen.planned = Plan(seen.planned.position, Fault(.damage(.captivePortal), rule: "portal", changes: true))
      }
      traffic.wait(.seconds(45))
    },
    Case("a captive portal's page after which the client reads") { traffic in
      traffic.answered(200, "PATCH", "/devices/1") { seen in
        seen.planned = Plan(seen.planned.position, Fault(.damage(.captivePortal), rule: "portal", changes: true))
      }
      traffic.wait(.seconds(2))
      traffic.answered(200)
    },
    Case("a captive portal's page in a row of equal writes, each of them meant", [DamagedReplyTrusted.id: .warn]) {
      traffic in
      for turn in 0..<4 {
        traffic.answered(200, "POST", "/book", turn == 1 ? portal : booked(turn))
        traffic.wait(.seconds(2))
      }
    },
    Case("a captive portal's page after which a client sends its only write again") { traffic in
      traffic.answered(200, "POST", "/book", portal)
      traffic.wait(.seconds(2))
      traffic.answered(200, "POST", "/book", booked(0))
      traffic.wait(.seconds(2))
    },
    Case("a captive portal's page in a row of equal writes, and the next has its key") { traffic in
      for (turn, key) in [1, 2, 2, 3].enumerated() {
        traffic.answered(200, "POST", "/book") { seen in
          if turn == 1 { portal(&seen) } else { booked(turn)(&seen) }
          seen.key = UInt64(key)
        }
        traffic.wait(.seconds(2))
      }
    },
    Case("a truncated body that is stored with its tag", [DamagedReplyTrusted.id: .fail]) { traffic in
      traffic.lost("GET") { seen in
        seen.status = 200
        seen.tag = 5
      }
      traffic.wait(.seconds(2))
      traffic.answered(304) { $0.namedTags = [5] }
    },
    Case("a write with a temporary refusal and no retry", [GaveUpAtOnce.id: .warn]) { traffic in
      traffic.answered(503, "POST", "/book")
      traffic.wait(.seconds(45))
    },
    Case("a read with a temporary refusal and no retry") { traffic in
      traffic.answered(503)
      traffic.wait(.seconds(45))
    },
    Case("one key for two writes", [KeyReuse.id: .fail]) { traffic in
      traffic.answered(200, "POST", "/book") { seen in
        (seen.key, seen.body) = (1, 1)
      }
      traffic.wait(.seconds(5))
      traffic.answered(422, "POST", "/book") { seen in
        (seen.key, seen.body) = (1, 2)
      }
    },
    Case("one key for many writes", [KeyReuse.id: .fail]) { traffic in
      for _ in 0..<4 {
        traffic.answered(200, "POST", "/book") { $0.key = 1 }
        traffic.wait(.seconds(5))
      }
    },
    Case("repeated taps, and a retry after a response", [KeyReuse.id: .warn]) { traffic in
      for wait in [100, 100, 9_000, 0] {
        traffic.answered(200, "POST", "/book") { $0.key = 1 }
        traffic.wait(.milliseconds(wait))
      }
    },
    Case("a list of rooms that is requested repeatedly within its max-age", [Freshness.id: .warn]) { traffic in
      for _ in 0..<5 {
        traffic.answered(304, "GET", "/rooms.json") { $0.operation = .named("listBookingRooms") }
        traffic.wait(.seconds(6))
      }
    },
    Case("pulls to refresh") { traffic in
      for _ in 0..<5 {
        traffic.answered(304, "GET", "/rooms.json") { seen in
          seen.operation = .named("listBookingRooms")
          seen.entry[.refresh] = true
        }
        traffic.wait(.seconds(6))
      }
    },
  ]

  /// The page of a captive portal, in the place of the response to a write that is not done.
  private static func portal(_ seen: inout Observation) {
    seen.planned = Plan(
      seen.planned.position, Fault(.damage(.captivePortal), phase: .before, rule: "portal", changes: true))
  }
}
