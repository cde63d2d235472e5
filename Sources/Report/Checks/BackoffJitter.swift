import Contract
import Primitives

/// Checks that waits are drawn rather than fixed, so that clients which failed together do not come back together.
///
/// Waits before the same attempt are compared, over logical requests, for each client and for all of them (AWS
/// Architecture Blog, "Exponential Backoff and Jitter"; gRFC A6 draws from 0.8 to 1.2 of the backoff). Waits that
/// `Retry-After` set do not count, and tiny ones show the machine's jitter, not the client's. From three seconds on they
/// are the probes of a breaker, or a poller's pace.
struct BackoffJitter: Check {
  static let id = "backoff-jitter"
  /// Failed requests that a person repeats with one tap follow each other this closely; they are one draw.
  static let tap = Duration.seconds(1)
  /// From so many attempts on it is a loop, and no person.
  static let maximumTaps = 2
  /// Alike is what differs by less: the jitter of timers and networks, far less than gRPC's two fifths.
  static let spread = 0.05
  static let noise = Duration.milliseconds(3)
  /// Comparisons without which nothing is said: drawn waits are all so close once in thousands of times.
  static let comparisons = 4
  static let maximumNumber = 8

  private var waits = RecentTable<[Group]>(capacity: 256)
  /// All clients together.
  private static let allClients: UInt64 = 0

  private struct Group: Sendable {
    var count = 0
    var shortest = Duration.seconds(1 << 40)
    var longest = Duration.zero
    /// When the last of them came.
    var last: MonotonicInstant?
    var example = ""
    var evidence = Evidence()

    /// The shortest wait, and the longest where it reads otherwise.
    var span: String {
      let (low, high) = (ReportText.duration(shortest), ReportText.duration(longest))
      return low == high ? "such as \(low)" : "such as \(low) to \(high)"
    }

    var isAlike: Bool { longest - shortest <= max(longest * BackoffJitter.spread, BackoffJitter.noise) }
  }

  var interest: Traits { .retry }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard case .retry(let request, _, let wait) = role.attempt, request.last.retryAfter == nil,
      request.last.isEndKnown, request.round <= Self.maximumNumber,
      wait > BackoffGrows.tiny, wait < BackoffGrows.longEnough,
      !request.last.isRejected, request.last.advanced == seen.advanced.lowerBound
    else { return }
    let number = request.round
    for owner in [Self.allClients, seen.client] {
      var groups = waits[owner] ?? Array(repeating: Group(), count: Self.maximumNumber)
      let last = groups[number - 1].last
      groups[number - 1].last = seen.arrival
      if number <= Self.maximumTaps, let last, request.last.end <= last, seen.arrival - last < Self.tap {
        waits[owner] = groups
        continue
      }
      groups[number - 1].count += 1
      groups[number - 1].example = ReportText.request(seen)
      groups[number - 1].shortest = min(groups[number - 1].shortest, wait)
      groups[number - 1].longest = max(groups[number - 1].longest, wait)
      groups[number - 1].evidence.add(request.last.id, seen.id)
      waits[owner] = groups
    }
  }

  func finding(_ context: CheckContext) -> Finding {
    var compared = 0
    for groups in waits.values {
      let comparable = groups.filter { $0.count > 1 }
      let comparisons = comparable.reduce(0) { $0 + $1.count - 1 }
      guard comparisons >= Self.comparisons else { continue }
      compared = max(compared, comparisons)
      guard comparable.allSatisfy(\.isAlike), let worst = comparable.max(by: { $0.count < $1.count }) else { continue }
      return Finding(
        .fail,
        "Waits before the same attempt were alike in all \(comparisons) comparisons, \(worst.span), so clients that "
          + "failed together come back together: \(worst.example). Draw each wait at random.", worst.evidence)
    }
    guard compared > 0 else {
      return Finding(.notExercised, "Too few retries had waits to compare.")
    }
    return Finding(.pass, "Waits before the same attempt differed, in \(compared) comparisons.")
  }
}
