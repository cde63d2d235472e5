import Contract

/// Checks that waits grow from retry to retry, so that a backend in trouble gets less to do the longer it lasts.
///
/// Waits that shrink are found by their order: waits drawn alike fall in a row of n once in n! times.
///
/// Full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter") draws each wait from zero up to a bound that
/// doubles, so single waits may well shrink: only waits that are all tiny, all alike, or no longer on average than the
/// first ones are held against a client. Waits that `Retry-After` set do not count, nor those whose begin only the client
/// knows, because it gave up, nor those in which the sandbox's clock was advanced; and from three seconds on, the pace
/// of pollers, breakers and people, none need grow. A client without a name that has requests side by side may be several,
/// whose waits are mixed: that is a warning.
struct BackoffGrows: Check {
  static let id = "backoff-grows"
  /// A shorter wait is not deliberate: it is the time that sending takes.
  static let tiny = Duration.milliseconds(10)
  /// The bound of a first wait: what AWS SDKs and gRFC A6 begin with is no less.
  static let base = Duration.milliseconds(100)
  /// The smallest documented bound of a first wait: Envoy draws it from zero to 25 ms.
  static let minimumBase = Duration.milliseconds(25)
  /// Waits are called tiny when full jitter would draw all of them so small once in 2 to the power of this many times.
  static let bits = 13
  /// Waits shrink for certain when drawn ones would fall so far once in 2 to the power of this many times.
  static let fallBits = 10.0
  /// Waits are alike for certain when drawn ones would all be so close more rarely than this.
  static let chance = 1e-4
  static let longEnough = Duration.seconds(3)
  /// So many waits of each kind make two means comparable: under full jitter they fail to differ once in 10,000 times,
  /// even where no chain has more than two.
  static let sample = 30

  private var waits = RecentTable<Waits>(capacity: 256)

  /// The falling waits of each logical request.
  private var chains = RecentTable<Chain>(capacity: 512)

  struct Chain: Sendable {
    var count = 1
    var last: Duration
    var isFalling = true
  }

  /// The known waits of one client, or of one client's requests for one operation.
  struct Waits: Sendable {
    let client: UInt64
    let isNamed: Bool
    /// A request of the client.
    var example = ""
    /// The improbability that all chains of three waits and more fall, in powers of two, and the number that do not.
    var fallBits = 0.0
    var unfallen = 0
    var count = 0
    var shortest = Duration.seconds(1 << 40)
    var longest = Duration.zero
    var firsts = Mean()
    var laters = Mean()
    /// The longest chain of waits.
    var depth = 0
    /// The number of times that the bounds of all waits doubled, if they were drawn under full jitter.
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

  var interest: Traits { .retry }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard case .retry(let request, _, let wait) = role.attempt, request.last.retryAfter == nil,
      request.last.isEndKnown, !request.last.isRejected, request.last.advanced == seen.advanced.lowerBound
    else { return }
    let number = request.round
    let fall = fall(seen.identity, number: number, wait: wait)
    add(seen, request, number, wait, fall, to: seen.client)
    if let operation = seen.operation {
      add(seen, request, number, wait, (0, false), to: seen.client.mixed(with: Observation.hash(operation.id)))
    }
  }

  /// The improbability that one more wait adds to the fall of a chain, and whether a chain of three has turned out
  /// not to fall.
  private mutating func fall(_ identity: UInt64, number: Int, wait: Duration) -> (bits: Double, isUnfallen: Bool) {
    guard number > 1, var chain = chains[identity] else {
      chains[identity] = Chain(last: wait)
      return (0, false)
    }
    chain.count += 1
    let (wasFalling, before) = (chain.isFalling, chain.last)
    // Timers are early or late by a little, so equal waits neither fall nor rise.
    chain.isFalling = wasFalling && wait <= chain.last * 0.9
    chain.last = wait
    defer { chains[identity] = chain }
    guard chain.isFalling else { return (0, wasFalling && chain.count <= 3) }
    // Of n waits drawn alike, each is at most half of the one before it once in n! times two to the power of n(n-1)/2.
    let isHalved = wait <= before * 0.5
    return (Self.bits(of: chain.count) + (isHalved ? Double(chain.count - 1) : 0), false)
  }

  /// The binary logarithm of a small number.
  private static func bits(of number: Int) -> Double {
    var (bits, rest) = (0.0, Double(number))
    while rest >= 2 { (bits, rest) = (bits + 1, rest / 2) }
    return bits + (rest - 1)
  }

  private mutating func add(
    _ seen: Observation, _ request: LogicalRequest, _ number: Int, _ wait: Duration,
    _ fall: (bits: Double, isUnfallen: Bool), to owner: UInt64
  ) {
    var known = waits[owner] ?? Waits(client: seen.client, isNamed: seen.isNamed, example: ReportText.request(seen))
    known.count += 1
    known.fallBits += fall.bits
    if fall.isUnfallen { known.unfallen += 1 }
    known.shortest = min(known.shortest, wait)
    known.longest = max(known.longest, wait)
    // A first retry this late comes from a person or a schedule, not from a loop that must slow down.
    if number == 1 ? wait < Self.longEnough : (request.firstWait ?? .zero) < Self.longEnough {
      if number == 1 { known.firsts.add(wait) } else { known.laters.add(wait) }
    }
    known.depth = max(known.depth, number)
    if wait <= Self.base { known.doublings += min(number, 8) - 1 }
    known.evidence.add(request.last.id, seen.id)
    waits[owner] = known
  }

  func finding(_ context: CheckContext) -> Finding {
    var judged: Waits?
    var doubt: Finding?
    for known in waits.values {
      if let complaint = known.complaint {
        // The waits between the requests of several clients are none of theirs.
        let isSure = known.isNamed || !context.unnamed.isParallel(known.client)
        let finding = Finding(
          isSure ? .fail : .warn,
          "\(complaint): \(known.example). Double the wait with each retry, and draw it at random."
            + (isSure ? "" : ReportText.clientNameAdvice), known.evidence)
        guard !isSure else { return finding }
        doubt = finding
        continue
      }
      if let hurry = known.hurry {
        doubt = Finding(
          .warn, "\(hurry): \(known.example). Wait before the first retry too, and draw the wait at random.",
          known.evidence)
      }
      if known.isDoubtful {
        doubt = Finding(
          .warn, "Waits did not grow from retry to retry: \(known.example). Double the wait with each retry.",
          known.evidence)
      }
      if known.isConclusive, judged.map({ $0.count < known.count }) ?? true { judged = known }
    }
    if let doubt { return doubt }
    guard let judged else {
      return Finding(.notExercised, "Too few retries followed one another to judge their waits.")
    }
    return Finding(
      .pass,
      "First waits were \(ReportText.duration(judged.firsts.value)) on average and later ones "
        + "\(ReportText.duration(judged.laters.value)), over \(ReportText.count(judged.count, "retry", "retries")).")
  }
}

extension BackoffGrows.Waits {
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

  private var isFalling: Bool { unfallen == 0 && longest <= BackoffGrows.longEnough * 2 }

  private var isAlike: Bool {
    shortest < BackoffGrows.longEnough && count >= 4 && depth >= 3 && longest <= shortest * 1.2
  }

  /// About how probable it is that waits drawn from zero to the longest all lie so close together.
  private var chanceOfAlike: Double {
    let spread = (longest - shortest) / longest
    var chance = Double(count)
    for _ in 1..<min(count, 32) { chance *= spread }
    return chance
  }

  /// True if all chains fall, or all waits are alike, and that is not certain to be more than chance.
  fileprivate var isDoubtful: Bool { isFalling && fallBits >= 4.5 || isAlike }

  fileprivate var isConclusive: Bool { count >= 3 && depth >= 2 }

  /// The sentence about retries that are too early to be drawn.
  fileprivate var hurry: String? {
    guard count >= 3, longest <= BackoffGrows.base, halvings * count + doublings >= BackoffGrows.bits else {
      return nil
    }
    return
      "\(ReportText.count(count, "retry", "retries")) came almost at once, after \(ReportText.duration(longest)) at most"
  }

  /// The certain error, if there is one.
  fileprivate var complaint: String? {
    // One retry at once is the habit of libraries whose next one waits: it takes a second to tell.
    if depth >= 2, longest <= BackoffGrows.minimumBase, let hurry { return hurry }
    if isFalling, fallBits >= BackoffGrows.fallBits {
      return "Waits shrank from retry to retry, \(ReportText.duration(longest)) to \(ReportText.duration(shortest))"
    }
    guard shortest < BackoffGrows.longEnough else { return nil }
    if isAlike, chanceOfAlike < BackoffGrows.chance {
      return
        "All \(count) waits were alike, \(ReportText.duration(shortest)) to \(ReportText.duration(longest)), and did not grow"
    }
    let isCompared = firsts.count >= BackoffGrows.sample && laters.count >= BackoffGrows.sample
    if isCompared, laters.value <= firsts.value * 1.1 {
      return
        "Later waits were \(ReportText.duration(laters.value)) on average, no longer than the first ones with "
        + "\(ReportText.duration(firsts.value))"
    }
    return nil
  }
}
