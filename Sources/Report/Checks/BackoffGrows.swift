import Contract

/// Checks that waits grow from retry to retry, so that a backend in trouble gets less to do the longer it lasts.
///
/// Full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter") draws each wait from zero up to a bound that
/// doubles, so single waits may well shrink: only waits that are all tiny, all alike, falling in each chain, or no longer on
/// average than the first ones are counted. Waits drawn alike fall in a row of n once in n! times. From 2.5 s on, the pace of
/// pollers, breakers and people, none need grow. An unnamed client with parallel requests may be several, whose waits are
/// mixed: that is a warning.
struct BackoffGrows: ReportCheck {
  static let id = "backoff-grows"
  /// A shorter wait is not deliberate: it is the time that sending takes.
  static let tiny = Duration.milliseconds(10)
  /// The bound of a first wait: what AWS SDKs and gRFC A6 begin with is no less.
  static let base = Duration.milliseconds(100)
  /// The smallest documented bound of a first wait: Envoy draws it from zero to 25 ms.
  static let minimumBase = Duration.milliseconds(25)
  /// Waits are called tiny when full jitter would draw all of them so small once in 2 to the power of this many times.
  static let bits = 13
  /// Waits of one client shrink for certain when drawn ones would fall so far once in 2 to the power of this many times.
  static let fallBits = 10.0
  /// Waits are alike for certain when drawn ones would all be so close more rarely than this.
  static let chance = 1e-4
  static let longEnough = Duration.milliseconds(2_500)
  /// So many waits of each kind make two means comparable: under full jitter they fail to differ once in 10,000 times,
  /// even where no chain has more than two.
  static let sample = 30

  func finding(_ tally: Tally, _ history: History) -> Finding {
    var judged: WaitHistory.Series?
    var doubt: Finding?
    // Of many clients that draw their waits, some fall by chance.
    let fallBits = Self.fallBits + Double(max(1, history.waits.clientCount)).bits
    for series in history.waits.series.values where !history.clients.isPace(series.bounds, of: series.client) {
      if let complaint = series.complaint(fallBits: fallBits) {
        let explanations: Explanations =
          series.isNamed || !history.unnamed.isParallel(series.client) ? [] : .severalClients
        let finding = Finding(
          explanations.verdict,
          "\(complaint): \(series.example). Double the wait with each retry, and draw it at random."
            + explanations.sentences, series.evidence)
        if finding.verdict == .fail { return finding }
        doubt = finding
        continue
      }
      if let hurry = series.hurry {
        doubt = Finding(
          .warn,
          "\(hurry): \(series.example). Wait before the first retry too, and draw the wait at random."
            + Explanations.library.sentences, series.evidence)
      }
      if series.isDoubtful(fallBits: fallBits) {
        doubt = Finding(
          .warn,
          "Waits did not grow from retry to retry: \(series.example). Double the wait with each retry."
            + Explanations.chance.sentences, series.evidence)
      }
      if series.isConclusive, judged.map({ $0.waits.count < series.waits.count }) ?? true { judged = series }
    }
    if let doubt { return doubt }
    guard let judged else {
      return Finding(.notExercised, "Too few retries followed one another to judge their waits.")
    }
    guard judged.isCompared else {
      return Finding(
        .pass,
        "\(ReportText.count(judged.waits.count, "retry", "retries")) waited \(judged.range), as waits do that grow and are "
          + "drawn at random.")
    }
    return Finding(
      .pass,
      "First waits were \(ReportText.duration(judged.firsts.value)) on average and later ones "
        + "\(ReportText.duration(judged.laters.value)), over "
        + "\(ReportText.count(judged.firsts.count + judged.laters.count, "retry", "retries")).")
  }
}

extension WaitHistory.Series {
  private var count: Int { waits.count }
  /// Its shortest and its longest wait.
  fileprivate var bounds: ClosedRange<Duration> { shortest...longest }
  private var shortest: Duration { waits.min() ?? .zero }
  private var longest: Duration { waits.max() ?? .zero }

  /// Its shortest and its longest wait, in words.
  fileprivate var range: String {
    let (shortest, longest) = (ReportText.duration(shortest), ReportText.duration(longest))
    return shortest == longest ? shortest : "\(shortest) to \(longest)"
  }

  /// The number of times that the shortest usual bound halves down to the longest wait.
  private var halvings: Int {
    var bound = BackoffGrows.base
    var count = 0
    while bound / 2 >= longest, count < 20 {
      bound /= 2
      count += 1
    }
    return count
  }

  private var isFalling: Bool { unfallen == 0 && longest <= .seconds(6) }

  /// The waits without the one in eight that are the longest: a timer may be late.
  private var timely: ArraySlice<Duration> { waits.sorted().prefix(count - count / 8) }

  private var isAlike: Bool {
    guard let first = timely.first, let last = timely.last else { return false }
    return first < BackoffGrows.longEnough && count >= 4 && depth >= 3 && last <= first * 1.2
  }

  /// About how probable it is that waits drawn from zero to the longest all lie so close together.
  private var chanceOfAlike: Double {
    guard let first = timely.first, let last = timely.last, last > .zero else { return 1 }
    let spread = max((last - first) / last, 1e-6)
    var chance = Double(count)
    for _ in 1..<max(2, min(timely.count, 32)) { chance *= spread }
    return chance
  }

  /// True if all chains fall, or all waits are alike, and that may be more than chance.
  fileprivate func isDoubtful(fallBits: Double) -> Bool {
    isFalling && self.fallBits >= fallBits - 5.5 || isAlike
  }

  /// True if its waits are enough to compare the means of the first ones and of the later ones.
  fileprivate var isCompared: Bool {
    firsts.count >= BackoffGrows.sample && laters.count >= BackoffGrows.sample
  }

  fileprivate var isConclusive: Bool { count >= 3 && depth >= 2 }

  /// The sentence about retries that are too early to be drawn.
  fileprivate var hurry: String? {
    guard count >= 3, longest <= BackoffGrows.base, halvings * count + doublings >= BackoffGrows.bits else {
      return nil
    }
    return
      "\(ReportText.count(count, "retry", "retries")) came almost at once, after \(ReportText.duration(longest)) at most"
  }

  /// The certain mistake, if there is one.
  fileprivate func complaint(fallBits: Double) -> String? {
    // One retry at once is the habit of libraries whose next one waits: it takes a second to tell.
    if depth >= 2, longest <= BackoffGrows.minimumBase, let hurry { return hurry }
    if isFalling, self.fallBits >= fallBits {
      return "Waits shrank from retry to retry, \(ReportText.duration(longest)) to \(ReportText.duration(shortest))"
    }
    guard shortest < BackoffGrows.longEnough else { return nil }
    if isAlike, chanceOfAlike < BackoffGrows.chance {
      return "All \(count) waits were alike, \(range), and did not grow"
    }
    if isCompared, laters.value <= firsts.value * 1.1 {
      return
        "Later waits were \(ReportText.duration(laters.value)) on average, no longer than the first ones with "
        + "\(ReportText.duration(firsts.value))"
    }
    return nil
  }
}
