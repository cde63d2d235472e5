import Contract

/// Checks that waits are random rather than fixed, so that clients which failed together do not return together.
///
/// It compares waits before the same attempt of different logical requests, for each client and for all together (AWS
/// Architecture Blog, "Exponential Backoff and Jitter"; gRFC A6 draws from 0.8 to 1.2 of the backoff). Waits that
/// `Retry-After` set do not count, and tiny ones show the machine's jitter, not the client's.
struct BackoffJitter: Check {
  static let id = "backoff-jitter"
  /// Waits count as equal if they differ by less: this is the jitter of timers and networks, much less than gRPC's two
  /// fifths.
  static let spread = 0.05
  static let noise = Duration.milliseconds(3)
  /// The minimum number of comparisons: random waits are all this close once in thousands of times.
  static let comparisons = 4
  static let mostNumber = 8

  private var waits = RecentTable<UInt64, [Group]>(capacity: 256)
  /// The key of all clients together.
  private static let everybody: UInt64 = 0

  private struct Group: Sendable {
    var count = 0
    var least = Duration.seconds(1 << 40)
    var most = Duration.zero
    var evidence = Evidence()

    var isAlike: Bool { most - least <= max(most * BackoffJitter.spread, BackoffJitter.noise) }
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard case .retry(let request, let number, let wait) = trial, request.last.retryAfter == nil,
      request.last.isEndKnown, number <= Self.mostNumber, wait > BackoffGrows.tiny
    else { return }
    for owner in [Self.everybody, seen.client] {
      var groups = waits[owner] ?? Array(repeating: Group(), count: Self.mostNumber)
      groups[number - 1].count += 1
      groups[number - 1].least = min(groups[number - 1].least, wait)
      groups[number - 1].most = max(groups[number - 1].most, wait)
      groups[number - 1].evidence.add(request.last.id, seen.id)
      waits[owner] = groups
    }
  }

  func finding(_ moment: Judgement) -> Finding {
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
          + "\(Words.span(worst.most)): clients that failed together come back together.", worst.evidence)
    }
    guard compared > 0 else {
      return Finding(.notExercised, "Too few retries had waits to compare.")
    }
    return Finding(.pass, "Waits before the same attempt differed, in \(compared) comparisons.")
  }
}
