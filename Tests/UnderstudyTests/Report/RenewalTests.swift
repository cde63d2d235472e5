import Contract
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

/// For each check, the events that renew what it knows of a client: with the event in the middle the verdict is another one.
@Suite("What renews the state of a check")
struct RenewalTests {
  struct Renewal: Sendable, CustomTestStringConvertible {
    let check: String
    let testDescription: String
    let without: Verdict
    let with: Verdict
    /// Plays the client, with the event or without it.
    let play: @Sendable (inout Traffic, _ isRenewed: Bool) -> Void

    init(
      _ check: String, _ event: String, _ without: Verdict, _ with: Verdict,
      play: @escaping @Sendable (inout Traffic, Bool) -> Void
    ) {
      self.check = check
      testDescription = "\(check): \(event)"
      self.without = without
      self.with = with
      self.play = play
    }
  }

  private static func book(
    _ seen: inout Observation, _ version: Int, key: UInt64? = nil, room: String = "Ljerka"
  ) {
    seen.operation = .named("bookRoom")
    (seen.isApplied, seen.versions, seen.key) = (true, version..<version + 1, key)
    seen.intent = Intent(.adds, record: Observation.hash(room), meaning: Observation.hash(room))
  }

  /// A booking that changed nothing.
  private static func attempt(_ seen: inout Observation, key: UInt64) {
    book(&seen, 0, key: key)
    (seen.isApplied, seen.versions) = (false, 0..<0)
  }

  /// Failed attempts of one read, and a pause or another event among them.
  private static func attempts(_ traffic: inout Traffic, _ count: Int, key: UInt64? = nil) {
    for _ in 0..<count {
      traffic.answered(503, "PUT", "/devices/1") { $0.key = key }
      traffic.wait(.milliseconds(150))
    }
  }

  private static let loads = [
    Renewal(RetryAmplification.id, "ten seconds without an attempt", .fail, .pass) { traffic, isRenewed in
      attempts(&traffic, 5)
      traffic.wait(isRenewed ? .seconds(11) : .zero)
      attempts(&traffic, 5)
    },
    Renewal(RetryAmplification.id, "a wait that Retry-After set", .fail, .pass) { traffic, isRenewed in
      attempts(&traffic, 4)
      traffic.answered(503, "PUT", "/devices/1", retryAfter: isRenewed ? .seconds(1) : nil)
      traffic.wait(.milliseconds(1_100))
      attempts(&traffic, 5)
    },
    Renewal(RetryAmplification.id, "another key", .fail, .pass) { traffic, isRenewed in
      attempts(&traffic, 5, key: 1)
      attempts(&traffic, 5, key: isRenewed ? 2 : 1)
    },
    Renewal(NoStampede.id, "a tenth of a second", .fail, .pass) { traffic, isRenewed in
      for number in 0..<14 { traffic.answered(503, "GET", "/devices/\(number)") }
      traffic.wait(.seconds(4))
      for number in 0..<14 {
        traffic.exchange("GET", "/devices/\(number)", took: .milliseconds(2))
        if isRenewed, number == 7 { traffic.wait(.milliseconds(120)) }
      }
    },
    Renewal(NoRetryOf4xx.id, "a success in between", .fail, .pass) { traffic, isRenewed in
      for number in 0..<6 {
        traffic.answered(400, "PUT", "/devices/1")
        traffic.wait(.milliseconds(200))
        if isRenewed { traffic.answered(200, "GET", "/activities/\(number)") }
      }
    },
    Renewal(NoRetryOf4xx.id, "a second's pause", .fail, .warn) { traffic, isRenewed in
      for number in 0..<6 {
        traffic.answered(400, "PUT", "/devices/1")
        traffic.wait(.milliseconds(isRenewed && number == 3 ? 1_100 : 200))
      }
    },
    Renewal(NoRetryOf4xx.id, "another key", .fail, .pass) { traffic, isRenewed in
      for number in 0..<6 {
        traffic.answered(409, "PUT", "/devices/1") { $0.key = isRenewed ? UInt64(number) : 7 }
        traffic.wait(.milliseconds(200))
      }
    },
  ]

  private static let writes = [
    Renewal(NoDuplicateEffect.id, "a look at the list", .fail, .notExercised) { traffic, isRenewed in
      traffic.lost("POST", "/book") { book(&$0, 0) }
      traffic.wait(.seconds(1))
      if isRenewed { traffic.answered(200, "GET", "/rooms.json") }
      traffic.answered(200, "POST", "/book") { book(&$0, 1) }
    },
    Renewal(NoDuplicateEffect.id, "a look that is followed by another, still under way", .fail, .notExercised) {
      traffic, isRenewed in
      traffic.lost("POST", "/book") { book(&$0, 0) }
      traffic.wait(.seconds(1))
      if isRenewed { traffic.answered(200, "GET", "/rooms.json") }
      let now = traffic.now
      if isRenewed { traffic.exchange("GET", "/rooms.json", took: .seconds(5)) }
      traffic.now = now + .seconds(1)
      traffic.answered(200, "POST", "/book") { book(&$0, 1) }
    },
    Renewal(NoDuplicateEffect.id, "a look that had to be repeated", .fail, .notExercised) { traffic, isRenewed in
      traffic.lost("POST", "/book") { book(&$0, 0) }
      traffic.wait(.seconds(1))
      if isRenewed {
        for status in [503, 503, 503, 200] {
          traffic.answered(status, "GET", "/rooms.json")
          traffic.wait(.seconds(1))
        }
      }
      traffic.answered(200, "POST", "/book") { book(&$0, 1) }
    },
    Renewal(NoDuplicateEffect.id, "a state that was replaced", .fail, .pass) { traffic, isRenewed in
      traffic.lost("POST", "/book") { book(&$0, 0) }
      if isRenewed { traffic.replaceState() }
      traffic.wait(.seconds(1))
      traffic.answered(200, "POST", "/book") { book(&$0, 1) }
    },
    Renewal(NoDuplicateEffect.id, "the first key, sent again", .fail, .pass) { traffic, isRenewed in
      traffic.lost("POST", "/book") { book(&$0, 0, key: 1) }
      traffic.wait(.milliseconds(300))
      traffic.answered(200, "POST", "/book") { book(&$0, 1, key: 2) }
      traffic.wait(.seconds(1))
      if isRenewed {
        traffic.answered(200, "POST", "/book") { seen in
          book(&seen, 2, key: 1)
          seen.isApplied = false
        }
      }
    },
    Renewal(LostReplyFollowedUp.id, "a look in vain", .warn, .pass) { traffic, isRenewed in
      traffic.lost("PATCH", "/devices/1")
      traffic.wait(.seconds(20))
      if isRenewed { traffic.lost("PATCH", "/devices/1") }
      traffic.wait(.seconds(20))
      traffic.answered(200, "PATCH", "/devices/1")
    },
    Renewal(KeyReuse.id, "a failed attempt, which permits one more", .warn, .pass) { traffic, isRenewed in
      for number in 0..<3 {
        if isRenewed, number == 1 {
          traffic.lost("POST", "/book") { attempt(&$0, key: 5) }
        } else {
          traffic.answered(200, "POST", "/book") { attempt(&$0, key: 5) }
        }
        traffic.wait(.milliseconds(500))
      }
    },
  ]

  private static let reads = [
    Renewal(Freshness.id, "the end of max-age", .warn, .pass) { traffic, isRenewed in
      for _ in 0..<5 {
        traffic.answered(200, "GET", "/rooms.json") { $0.operation = .named("listBookingRooms") }
        traffic.wait(.seconds(isRenewed ? 601 : 60))
      }
    },
    Renewal(RequestsInALoop.id, "a pause after a hundred reads", .fail, .pass) { traffic, isRenewed in
      for number in 0..<300 {
        traffic.exchange("GET", "/devices/1", took: .milliseconds(3)) { $0.tag = 1 }
        traffic.wait(.milliseconds(isRenewed && number % 100 == 99 ? 500 : 2))
      }
    },
  ]

  private static let all = loads + writes + reads

  @Test("the event makes the difference", arguments: all)
  func renews(renewal: Renewal) {
    for isRenewed in [false, true] {
      var traffic = Traffic()
      renewal.play(&traffic, isRenewed)
      let finding = traffic.findings(isFinal: false)[renewal.check]
      let expected = isRenewed ? renewal.with : renewal.without
      #expect(finding?.verdict == expected, "\(isRenewed ? "with" : "without"): \(finding?.sentence ?? "")")
    }
  }
}
