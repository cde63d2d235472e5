/// When a failed try is worth another, and after which wait: a value that decides and does nothing.
///
/// Waits are drawn by full jitter: uniformly from zero to a bound that doubles with each try, which spreads the clients
/// that an outage brought into step (Brooker, «Exponential Backoff and Jitter», AWS, 2015).
public struct RetryPolicy: Sendable, Hashable {
  /// How many tries a call is given, the first included.
  public var maximumAttempts = 4
  /// The longest first wait; the bound doubles from here.
  public var baseDelay = Duration.milliseconds(250)
  /// Where the bound stops doubling.
  public var maximumDelay = Duration.seconds(20)
  /// The longest `Retry-After` that a call waits out. A server that asks for more is not asked again by this call:
  /// to come back sooner than it said would be worse than to give up. What it said holds for later calls of the same
  /// kind too: they wait, or throw `.notSent(.tooSoon)`.
  public var maximumRetryAfter = Duration.seconds(30)
  /// How long one try may take.
  public var timeoutPerTry = Duration.seconds(15)
  /// How long a call may take, with all its tries and waits.
  public var deadline = Duration.seconds(60)

  public init() {}

  /// Decides what follows the failure of a try.
  ///
  /// - Parameters:
  ///   - attempt: Which try failed, counted from 1.
  ///   - outcome: How it failed.
  ///   - repeatability: Whether doing it twice does harm.
  ///   - elapsed: How long the call has taken so far.
  ///   - budgetAllows: Whether the client may send one more retry at all; see `RetryBudget`.
  ///   - random: A draw from 0 to 1.
  public func decision(
    for attempt: Int, outcome: AttemptOutcome, repeatability: Repeatability, elapsed: Duration,
    budgetAllows: Bool = true, random: Double
  ) -> RetryDecision {
    guard outcome.mayGoBetterNextTime else { return .stop(.final) }
    guard repeatability == .always || !outcome.mayHaveApplied else { return .stop(.notRepeatable) }
    guard attempt < maximumAttempts else { return .stop(.attemptsSpent) }
    let wait = backoff(after: attempt, random: random)
    let asked = outcome.retryAfter
    if let asked, asked > maximumRetryAfter { return .stop(.askedToStayAway) }
    // Jitter comes on top of what the server asked for: all its clients were told the same moment.
    let total = asked.map { $0 + min(wait, baseDelay) } ?? wait
    guard elapsed + total < deadline else { return .stop(.deadline) }
    return budgetAllows ? .wait(total) : .stop(.budgetSpent)
  }

  /// The jittered wait after the given try, without regard to what the server asked for.
  public func backoff(after attempt: Int, random: Double) -> Duration {
    var bound = baseDelay
    for _ in 1..<max(1, min(attempt, 32)) where bound < maximumDelay { bound = bound * 2 }
    return min(bound, maximumDelay) * min(max(random, 0), 1)
  }
}

/// What follows a failed try.
public enum RetryDecision: Sendable, Hashable {
  case wait(Duration)
  case stop(Reason)

  public enum Reason: Sendable, Hashable {
    /// The same request would be answered in the same way.
    case final
    /// It may have been applied, and must not be applied twice.
    case notRepeatable
    case attemptsSpent
    case deadline
    /// The server asked for a longer wait than the policy allows.
    case askedToStayAway
    case budgetSpent
  }
}

/// Whether a request does harm when it is carried out twice.
public enum Repeatability: Sendable, Hashable {
  /// It does none: it reads, writes an absolute value, or carries an idempotency key.
  case always
  /// It may be sent again only if the first was surely not carried out.
  case ifNotApplied
}

/// How a try failed, as far as a retry depends on it.
public enum AttemptOutcome: Sendable, Hashable {
  /// It did not reach the server.
  case notSent
  /// It was begun, and its reply is lost or cannot be read.
  case lost
  /// The server said no.
  case answered(status: Int, retryAfter: Duration? = nil, isKeyInFlight: Bool = false)
  /// The caller cancelled it, or asks for what must not be asked again.
  case abandoned

  var retryAfter: Duration? {
    if case .answered(_, let retryAfter, _) = self { retryAfter } else { nil }
  }

  var mayGoBetterNextTime: Bool {
    switch self {
    case .notSent, .lost: true
    case .abandoned: false
    case .answered(let status, _, let isKeyInFlight):
      [408, 429, 500, 502, 503, 504].contains(status) || (status == 409 && isKeyInFlight)
    }
  }

  var mayHaveApplied: Bool {
    switch self {
    case .notSent: false
    case .lost, .abandoned: true
    case .answered(let status, _, let isKeyInFlight): status >= 500 || isKeyInFlight
    }
  }
}
