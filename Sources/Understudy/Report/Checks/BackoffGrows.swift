import Contract

/// Checks that waits grow from retry to retry, so that a failing backend gets less load the longer it fails.
///
/// Full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter") draws each wait between zero and a bound that
/// doubles, so single waits may shrink. A client fails only if all its waits are tiny, or all equal, or on average no
/// longer than the first ones. Waits that `Retry-After` set do not count, nor those whose begin only the client knows
/// because it gave up. Waits of ten seconds need not grow.
struct BackoffGrows: Check {
  static let id = "backoff-grows"
  /// A shorter wait is not deliberate: it is the time that sending takes.
  static let tiny = Duration.milliseconds(10)
  /// The bound of a first wait: AWS SDKs and gRFC A6 begin with at least this.
  static let base = Duration.milliseconds(100)
  /// Waits are called tiny if under full jitter all of them would be this short with a probability of 1 in 2 to the
  /// power of this number.
  static let bits = 13
  static let longEnough = Duration.seconds(10)
  /// With this number of waits of each kind two means are comparable: under full jitter they do not differ once in
  /// 10,000 times, even if no chain has more than two waits.
  static let sample = 30

  private var waits = RecentTable<UInt64, Waits>(capacity: 256)

  /// The known waits of one client.
  struct Waits: Sendable {
    var count = 0
    var least = Duration.seconds(1 << 40)
    var most = Duration.zero
    var firsts = Mean()
    var laters = Mean()
    /// The length of the longest chain of waits.
    var depth = 0
    /// The number of doublings of all waits' bounds under full jitter.
    var doublings = 0
    var evidence = Evidence()
  }

  struct Mean: Sendable {
    var count = 0
    private var sum = Duration.zero
    mutating func add(_ wait: Duration) {
      count += 1
      sum += wait
    }
    var value: Duration { count > 0 ? sum / count : .zero }
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard case .retry(let request, let number, let wait) = trial, request.last.retryAfter == nil,
      request.last.isEndKnown
    else { return }
    var known = waits[seen.client] ?? Waits()
    known.count += 1
    known.least = min(known.least, wait)
    known.most = max(known.most, wait)
    // A client whose first retry is so late is a person or a schedule, not a loop that has to slow down.
    if number == 1 ? wait < Self.longEnough : (request.firstWait ?? .zero) < Self.longEnough {
      if number == 1 { known.firsts.add(wait) } else { known.laters.add(wait) }
    }
    known.depth = max(known.depth, number)
    if wait <= Self.base { known.doublings += min(number, 8) - 1 }
    known.evidence.add(request.last.id, seen.id)
    waits[seen.client] = known
  }

  func finding(_ moment: Judgement) -> Finding {
    var judged: Waits?
    for known in waits.all {
      if let complaint = known.complaint { return Finding(.fail, complaint, known.evidence) }
      if known.isTelling, judged.map({ $0.count < known.count }) ?? true { judged = known }
    }
    guard let judged else {
      return Finding(.notExercised, "Too few retries followed one another to judge their waits.")
    }
    return Finding(
      .pass,
      "First waits were \(Words.span(judged.firsts.value)) on average and later ones "
        + "\(Words.span(judged.laters.value)), over \(Words.count(judged.count, "retry", "retries")).")
  }
}

extension BackoffGrows.Waits {
  /// The number of halvings from the shortest plausible bound to the longest wait.
  private var halvings: Int {
    var bound = BackoffGrows.base
    var count = 0
    while bound / 2 >= most, count < 20 {
      bound /= 2
      count += 1
    }
    return count
  }

  fileprivate var isTelling: Bool { count >= 3 && depth >= 2 }

  /// The mistake, if it is certain.
  fileprivate var complaint: String? {
    if count >= 3, most <= BackoffGrows.base, halvings * count + doublings >= BackoffGrows.bits {
      return "\(Words.count(count, "retry", "retries")) came almost at once, after \(Words.span(most)) at most."
    }
    guard least < BackoffGrows.longEnough else { return nil }
    if count >= 4, depth >= 3, most <= least * 1.2 {
      return "All \(count) waits were alike, \(Words.span(least)) to \(Words.span(most)): they do not grow."
    }
    let isCompared = firsts.count >= BackoffGrows.sample && laters.count >= BackoffGrows.sample
    if isCompared, laters.value <= firsts.value * 1.1 {
      return "First waits were \(Words.span(firsts.value)) on average and later ones \(Words.span(laters.value)): "
        + "they do not grow."
    }
    return nil
  }
}
