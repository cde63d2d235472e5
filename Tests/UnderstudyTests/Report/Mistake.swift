import Contract
import Primitives

@testable import Faults
@testable import Report
@testable import Understudy

/// The mistakes of clients, one at a time.
enum Mistake: String, CaseIterable {
  case retriesTooOften, retriesAtOnce, knowsNoJitter, ignoresRetryAfter, retriesRefusals, booksTwice
  case forgetsLostReplies, forgetsTags, pollsTheWeather, stampedes, waitsForEver, givesUpAtOnce

  /// The only check that warns or fails.
  var check: String {
    switch self {
    case .retriesTooOften: RetryAmplification.id
    case .retriesAtOnce: BackoffGrows.id
    case .knowsNoJitter: BackoffJitter.id
    case .ignoresRetryAfter: RetryAfterHonoured.id
    case .retriesRefusals: NoRetryOf4xx.id
    case .booksTwice: NoDuplicateEffect.id
    case .forgetsLostReplies: LostReplyFollowedUp.id
    case .forgetsTags: ConditionalRequests.id
    case .pollsTheWeather: PollingInterval.id
    case .stampedes: NoStampede.id
    case .waitsForEver, .givesUpAtOnce: TimeoutsSane.id
    }
  }

  var verdict: Verdict {
    switch self {
    case .forgetsTags, .waitsForEver, .givesUpAtOnce: .warn
    default: .fail
    }
  }

  /// Plays a client that makes this mistake, in an otherwise random course of events.
  func play(_ traffic: inout Traffic, _ hash: inout some RandomNumberGenerator, client: UInt64 = 99) {
    let number = UInt64.random(in: 0...999_999, using: &hash)
    let path = "/devices/mistake-\(number)"
    func wait(_ range: ClosedRange<Int>) -> Duration { .milliseconds(Int.random(in: range, using: &hash)) }
    switch self {
    case .retriesTooOften:
      for attempt in 0..<9 {
        traffic.answered(503, "GET", path, client: client)
        traffic.wait(wait(15 << attempt...25 << attempt))
      }
    case .retriesAtOnce:
      for _ in 0..<4 {
        traffic.answered(503, "GET", path, client: client)
        traffic.wait(.microseconds(400))
      }
    case .knowsNoJitter:
      for chain in 0..<5 {
        for attempt in 0..<3 {
          traffic.answered(attempt < 2 ? 503 : 200, "GET", path + "-\(chain)", client: client)
          if attempt < 2 { traffic.wait(.milliseconds(500 << attempt)) }
        }
        traffic.wait(.seconds(2))
      }
    case .ignoresRetryAfter:
      traffic.answered(503, "GET", path, client: client, retryAfter: .seconds(5))
      traffic.wait(wait(300...900))
      traffic.answered(200, "GET", path, client: client)
    case .retriesRefusals:
      for attempt in 0..<5 {
        traffic.answered(400, "PATCH", path, client: client)
        if attempt < 4 { traffic.wait(wait(100...900)) }
      }
    case .booksTwice:
      for attempt in 0..<2 {
        let version = 1_000_000 + Int(number) * 2 + attempt
        let book: (inout Observation) -> Void = { seen in
          seen.isApplied = true
          seen.versions = version..<version + 1
          seen.purpose = .booking("Ljerka")
        }
        if attempt == 0 {
          traffic.lost("POST", "/book", client: client, book)
          traffic.wait(wait(300...900))
        } else {
          traffic.answered(200, "POST", "/book", client: client, book)
        }
      }
    case .forgetsLostReplies:
      traffic.lost("PATCH", path, client: client)
      traffic.wait(.seconds(40))
    case .forgetsTags:
      for _ in 0..<5 {
        traffic.answered(200, "GET", path, client: client) { $0.tag = number }
        traffic.wait(wait(3_000...9_000))
      }
    case .pollsTheWeather:
      for _ in 0..<6 {
        traffic.answered(200, "GET", "/api/location/2165352/", client: client) { seen in
          seen.operation = .named("getLocationWeather")
          seen.namedTags = [3]
          seen.tag = 3
        }
        traffic.wait(.seconds(1))
      }
    case .stampedes: stampede(&traffic, &hash, path)
    case .waitsForEver, .givesUpAtOnce:
      let took = self == .waitsForEver ? Duration.seconds(180) : .milliseconds(200)
      traffic.exchange("GET", path, client: client, took: took) { seen in
        seen.outcome = self == .waitsForEver ? .cut : .peerGone
        seen.status = nil
        seen.planned = Plan(seen.planned.position, Fault(.ending(.hang(Hold())), changes: false))
      }
    }
  }

  /// Many requests of one client fail one after the other, and are all repeated at the same time.
  private func stampede(_ traffic: inout Traffic, _ hash: inout some RandomNumberGenerator, _ path: String) {
    for number in 0..<20 {
      traffic.answered(503, "GET", "\(path)-\(number)", client: 5_000)
      traffic.wait(.milliseconds(Int.random(in: 200...900, using: &hash)))
    }
    let back = traffic.now
    for number in 0..<20 {
      traffic.now = back + .milliseconds(number * 2)
      traffic.answered(200, "GET", "\(path)-\(number)", client: 5_000)
    }
  }
}
