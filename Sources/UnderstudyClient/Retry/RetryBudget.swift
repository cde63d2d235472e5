/// Limits the retries of a whole client, so that it does not multiply its load during an outage.
///
/// It is a token bucket: a retry takes a token, a success returns a part of one, and time returns a little, so that a
/// client that only fails can still find out that the server is back (like Finagle's budget and gRPC's throttle).
public struct RetryBudget: Sendable, Hashable {
  /// The maximum and initial number of tokens.
  public let capacity: Double
  /// The tokens that a success returns: 0.2 allows one retry per five successes in the long run.
  public let perSuccess: Double
  /// The tokens that a second returns.
  public let perSecond: Double
  private var tokens: Double
  private var filledAt = Duration.zero

  /// Creates a full budget.
  public init(capacity: Double = 10, perSuccess: Double = 0.2, perSecond: Double = 0.5) {
    self.capacity = capacity
    self.perSuccess = perSuccess
    self.perSecond = perSecond
    tokens = capacity
  }

  /// The number of retries that could be sent at once.
  public var available: Int { Int(tokens) }

  /// Takes a retry's token; returns false if there is none.
  ///
  /// - Parameter now: The time since a fixed point in the past.
  public mutating func withdraw(at now: Duration) -> Bool {
    refill(at: now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  public mutating func depositSuccess(at now: Duration) {
    refill(at: now)
    tokens = min(capacity, tokens + perSuccess)
  }

  private mutating func refill(at now: Duration) {
    let passed = max(.zero, now - filledAt)
    filledAt = max(now, filledAt)
    tokens = min(capacity, tokens + passed.inSeconds * perSecond)
  }
}

extension Duration {
  /// The duration as a number of seconds.
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
