/// The number of requests that one turn of the loop may begin: a limit for all connections together, and one for each
/// connection, so that none delays the others. Without a loop there are no limits.
struct TurnBudget: Sendable {
  /// The number of the turn.
  private(set) var turn = 0
  private var requests = Int.max
  private(set) var requestsOfConnection = Int.max

  /// About 1 ms of work; 50 ms in a debug build.
  static let maximumRequests = 96
  static let maximumRequestsOfConnection = 32

  var isSpent: Bool { requests <= 0 }

  mutating func beginTurn(requests: Int = maximumRequests, ofConnection own: Int = maximumRequestsOfConnection) {
    turn += 1
    self.requests = requests
    requestsOfConnection = own
  }

  mutating func countRequest() { requests -= 1 }
}
