import Contract
import JSON
import Primitives

@testable import Faults
@testable import Report
@testable import Understudy

/// A client without mistakes under any faults: it uses full jitter, keys, tags and Retry-After.
struct WellBehaved {
  var hash: SplitMix64
  private var version = 0
  private var keys: UInt64 = 0
  /// The value that was last written to each device.
  private var state: [String: String] = [:]

  init(seed: UInt64) { hash = SplitMix64(seed: seed) }

  mutating func play(_ traffic: inout Traffic, steps: Int, client: UInt64 = 7) {
    for _ in 0..<steps {
      switch Int.random(in: 0..<6, using: &hash) {
      case 0: read(&traffic, client)
      case 1: patch(&traffic, client)
      case 2: book(&traffic, client)
      case 3: askWeather(&traffic)
      case 4:
        traffic.answered(404, "GET", "/devices/none-\(Int.random(in: 0..<1_000_000, using: &hash))", client: client)
      default: hang(&traffic, client)
      }
      traffic.wait(.milliseconds(Int.random(in: 100...5_000, using: &hash)))
    }
    traffic.wait(.seconds(61))
    traffic.answered(304, "GET", "/devices", client: client) { $0.namedTags = [1] }
    traffic.answered(304, "GET", "/rooms.json", client: client) { $0.namedTags = [1] }
  }

  /// The wait before an attempt: full jitter over a second, doubled each time.
  private mutating func backOff(_ traffic: inout Traffic, _ attempt: Int, atLeast least: Duration? = nil) {
    if let least { traffic.wait(least) }
    traffic.wait(.microseconds(Int.random(in: 0...1_000_000 << attempt, using: &hash)))
  }

  /// Attempts until one succeeds, the last one at the latest.
  private mutating func attempts(
    _ traffic: inout Traffic, _ method: String, _ target: String, _ client: UInt64,
    _ outcome: (inout WellBehaved, _ isLost: Bool, inout Observation) -> Void
  ) {
    let failures = Int.random(in: 0...3, using: &hash) - 1
    for attempt in 0..<max(0, failures) {
      switch Int.random(in: 0..<3, using: &hash) {
      case 0:
        let asked = Duration.seconds(Int.random(in: 1...5, using: &hash))
        traffic.answered(503, method, target, client: client, retryAfter: asked) {
          outcome(&self, true, &$0); $0.unapply()
        }
        backOff(&traffic, 0, atLeast: asked)
      case 1:
        traffic.answered(500, method, target, client: client) {
          outcome(&self, true, &$0); $0.unapply()
        }
        backOff(&traffic, attempt)
      default:
        traffic.lost(method, target, client: client) { outcome(&self, true, &$0) }
        backOff(&traffic, attempt)
      }
    }
    traffic.answered(200, method, target, client: client) { outcome(&self, false, &$0) }
  }

  private mutating func read(_ traffic: inout Traffic, _ client: UInt64) {
    attempts(&traffic, "GET", "/devices", client) { _, _, seen in
      seen.namedTags = [1]
      seen.tag = 1
    }
  }

  private mutating func patch(_ traffic: inout Traffic, _ client: UInt64) {
    let device = "d\(Int.random(in: 0..<10, using: &hash))"
    let value = "v\(Int.random(in: 0..<1_000_000, using: &hash))"
    attempts(&traffic, "PATCH", "/devices/\(device)", client) { world, _, seen in
      seen.operation = .named("patchDevice")
      seen.intent = Intent(
        .sets, record: Observation.hash(device), members: ["type"], meaning: Observation.hash(value))
      seen.versions = world.version..<world.version
      guard seen.status != 503, seen.status != 500, world.state[device] != value else { return }
      world.state[device] = value
      world.apply(&seen)
    }
  }

  private mutating func book(_ traffic: inout Traffic, _ client: UInt64) {
    keys += 1
    let key = keys
    var isDone = false
    attempts(&traffic, "POST", "/book", client) { world, _, seen in
      seen.operation = .named("bookRoom")
      seen.key = key
      seen.purpose = .booking("Ljerka")
      seen.versions = world.version..<world.version
      guard seen.status != 503, seen.status != 500, !isDone else { return }
      isDone = true
      world.apply(&seen)
    }
  }

  private mutating func apply(_ seen: inout Observation) {
    seen.isApplied = true
    seen.versions = version..<version + 1
    version += 1
  }

  private mutating func askWeather(_ traffic: inout Traffic) {
    traffic.wait(.seconds(60))
    traffic.weather()
  }

  private mutating func hang(_ traffic: inout Traffic, _ client: UInt64) {
    let patience = Duration.seconds(Int.random(in: 2...60, using: &hash))
    let target = "/activities/\(Int.random(in: 0..<1_000_000, using: &hash))"
    traffic.exchange("GET", target, client: client, took: patience) { seen in
      seen.status = nil
      seen.outcome = .peerGone
      seen.planned = Plan(seen.planned.position, Fault(.ending(.hang(Hold())), rule: "silence", changes: false))
      seen.planned.change { $0.rules = ["silence"] }
    }
    backOff(&traffic, 0)
    traffic.answered(200, "GET", target, client: client)
  }
}

extension Observation {
  fileprivate mutating func unapply() {
    isApplied = false
  }
}
