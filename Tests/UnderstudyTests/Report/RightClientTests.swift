import Contract
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

/// Clients that do right, each in a way that a check could take for a mistake.
@Suite("Right clients that are not accused")
struct RightClientTests {
  struct Course: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var isOffline = false
    let play: @Sendable (inout Traffic) -> Void

    init(_ name: String, isOffline: Bool = false, play: @escaping @Sendable (inout Traffic) -> Void) {
      testDescription = name
      self.isOffline = isOffline
      self.play = play
    }
  }

  /// A read that fails so often, with these waits, and then succeeds.
  private static func retries(_ traffic: inout Traffic, _ waits: [Duration], client: UInt64 = 7, _ number: Int = 0) {
    for wait in waits {
      traffic.answered(503, "GET", "/devices/\(number)", client: client)
      traffic.wait(wait)
    }
    traffic.answered(200, "GET", "/devices/\(number)", client: client)
    traffic.wait(.seconds(3))
  }

  private static func wish(_ seen: inout Observation, key: UInt64? = nil) {
    seen.operation = .named("bookRoom")
    seen.key = key
    seen.intent = Intent(.adds, record: Observation.hash("Ljerka"), meaning: Observation.hash("Ljerka"))
  }

  private static let courses = [
    Course("that come back at the date of Retry-After, though its response was slow") { traffic in
      traffic.exchange("GET", "/devices", took: .seconds(3)) { seen in
        (seen.status, seen.retryAfter, seen.isRetryAfterDate) = (503, .seconds(4), true)
      }
      traffic.wait(.milliseconds(10))
      traffic.answered(200)
    },
    Course("whose run ends while the sandbox is offline", isOffline: true) { traffic in
      traffic.lost("PATCH", "/devices/1")
      traffic.wait(.seconds(3))
    },
    Course("that have six wishes under six keys at a full room") { traffic in
      for key in 0..<6 {
        traffic.answered(409, "POST", "/book") { wish(&$0, key: UInt64(key)) }
        traffic.wait(.milliseconds(150))
      }
    },
    Course("that poll each three seconds sharp, and whose first polls fail") { traffic in
      for number in 0..<9 {
        traffic.answered(number < 6 ? 503 : 200)
        traffic.wait(.milliseconds(2_980))
      }
    },
    Course("that have 120 workers, and wait as Retry-After says") { traffic in
      for number in 0..<120 {
        traffic.answered(503, "GET", "/users/\(number)", retryAfter: .seconds(4))
        traffic.wait(.milliseconds(5))
      }
      traffic.wait(.seconds(1))
      for number in 0..<120 {
        traffic.answered(200, "GET", "/users/\(number)")
        traffic.wait(.milliseconds(30))
      }
    },
    Course("that meet the same 404 in each round of a test") { traffic in
      for number in 0..<8 {
        traffic.answered(404, "GET", "/devices/none")
        traffic.wait(.milliseconds(100))
        traffic.answered(200, "GET", "/activities/\(number)")
        traffic.wait(.milliseconds(100))
      }
    },
    Course("whose transport repeats within a millisecond, and who wait themselves") { traffic in
      for number in 0..<5 {
        let jitter = Duration.milliseconds([0, 210, 90, 340, 130][number])
        retries(&traffic, [.microseconds(400), .milliseconds(600) + jitter, .milliseconds(1_500) + jitter], number)
      }
    },
    Course("that look, find nothing, and look again, before they write once more") { traffic in
      traffic.lost("POST", "/book") { seen in
        wish(&seen)
        (seen.isApplied, seen.versions) = (true, 0..<1)
      }
      for status in [503, 503, 200] {
        traffic.wait(.milliseconds(1_300))
        traffic.answered(status, "GET", "/rooms.json")
      }
      traffic.wait(.milliseconds(200))
      traffic.answered(200, "POST", "/book") { seen in
        wish(&seen)
        (seen.isApplied, seen.versions) = (true, 1..<2)
      }
    },
    Course("that write once more after 30 s, of which the clock was advanced by 29") { traffic in
      traffic.lost("PATCH", "/devices/1")
      traffic.wait(.seconds(41))
      traffic.answered(200, "PATCH", "/devices/1") { $0.advanced = .seconds(40) ... .seconds(40) }
    },
  ]

  @Test("are reported by no check", arguments: courses)
  func isRight(course: Course) {
    var traffic = Traffic()
    course.play(&traffic)
    let complaints = traffic.findings(isOffline: course.isOffline).filter { $0.value.verdict > .pass }
    #expect(complaints.isEmpty, "\(complaints.mapValues(\.sentence))")
  }

  /// A booking whose response is lost after it was done, with a stream of the rooms before it.
  private static func lostBooking(followsStream: Bool) -> Traffic {
    var traffic = Traffic()
    if followsStream {
      traffic.answered(200, "GET", "/rooms/stream") { seen in
        (seen.operation, seen.api, seen.tag) = (.named("followBookingRooms"), 4, 1)
      }
    }
    traffic.lost("POST", "/book") { seen in
      wish(&seen)
      (seen.isApplied, seen.versions) = (true, 0..<1)
    }
    return traffic
  }

  @Test("that follow a stream know from it what became of a lost write", arguments: [true, false])
  func knowsFromStream(followsStream: Bool) {
    var traffic = Self.lostBooking(followsStream: followsStream)
    traffic.wait(.seconds(40))
    #expect(traffic.findings()[LostReplyFollowedUp.id]?.verdict == (followsStream ? .pass : .fail))
  }

  @Test("that write again after a stream has shown the first write may mean it, but not within a second")
  func writesAgainAfterStream() {
    for (followsStream, wait, verdict) in [
      (true, Duration.milliseconds(1_200), Verdict.warn), (true, .milliseconds(800), .fail),
      (false, .milliseconds(1_200), .fail),
    ] {
      var traffic = Self.lostBooking(followsStream: followsStream)
      traffic.wait(wait)
      traffic.answered(200, "POST", "/book") { seen in
        Self.wish(&seen)
        (seen.isApplied, seen.versions) = (true, 1..<2)
      }
      #expect(traffic.findings()[NoDuplicateEffect.id]?.verdict == verdict, "\(followsStream), \(wait)")
    }
  }

  @Test("that draw full jitter are not said to shrink their waits, be they 120", arguments: UInt64(0)..<20)
  func fullJitter(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var traffic = Traffic()
    for client in 0..<120 {
      let waits = (0..<4).map { Duration.milliseconds(Int.random(in: 0...(500 << $0), using: &random)) }
      Self.retries(&traffic, waits, client: UInt64(1_000 + client), client)
    }
    #expect(traffic.findings()[BackoffGrows.id]?.verdict != .fail)
  }

  @Test("that add a tenth to each wait are not said to have none", arguments: UInt64(0)..<60)
  func tenth(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var traffic = Traffic()
    for number in 0..<6 {
      let waits = [500, 1_000, 2_000].map {
        Duration.microseconds(Int.random(in: $0 * 1_000...$0 * 1_100, using: &random))
      }
      Self.retries(&traffic, waits, number)
    }
    #expect(traffic.findings()[BackoffJitter.id]?.verdict == .pass)
  }
}
