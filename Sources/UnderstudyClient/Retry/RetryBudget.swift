/// Bounds the retries of a whole client, so that in an outage it does not multiply the load it causes.
///
/// A bucket of tokens: a retry takes one, a success puts back a part of one, and time puts back a little, so that a
/// client which only fails can still find out that the server is back (as Finagle's budget and gRPC's throttle do).
public struct RetryBudget: Sendable, Hashable {
  /// How many retries can be saved up, and how many there are at first.
  public let capacity: Double
  /// What a success puts back: 0.2 allows one retry for five successes in the long run.
  public let perSuccess: Double
  /// What a second puts back.
  public let perSecond: Double
  private var tokens: Double
  private var filledAt = Duration.zero

  public init(capacity: Double = 10, perSuccess: Double = 0.2, perSecond: Double = 0.5) {
    self.capacity = capacity
    self.perSuccess = perSuccess
    self.perSecond = perSecond
    tokens = capacity
  }

  /// The retries that could be sent at once.
  public var available: Int { Int(tokens) }

  /// Takes a retry's token, if there is one.
  ///
  /// - Parameter now: The time since a moment that stays the same.
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
  /// As a number of seconds.
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
