/// The decision about a failed attempt: another attempt and the wait before it, or none. It is a value without effects.
///
/// Waits have full jitter: they are distributed uniformly between zero and a bound that doubles with each attempt,
/// which spreads clients that an outage has synchronized (Brooker, «Exponential Backoff and Jitter», AWS, 2015).
public struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of attempts of a call, including the first.
  public var maximumAttempts = 4
  /// The maximum of the first wait; the bound doubles from here.
  public var baseDelay = Duration.milliseconds(250)
  /// The maximum of the bound.
  public var maximumDelay = Duration.seconds(20)
  /// The longest `Retry-After` for which a call waits. If the server asks for more, this call makes no further attempt:
  /// a request before that time would be worse than giving up. The server's time also holds for later calls of the same
  /// kind: they wait, or throw `.notSent(.tooSoon)`.
  public var maximumRetryAfter = Duration.seconds(30)
  /// The maximum duration of one attempt.
  public var timeoutPerTry = Duration.seconds(15)
  /// The maximum duration of a call, with all its attempts and waits.
  public var deadline = Duration.seconds(60)

  /// Creates the default policy.
  public init() {}

  /// Returns the decision about a failed attempt.
  ///
  /// - Parameters:
  ///   - attempt: The number of the failed attempt, starting at 1.
  ///   - outcome: The kind of failure.
  ///   - repeatability: The effect of carrying out the request twice.
  ///   - elapsed: The duration of the call so far.
  ///   - budgetAllows: True if the client may send one more retry; see `RetryBudget`.
  ///   - random: A random number from 0 to 1.
  public func decision(
    for attempt: Int, outcome: AttemptOutcome, repeatability: Repeatability, elapsed: Duration,
    budgetAllows: Bool = true, random: Double
  ) -> RetryDecision {
    guard outcome.maySucceedLater else { return .stop(.final) }
    guard repeatability == .always || !outcome.mayHaveApplied else { return .stop(.notRepeatable) }
    guard attempt < maximumAttempts else { return .stop(.attemptsSpent) }
    let wait = backoff(after: attempt, random: random)
    let retryAfter = outcome.retryAfter
    if let retryAfter, retryAfter > maximumRetryAfter { return .stop(.askedToStayAway) }
    // Jitter is added to the server's time, because the server gave the same time to all its clients.
    let total = retryAfter.map { $0 + min(wait, baseDelay) } ?? wait
    guard elapsed + total < deadline else { return .stop(.deadline) }
    return budgetAllows ? .wait(total) : .stop(.budgetSpent)
  }

  /// Returns the wait with jitter after the given attempt, without regard to the server's time.
  public func backoff(after attempt: Int, random: Double) -> Duration {
    var bound = baseDelay
    for _ in 1..<max(1, min(attempt, 32)) where bound < maximumDelay { bound = bound * 2 }
    return min(bound, maximumDelay) * min(max(random, 0), 1)
  }
}

/// The decision about a failed attempt.
public enum RetryDecision: Sendable, Hashable {
  case wait(Duration)
  case stop(Reason)

  /// The reason for which there is no further attempt.
  public enum Reason: Sendable, Hashable {
    /// The same request would get the same response.
    case final
    /// The request may have been applied, and must not be applied twice.
    case notRepeatable
    case attemptsSpent
    case deadline
    /// The server asked for a longer wait than the policy allows.
    case askedToStayAway
    case budgetSpent
  }
}

/// The effect of carrying out a request twice.
public enum Repeatability: Sendable, Hashable {
  /// A repetition is harmless: the request reads, writes an absolute value, or has an idempotency key.
  case always
  /// The request may be sent again only if it was certainly not applied.
  case ifNotApplied
}

/// The kind of an attempt's failure, as far as it matters to a retry.
public enum AttemptOutcome: Sendable, Hashable {
  /// The request did not reach the server.
  case notSent
  /// The request was begun, and its response is lost or unreadable.
  case lost
  /// The server responded with an error.
  case answered(status: Int, retryAfter: Duration? = nil, isKeyInFlight: Bool = false)
  /// The caller cancelled the request, or the request must not be sent again.
  case abandoned

  var retryAfter: Duration? {
    if case .answered(_, let retryAfter, _) = self { retryAfter } else { nil }
  }

  var maySucceedLater: Bool {
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
