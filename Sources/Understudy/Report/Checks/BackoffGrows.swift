import Contract

/// Whether waits grow from retry to retry, so that a backend in trouble gets less to do the longer it lasts.
///
/// Full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter") draws each wait from zero up to a bound that
/// doubles, so single waits may well shrink: only waits that are all tiny, all alike, or no longer on average than the
/// first ones are held against a client. Waits that `Retry-After` set do not count, nor those whose begin only the client
/// knows, because it gave up; and from ten seconds on none need grow.
struct BackoffGrows: Check {
  static let id = "backoff-grows"
  /// Nobody waits so little on purpose: it is the time that sending takes.
  static let tiny = Duration.milliseconds(10)
  /// The bound of a first wait: what AWS SDKs and gRFC A6 begin with is no less.
  static let base = Duration.milliseconds(100)
  /// Waits are called tiny when full jitter would draw all of them so small once in 2 to the power of this many times.
  static let bits = 13
  static let longEnough = Duration.seconds(10)
  /// So many waits of each kind make two means comparable: under full jitter they fail to differ once in 10,000 times,
  /// even where no chain has more than two.
  static let sample = 30

  private var waits = RecentTable<UInt64, Waits>(capacity: 256)

  /// What is known of one client's waits.
  struct Waits: Sendable {
    var count = 0
    var least = Duration.seconds(1 << 40)
    var most = Duration.zero
    var firsts = Mean()
    var laters = Mean()
    /// The longest chain of waits.
    var depth = 0
    /// How often the bounds of all waits had doubled, had they been drawn under full jitter.
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
    // Whoever comes back so late at first is a person, or a schedule, and no loop that has to slow down.
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
  /// How often the shortest bound that anybody draws from halves down to the longest wait.
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

  /// What is wrong, if it is certain.
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
