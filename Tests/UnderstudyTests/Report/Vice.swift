import Contract
import Faults

@testable import Understudy

/// The mistakes of clients, one at a time.
enum Vice: String, CaseIterable {
  case retriesTooOften, retriesAtOnce, knowsNoJitter, ignoresRetryAfter, retriesRefusals, booksTwice
  case forgetsLostReplies, forgetsTags, pollsTheWeather, stampedes, waitsForEver, givesUpAtOnce

  /// The only check that has something to say against it.
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
  func play(_ scene: inout Scene, _ hash: inout some RandomNumberGenerator, client: UInt64 = 99) {
    let number = UInt64.random(in: 0...999_999, using: &hash)
    let path = "/devices/vice-\(number)"
    func wait(_ range: ClosedRange<Int>) -> Duration { .milliseconds(Int.random(in: range, using: &hash)) }
    switch self {
    case .retriesTooOften:
      for attempt in 0..<9 {
        scene.answered(503, "GET", path, client: client)
        scene.wait(wait(15 << attempt...25 << attempt))
      }
    case .retriesAtOnce:
      for _ in 0..<4 {
        scene.answered(503, "GET", path, client: client)
        scene.wait(.microseconds(400))
      }
    case .knowsNoJitter:
      for chain in 0..<5 {
        for attempt in 0..<3 {
          scene.answered(attempt < 2 ? 503 : 200, "GET", path + "-\(chain)", client: client)
          if attempt < 2 { scene.wait(.milliseconds(500 << attempt)) }
        }
        scene.wait(.seconds(2))
      }
    case .ignoresRetryAfter:
      scene.answered(503, "GET", path, client: client, retryAfter: .seconds(5))
      scene.wait(wait(300...900))
      scene.answered(200, "GET", path, client: client)
    case .retriesRefusals:
      for attempt in 0..<5 {
        scene.answered(400, "PATCH", path, client: client)
        if attempt < 4 { scene.wait(wait(100...900)) }
      }
    case .booksTwice:
      for attempt in 0..<2 {
        let version = 1_000_000 + Int(number) * 2 + attempt
        let book: (inout Observation) -> Void = { seen in
          seen.isApplied = true
          seen.versions = version..<version + 1
          seen.effect = .take(.spots(of: "Ljerka"))
        }
        if attempt == 0 {
          scene.lost("POST", "/book", client: client, book)
          scene.wait(wait(300...900))
        } else {
          scene.answered(200, "POST", "/book", client: client, book)
        }
      }
    case .forgetsLostReplies:
      scene.lost("PATCH", path, client: client)
      scene.wait(.seconds(40))
    case .forgetsTags:
      for _ in 0..<5 {
        scene.answered(200, "GET", path, client: client) { $0.tag = number }
        scene.wait(wait(3_000...9_000))
      }
    case .pollsTheWeather:
      for _ in 0..<6 {
        scene.answered(200, "GET", "/api/location/2165352/", client: client) { seen in
          seen.operation = .named("getLocationWeather")
          seen.namedTags = [3]
          seen.tag = 3
        }
        scene.wait(.seconds(1))
      }
    case .stampedes: stampede(&scene, &hash, path)
    case .waitsForEver, .givesUpAtOnce:
      let took = self == .waitsForEver ? Duration.seconds(180) : .milliseconds(200)
      scene.exchange("GET", path, client: client, took: took) { seen in
        seen.outcome = self == .waitsForEver ? .cut : .peerGone
        seen.status = nil
        seen.plan.fault = Fault(.ending(.hang(Hold())), changes: false)
      }
    }
  }

  /// Many requests of one client fail one after the other, and all come back together.
  private func stampede(_ scene: inout Scene, _ hash: inout some RandomNumberGenerator, _ path: String) {
    for number in 0..<20 {
      scene.answered(503, "GET", "\(path)-\(number)", client: 5_000)
      scene.wait(.milliseconds(Int.random(in: 200...900, using: &hash)))
    }
    let back = scene.now
    for number in 0..<20 {
      scene.now = back + .milliseconds(number * 2)
      scene.answered(200, "GET", "\(path)-\(number)", client: 5_000)
    }
  }
}
