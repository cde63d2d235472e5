import Contract
import Faults

@testable import Understudy

/// Courses of events that only seem to be wrong, found among generated clients of good habits.
extension JusticeTests {
  static let certainty = [
    Case("a hedge under one key, of which the first was lost and the second answered") { scene in
      scene.exchange("POST", "/book", took: .zero) { seen in
        (seen.key, seen.status, seen.outcome, seen.end) = (1, nil, .reset, seen.arrival + .seconds(2))
      }
      scene.wait(.milliseconds(800))
      scene.answered(200, "POST", "/book") { $0.key = 1 }
      for wait in [3, 9] {
        scene.wait(.seconds(wait))
        scene.lost("POST", "/book") { $0.key = 1 }
      }
      scene.wait(.seconds(5))
      scene.answered(200, "POST", "/book") { $0.key = 1 }
    },
    Case("a hedge that was under way when the first one was refused for a while", [RetryAfterHonoured.id: .warn]) {
      scene in
      scene.exchange("POST", "/book", took: .milliseconds(800)) { seen in
        (seen.key, seen.connection, seen.status, seen.retryAfter) = (1, 1, 503, .seconds(5))
      }
      scene.wait(.milliseconds(2))
      scene.answered(200, "POST", "/book") { ($0.key, $0.connection) = (1, 2) }
    },
    Case("a hedge whose first was refused, and whose second could not be read") { scene in
      scene.exchange("POST", "/book", took: .zero) { seen in
        (seen.key, seen.status, seen.end) = (1, 409, seen.arrival + .seconds(2))
      }
      scene.wait(.milliseconds(800))
      scene.answered(200, "POST", "/book") { seen in
        seen.key = 1
        seen.plan.fault = Fault(.damage(.captivePortal), phase: .before, rule: "wifi", changes: true)
      }
      scene.wait(.seconds(40))
    },
    Case("two screens without names at one address, each with the weather at its own pace", [PollingInterval.id: .warn])
    {
      scene in
      for turn in 0..<6 {
        scene.answered(200, "GET", "/api/location/2165352/") { seen in
          seen.operation = .named("getLocationWeather")
          (seen.isNamed, seen.connection, seen.tag, seen.namedTags) = (false, turn % 2 + 1, 1, [1])
        }
        scene.wait(.seconds(turn % 2 == 0 ? 20 : 45))
      }
    },
    Case("a refusal that is asserted again a hundred seconds later, after an outage", [NoRetryOf4xx.id: .warn]) {
      scene in
      for _ in 0..<2 {
        for name in ["a", "b"] {
          scene.lost("GET", "/devices/\(name)")
          scene.wait(.milliseconds(1_300))
          for wait in [200, 300, 50_000] {
            scene.answered(404, "GET", "/devices/\(name)")
            scene.wait(.milliseconds(wait))
          }
        }
      }
    },
    Case("a person's looks at nothing, each with one retry at once", [BackoffGrows.id: .warn, NoRetryOf4xx.id: .warn]) {
      scene in
      for number in 0..<4 {
        scene.answered(404, "GET", "/devices/\(number)")
        scene.wait(.seconds(4))
        scene.answered(500, "GET", "/devices/\(number)")
        scene.wait(.milliseconds(5))
        scene.answered(404, "GET", "/devices/\(number)")
        scene.wait(.seconds(9))
      }
    },
    Case("a look that drifted after a lost booking, and the room again") { scene in
      scene.lost("POST", "/book", booked(0))
      scene.wait(.seconds(2))
      scene.answered(200, "GET", "/rooms.json") { seen in
        seen.plan.fault = Fault(.damage(.drift), phase: .after, rule: "drift", changes: true)
      }
      scene.wait(.seconds(2))
      scene.answered(200, "POST", "/book", booked(1))
    },
    Case("a person who looks after each lost booking, always as long after it") { scene in
      for version in 0..<5 {
        scene.lost("POST", "/book", booked(version))
        scene.wait(.seconds(18))
        scene.answered(304, "GET", "/rooms.json")
        scene.wait(.seconds(6))
      }
    },
    Case("a lost booking, a restored state, and the room again") { scene in
      scene.lost("POST", "/book", booked(0))
      scene.replaceState()
      scene.wait(.seconds(2))
      scene.answered(200, "POST", "/book", booked(1))
    },
    Case("a lost write in a state that was restored before its client came back") { scene in
      scene.lost("PATCH", "/devices/A")
      scene.replaceState()
      scene.wait(.seconds(40))
      scene.answered(200, "GET", "/activities")
    },
  ]
}
