import Contract

/// Checks that waits are drawn rather than fixed, so that clients which failed together do not come back together.
///
/// Waits before the same attempt are compared, over logical requests, for each client and for all of them (AWS
/// Architecture Blog, "Exponential Backoff and Jitter"; gRFC A6 draws from 0.8 to 1.2 of the backoff). Waits that
/// `Retry-After` set do not count, and tiny ones show the machine's jitter, not the client's.
struct BackoffJitter: Check {
  static let id = "backoff-jitter"
  static let rank = 30
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

  private var waits = RecentTable<UInt64, [Group]>(capacity: 256)
  /// All clients together.
  private static let everybody: UInt64 = 0

  private struct Group: Sendable {
    var count = 0
    var least = Duration.seconds(1 << 40)
    var most = Duration.zero
    /// When the last of them came.
    var last: MonotonicInstant?
    var example = ""
    var evidence = Evidence()

    var isAlike: Bool { most - least <= max(most * BackoffJitter.spread, BackoffJitter.noise) }
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    guard case .retry(let request, _, let wait) = trial, request.last.retryAfter == nil,
      request.last.isEndKnown, request.round <= Self.maximumNumber, wait > BackoffGrows.tiny,
      !request.last.isRejected, request.last.advanced == seen.advanced.lowerBound
    else { return }
    let number = request.round
    for owner in [Self.everybody, seen.client] {
      var groups = waits[owner] ?? Array(repeating: Group(), count: Self.maximumNumber)
      let last = groups[number - 1].last
      groups[number - 1].last = seen.arrival
      if number <= Self.maximumTaps, let last, request.last.end <= last, seen.arrival - last < Self.tap {
        waits[owner] = groups
        continue
      }
      groups[number - 1].count += 1
      groups[number - 1].example = Words.request(seen)
      groups[number - 1].least = min(groups[number - 1].least, wait)
      groups[number - 1].most = max(groups[number - 1].most, wait)
      groups[number - 1].evidence.add(request.last.id, seen.id)
      waits[owner] = groups
    }
  }

  func finding(_ moment: CheckContext) -> Finding {
    var compared = 0
    for groups in waits.all {
      let telling = groups.filter { $0.count > 1 }
      let comparisons = telling.reduce(0) { $0 + $1.count - 1 }
      guard comparisons >= Self.comparisons else { continue }
      compared = max(compared, comparisons)
      guard telling.allSatisfy(\.isAlike), let worst = telling.max(by: { $0.count < $1.count }) else { continue }
      return Finding(
        .fail,
        "\(worst.count) waits before the same attempt were alike, \(Words.span(worst.least)) to "
          + "\(Words.span(worst.most)), so clients that failed together come back together: \(worst.example). Draw each wait "
          + "at random.", worst.evidence)
    }
    guard compared > 0 else {
      return Finding(.notExercised, "Too few retries had waits to compare.")
    }
    return Finding(.pass, "Waits before the same attempt differed, in \(compared) comparisons.")
  }
}
