import Contract
import Faults
import Testing

@testable import Understudy

extension JusticeTests {
  static let waits = [
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

  static let outcomes = [
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
}
