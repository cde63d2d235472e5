/// Checks the number of attempts per logical request: retries multiply the load of an overloaded backend.
///
/// The limits are five attempts of one request in ten seconds (gRFC A6 caps `maxAttempts` at 5), and Finagle's retry
/// budget: a fifth of the requests, plus ten per second, over ten seconds.
struct RetryAmplification: Check {
  static let id = "retry-amplification"
  static let mostAttempts = 5
  static let window = Duration.seconds(10)
  static let budgetShare = 5
  static let budgetFloor = 100

  private var requests = 0
  private var retries = 0
  private var most = 1
  private var replays = 0
  private var evidence = Evidence()
  private var excessive = 0
  private var bursts = RecentTable<UInt64, [Tick]>(capacity: 1_024)
  private var budgets = RecentTable<UInt64, Budget>(capacity: 256)
  private var overdrawn = 0

  /// The requests and retries of a client in the current window.
  private struct Budget: Sendable {
    var start: Tick
    var requests = 0
    var retries = 0
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    switch trial {
    case .replay: replays += 1
    case .first:
      requests += 1
      spend(seen, isRetry: false)
    case .retry(let request, let number, _):
      retries += 1
      burst(seen, of: request, number: number)
      spend(seen, isRetry: true)
    }
  }

  private mutating func burst(_ seen: Observation, of request: LogicalRequest, number: Int) {
    var attempts = number == 1 ? [request.last.arrival] : bursts[seen.identity] ?? [request.last.arrival]
    attempts.removeAll { seen.arrival - $0 > Self.window }
    attempts = attempts.suffix(64) + [seen.arrival]
    bursts[seen.identity] = attempts
    most = max(most, attempts.count)
    guard attempts.count > Self.mostAttempts else { return }
    if attempts.count == Self.mostAttempts + 1 { excessive += 1 }
    for attempt in request.attempts where attempt.arrival >= attempts[0] { evidence.add(attempt.id) }
    evidence.add(request.last.id, seen.id)
  }

  /// A client with few requests never exceeds the minimum, so only clients that retry are recorded.
  private mutating func spend(_ seen: Observation, isRetry: Bool) {
    guard isRetry || budgets.count > 0 else { return }
    var budget = budgets[seen.client] ?? Budget(start: seen.arrival)
    if seen.arrival - budget.start > Self.window { budget = Budget(start: seen.arrival) }
    if isRetry { budget.retries += 1 } else { budget.requests += 1 }
    budgets[seen.client] = budget
    guard isRetry, budget.retries > budget.requests / Self.budgetShare + Self.budgetFloor else { return }
    overdrawn += 1
    evidence.add(seen.id)
  }

  func finding(_ moment: Judgement) -> Finding {
    let apart = replays > 0 ? " Besides, transports repeated \(Words.count(replays, "request")) by themselves." : ""
    guard retries > 0 else { return Finding(.notExercised, "No request was tried again.\(apart)") }
    if excessive > 0 {
      return Finding(
        .fail,
        "\(Words.count(excessive, "request")) took more than \(Self.mostAttempts) attempts within 10 s, "
          + "up to \(most).\(apart)", evidence)
    }
    if overdrawn > 0 {
      return Finding(
        .fail,
        "\(Words.count(overdrawn, "retry", "retries")) went beyond a budget of a fifth of the requests "
          + "and ten a second.\(apart)", evidence)
    }
    return Finding(
      .pass,
      "\(Words.count(requests, "request")) took \(Words.count(retries, "retry", "retries")); "
        + "none had more than \(most) attempts within 10 s.\(apart)")
  }
}
