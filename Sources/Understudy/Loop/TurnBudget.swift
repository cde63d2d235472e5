import Primitives

/// The work that one turn of the loop may still begin: a number of requests, for all connections together and for each
/// one, so that none delays the others; and a time, whatever the requests cost. Without a loop there are no limits.
struct TurnBudget: Sendable {
  /// The number of requests that a connection began in the last turn in which it began some.
  struct Begun: Sendable {
    fileprivate var turn = 0
    fileprivate var requests = 0
  }

  /// The number of the turn.
  private(set) var turn = 0
  private var requests = Int.max
  private var requestsOfConnection = Int.max
  private var end = MonotonicInstant.distantFuture
  /// True if the turn has used its time.
  private(set) var isOver = false

  /// About 1 ms of work in a release build.
  static let maximumRequests = 96
  static let maximumRequestsOfConnection = 32
  /// The time after which a turn begins nothing more.
  static let maximumTime = NanosecondDuration.milliseconds(2)

  /// True if the turn may begin no more requests.
  var isSpent: Bool { requests <= 0 || isOver }

  /// True if the turn may begin no more requests of a connection.
  func isSpent(for begun: Begun) -> Bool {
    isSpent || begun.turn == turn && begun.requests >= requestsOfConnection
  }

  mutating func beginTurn(
    until end: MonotonicInstant, requests: Int = maximumRequests, ofConnection own: Int = maximumRequestsOfConnection
  ) {
    turn += 1
    self.requests = requests
    requestsOfConnection = own
    self.end = end
    isOver = false
  }

  /// Counts a request of a connection, and returns what that has begun.
  mutating func counted(_ begun: Begun) -> Begun {
    requests -= 1
    return Begun(turn: turn, requests: begun.turn == turn ? begun.requests + 1 : 1)
  }

  /// Notes a reading of the clock that was made anyway.
  mutating func noteTime(_ now: MonotonicInstant) { if now >= end { isOver = true } }
}
