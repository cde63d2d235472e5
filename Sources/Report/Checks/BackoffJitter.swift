import Contract

/// Checks that waits are drawn rather than fixed, so that clients which failed together do not come back together.
///
/// Waits before the same attempt are compared, of each client and of all clients. Libraries add a tenth by default, and gRPC
/// two fifths; waits are called alike only when a jitter of a tenth would leave all of them so close once in 2^13 times.
/// From 2.5 s on they are the pace of a breaker or a poller.
struct BackoffJitter: ReportCheck {
  static let id = "backoff-jitter"
  /// The jitter that is enough.
  static let enough = 0.1
  /// The resolution of timers: waits that differ by less are equal.
  static let resolution = Duration.microseconds(100)
  /// Without so many comparisons nothing is said.
  static let comparisons = 4
  static let bits = 13.0
  /// Several attempts that are each alike by chance are more probable than one (Fisher's method); so many more bits for each.
  static let bitsPerGroup = 3.2

  func finding(_ tally: Tally, _ history: History) -> Finding {
    var compared = 0
    // Of many clients that draw their waits, some draw them alike by chance.
    let bits = Self.bits + Double(history.waits.groups.count + 1).bits
    let own = zip(history.waits.groups.values, history.waits.groups.keys).map { (groups: $0, client: UInt64?.some($1)) }
    for (groups, client) in [(groups: history.waits.all, client: nil)] + own {
      let comparable = groups.filter { $0.waits.count > 1 && !history.clients.isPace($0.bounds, of: client) }
      let comparisons = comparable.reduce(0) { $0 + $1.waits.count - 1 }
      guard comparisons >= Self.comparisons else { continue }
      compared = max(compared, comparisons)
      let alike = comparable.map(\.bitsOfAlike)
      guard alike.allSatisfy({ $0 > 0 }),
        alike.reduce(0, +) >= bits + Self.bitsPerGroup * Double(alike.count - 1),
        let worst = comparable.max(by: { $0.waits.count < $1.waits.count })
      else { continue }
      return Finding(
        .fail,
        "Waits before the same attempt were alike in \(comparisons) comparisons, \(worst.span), so clients that failed "
          + "together come back together: \(worst.example). Draw each wait at random.", worst.evidence)
    }
    guard compared > 0 else { return Finding(.notExercised, "Too few retries had waits to compare.") }
    return Finding(.pass, "Waits before the same attempt differed, in \(compared) comparisons.")
  }
}

extension WaitHistory.Group {
  /// The waits without the one in eight that are the longest: a timer may be late.
  private var timely: ArraySlice<Duration> { waits.sorted().prefix(waits.count - waits.count / 8) }

  /// Its shortest and its longest wait, but for a late timer's.
  fileprivate var bounds: ClosedRange<Duration> { (timely.first ?? .zero)...(timely.last ?? .zero) }

  /// The shortest wait, and the longest where it reads otherwise.
  fileprivate var span: String {
    let (low, high) = (timely.first ?? .zero, timely.last ?? .zero)
    let texts = (ReportText.duration(low), ReportText.duration(high))
    return texts.0 == texts.1 ? "such as \(texts.0)" : "such as \(texts.0) to \(texts.1)"
  }

  /// The improbability that waits with a jitter of a tenth lie so close together, in powers of two; 0 if they do not.
  fileprivate var bitsOfAlike: Double {
    guard let low = timely.first, let high = timely.last, high > .zero else { return 0 }
    let spread = max(high - low, BackoffJitter.resolution) / high / BackoffJitter.enough
    guard spread < 1 else { return 0 }
    var chance = Double(waits.count)
    for _ in 1..<timely.count { chance *= spread }
    return chance >= 1 ? 0.001 : (1 / chance).bits
  }
}
