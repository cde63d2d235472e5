import Contract
import Primitives

@testable import Faults
@testable import Report
@testable import Understudy

/// Courses of events that only seem to be mistakes, found among generated clients without mistakes.
extension JusticeTests {
  static let certainty = [
    Case("retries that an outage refused, all in one moment") { traffic in
      for _ in 0..<2 {
        for number in 0..<20 {
          traffic.exchange("GET", "/devices/\(number)", took: .milliseconds(1)) { seen in
            (seen.outcome, seen.status) = (.reset, nil)
            seen.planned = Plan(seen.planned.position, Fault(.ending(.offline), rule: "tunnel", changes: false))
          }
        }
        traffic.wait(.seconds(4))
      }
    },
    Case("a write under a fresh key after a loss, at an address without names", [NoDuplicateEffect.id: .warn]) {
      traffic in
      traffic.lost("POST", "/book") { ($0.key, $0.isNamed, $0.isApplied) = (1, false, true) }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book") { ($0.key, $0.isNamed, $0.isApplied) = (2, false, true) }
    },
    Case("two clients without names, of which the first comes back with its key") { traffic in
      traffic.lost("POST", "/book") { ($0.key, $0.isNamed, $0.isApplied) = (1, false, true) }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book") { ($0.key, $0.isNamed, $0.isApplied) = (2, false, true) }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book") { ($0.key, $0.isNamed) = (1, false) }
    },
    Case(
      "a lost booking without a key, and another with a key, at an address without names", [NoDuplicateEffect.id: .warn]
    ) {
      traffic in
      traffic.lost("POST", "/book", unnamed(booked(0)))
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", unnamed(booked(1, key: 1)))
    },
    Case("two unnamed users of one library, of whom one books what the other lost", [NoDuplicateEffect.id: .warn]) {
      traffic in
      for connection in [1, 2, 1, 2] {
        traffic.answered(200, "GET", "/book/\(connection)") { ($0.isNamed, $0.connection) = (false, connection) }
        traffic.wait(.seconds(1))
      }
      traffic.lost("POST", "/book", unnamed(booked(0)))
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book", unnamed(booked(1)))
    },
    Case("the same with connections that are used once each, some of them side by side", [NoDuplicateEffect.id: .warn])
    {
      traffic in
      for connection in [7, 8] {
        traffic.exchange("GET", "/book/\(connection)", took: .zero) { seen in
          (seen.isNamed, seen.connection, seen.end) = (false, connection, seen.arrival + .seconds(1))
        }
      }
      traffic.wait(.seconds(2))
      for version in [10, 11] {
        let change = unnamed(booked(version))
        if version == 10 {
          traffic.lost("POST", "/book", change)
        } else {
          traffic.answered(200, "POST", "/book", change)
        }
        traffic.wait(.seconds(1))
      }
    },
    Case("one unnamed client that stays on its connection while it can, and books again", [NoDuplicateEffect.id: .fail])
    {
      traffic in
      // Three reads side by side, as an app begins; then one after the other, on the connection that was used last.
      for connection in [1, 2, 3] {
        traffic.exchange("GET", "/devices/\(connection)", took: .zero) { seen in
          (seen.isNamed, seen.connection, seen.end) = (false, connection, seen.arrival + .milliseconds(20 * connection))
        }
      }
      for _ in 0..<3 {
        traffic.wait(.seconds(1))
        traffic.answered(200, "GET", "/devices") { ($0.isNamed, $0.connection) = (false, 3) }
      }
      traffic.lost("POST", "/book") { ($0.isNamed, $0.isApplied, $0.connection) = (false, true, 3) }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book") { ($0.isNamed, $0.isApplied, $0.connection) = (false, true, 2) }
    },
    Case("a write repeated after 412 and a read of the record, with the tag that it gave") { traffic in
      for _ in 0..<6 {
        traffic.answered(412, "PATCH", "/devices/1")
        traffic.wait(.milliseconds(100))
        traffic.answered(200) { $0.intent = Intent(.reads, record: nil) }
        traffic.wait(.milliseconds(100))
      }
      traffic.answered(200, "PATCH", "/devices/1")
    },
    Case("a stream of events whose first event stays the same") { traffic in
      for _ in 0..<5 {
        traffic.answered(200, "GET", "/rooms/stream") { ($0.operation, $0.tag) = (.named("followBookingRooms"), 1) }
        traffic.wait(.seconds(100))
      }
    },
    Case("several unnamed users of one library whose waits are mixed", [BackoffGrows.id: .warn]) { traffic in
      for round in 0..<35 {
        for (connection, wait) in zip(1..., [311, 97, 240]) {
          traffic.answered(503) { ($0.isNamed, $0.connection) = (false, connection) }
          traffic.wait(.milliseconds(wait + round * 7))
        }
        traffic.answered(200) { ($0.isNamed, $0.connection) = (false, 1) }
        traffic.wait(.seconds(5))
      }
    },
    Case("two clients without names that assert the same errors at once", [NoRetryOf4xx.id: .warn]) { traffic in
      for name in ["a", "b"] {
        for connection in [1, 2, 1, 2, 2] {
          traffic.answered(404, "GET", "/devices/\(name)") { ($0.isNamed, $0.connection) = (false, connection) }
          traffic.wait(.milliseconds(200))
        }
      }
    },
    Case("the entity tag of a whole response, of which a later one was cut") { traffic in
      traffic.answered(200) { $0.tag = 1 }
      traffic.lost { ($0.status, $0.tag) = (200, 1) }
      traffic.answered(304) { ($0.tag, $0.namedTags) = (1, [1]) }
    },
    Case("hedged reads, each hedge retried at once, as by a transport") { traffic in
      for number in 0..<3 {
        traffic.exchange("GET", "/devices/\(number)", took: .zero) { seen in
          (seen.outcome, seen.status, seen.end) = (.peerGone, nil, seen.arrival + .milliseconds(1_300))
        }
        traffic.wait(.milliseconds(1_100))
        traffic.answered(503, "GET", "/devices/\(number)")
        traffic.wait(.milliseconds(2))
        traffic.answered(200, "GET", "/devices/\(number)")
        traffic.wait(.seconds(5))
      }
    },
    Case("a hedged request with one key, of which the first response is lost and the second arrives") { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        (seen.key, seen.status, seen.outcome, seen.end) = (1, nil, .reset, seen.arrival + .seconds(2))
      }
      traffic.wait(.milliseconds(800))
      traffic.answered(200, "POST", "/book") { $0.key = 1 }
      for wait in [3, 9] {
        traffic.wait(.seconds(wait))
        traffic.lost("POST", "/book") { $0.key = 1 }
      }
      traffic.wait(.seconds(5))
      traffic.answered(200, "POST", "/book") { $0.key = 1 }
    },
    Case("a hedged request in flight when the first one gets a temporary refusal", [RetryAfterHonoured.id: .warn]) {
      traffic in
      traffic.exchange("POST", "/book", took: .milliseconds(800)) { seen in
        (seen.key, seen.connection, seen.status, seen.retryAfter) = (1, 1, 503, .seconds(5))
      }
      traffic.wait(.milliseconds(2))
      traffic.answered(200, "POST", "/book") { ($0.key, $0.connection) = (1, 2) }
    },
    Case("a hedged request with a refusal first, and then an unreadable response") { traffic in
      traffic.exchange("POST", "/book", took: .zero) { seen in
        (seen.key, seen.status, seen.end) = (1, 409, seen.arrival + .seconds(2))
      }
      traffic.wait(.milliseconds(800))
      traffic.answered(200, "POST", "/book") { seen in
        seen.key = 1
        seen.planned = Plan(
          seen.planned.position, Fault(.damage(.captivePortal), phase: .before, rule: "wifi", changes: true))
      }
      traffic.wait(.seconds(40))
    },
    Case(
      "two unnamed clients at one address, each polling the weather at its own interval", [PollingInterval.id: .warn]
    ) {
      traffic in
      for turn in 0..<6 {
        traffic.answered(200, "GET", "/api/location/2165352/") { seen in
          seen.operation = .named("getLocationWeather")
          (seen.isNamed, seen.connection, seen.tag, seen.namedTags) = (false, turn % 2 + 1, 1, [1])
        }
        traffic.wait(.seconds(turn % 2 == 0 ? 20 : 45))
      }
    },
    Case("a refused request that is repeated a hundred seconds later, after an outage") { traffic in
      for _ in 0..<2 {
        for name in ["a", "b"] {
          traffic.lost("GET", "/devices/\(name)")
          traffic.wait(.milliseconds(1_300))
          for wait in [200, 300, 50_000] {
            traffic.answered(404, "GET", "/devices/\(name)")
            traffic.wait(.milliseconds(wait))
          }
        }
      }
    },
    Case("a user's reads of a missing record, each with one immediate retry") { traffic in
      for number in 0..<4 {
        traffic.answered(404, "GET", "/devices/\(number)")
        traffic.wait(.seconds(4))
        traffic.answered(500, "GET", "/devices/\(number)")
        traffic.wait(.milliseconds(5))
        traffic.answered(404, "GET", "/devices/\(number)")
        traffic.wait(.seconds(9))
      }
    },
    Case("a drifted response to the read after a lost booking, and the same booking again") { traffic in
      traffic.lost("POST", "/book", booked(0))
      traffic.wait(.seconds(2))
      traffic.answered(200, "GET", "/rooms.json") { seen in
        seen.planned = Plan(seen.planned.position, Fault(.damage(.drift), phase: .after, rule: "drift", changes: true))
      }
      traffic.wait(.seconds(2))
      traffic.answered(200, "POST", "/book", booked(1))
    },
    Case("a read after each lost booking, always after the same time") { traffic in
      for version in 0..<5 {
        traffic.lost("POST", "/book", booked(version))
        traffic.wait(.seconds(18))
        traffic.answered(304, "GET", "/rooms.json")
        traffic.wait(.seconds(6))
      }
    },
    Case("a lost booking, a restored state, and the same booking again") { traffic in
      traffic.lost("POST", "/book", booked(0))
      traffic.replaceState()
      traffic.wait(.seconds(2))
      traffic.answered(200, "POST", "/book", booked(1))
    },
    Case("a lost write whose state is restored before the client's next request") { traffic in
      traffic.lost("PATCH", "/devices/A")
      traffic.replaceState()
      traffic.wait(.seconds(40))
      traffic.answered(200, "GET", "/activities")
    },
  ]
}
