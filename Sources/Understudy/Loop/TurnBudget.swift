import Primitives

/// The bounds of one turn of the loop: the requests that it may still begin, for all connections together and for each one,
/// so that none delays the others; the bytes that it may still read and send; and a time, whatever the requests cost. Without
/// a loop there are no limits.
struct TurnBudget: Sendable {
  /// The number of requests that a connection began in the last turn in which it began some.
  struct Begun: Sendable {
    fileprivate var turn = 0
    fileprivate var requests = 0
  }

  /// The number of the turn.
  private(set) var turn = 0
  /// The instant at which the turn's poll returned; nil before the first one.
  private(set) var began: MonotonicInstant?
  private var requests = Int.max
  private var requestsOfConnection = Int.max
  /// The numbers of bytes that the turn may still pass to sockets, and read from them.
  var sendableBytes = Int.max
  var receivableBytes = Int.max
  private var end = MonotonicInstant.distantFuture
  /// True if the turn has used its time.
  private(set) var isOver = false

  /// About 1 ms of work in a release build.
  static let maximumRequests = 96
  static let maximumRequestsOfConnection = 32
  /// The maximum number of bytes that one turn sends, and of those that it reads: about 1 ms of copying.
  static let maximumBytes = 4 << 20
  /// The time after which a turn begins nothing more.
  static let maximumTime = NanosecondDuration.milliseconds(2)

  /// True if the turn may begin no more requests.
  var isSpent: Bool { requests <= 0 || isOver }

  /// True if the turn may begin no more requests of a connection.
  func isSpent(for begun: Begun) -> Bool {
    isSpent || begun.turn == turn && begun.requests >= requestsOfConnection
  }

  mutating func beginTurn(
    at now: MonotonicInstant, requests: Int = maximumRequests, ofConnection own: Int = maximumRequestsOfConnection
  ) {
    turn += 1
    began = now
    self.requests = requests
    requestsOfConnection = own
    (sendableBytes, receivableBytes) = (Self.maximumBytes, Self.maximumBytes)
    end = now + Self.maximumTime
    isOver = false
  }

  /// Counts a request against the turn, and returns it with those that its connection has begun before.
  mutating func countRequest(after begun: Begun) -> Begun {
    requests -= 1
    return Begun(turn: turn, requests: begun.turn == turn ? begun.requests + 1 : 1)
  }

  /// Notes a reading of the clock that was made anyway.
  mutating func noteTime(_ now: MonotonicInstant) { if now >= end { isOver = true } }
}
