import Contract
import Faults
import Primitives
import Report

/// The server's counters since its start. Their number is fixed, so that counting is one addition without an
/// allocation.
struct Metrics: Sendable {
  /// The subject of a request: an operation, an API without one, or an unknown path.
  struct Route: Sendable, Equatable {
    let api: String
    let operation: String
  }

  /// The label for a missing API, operation or status.
  static let none = "none"

  let routes: [Route]
  /// The index of each API's first route, and of that of unknown paths. An API's last route counts requests that match
  /// none of its operations.
  private let firstRoutes: [Int]
  private var requests: [Int]
  private var faults = Array(repeating: 0, count: kinds.count * Phase.allCases.count)
  /// The number of faults that could not be applied to a response.
  private(set) var undeliverableFaults = 0
  private(set) var delays = Delays()
  private(set) var refusedConnections = 0
  /// The length of each turn of the loop, from the poll's return to the next poll.
  private(set) var turns = Histogram()

  /// The range of statuses: 0 counts exchanges without a response, 1 counts status 100.
  private static let statuses = 0...500

  private static let kinds = Effect.Kind.allCases

  init(_ apis: [API]) {
    var routes: [Route] = []
    var firstRoutes: [Int] = []
    for api in apis {
      firstRoutes.append(routes.count)
      routes += api.operations.map { Route(api: api.name, operation: $0.id) }
      routes.append(Route(api: api.name, operation: Self.none))
    }
    firstRoutes.append(routes.count)
    routes.append(Route(api: Self.none, operation: Self.none))
    self.routes = routes
    self.firstRoutes = firstRoutes
    requests = Array(repeating: 0, count: routes.count * Self.statuses.count)
  }

  /// Counts a request.
  ///
  /// - Parameter status: Nil if no status line was sent.
  mutating func countRequest(_ route: ResolvedRoute, status: Int?) {
    let position = status.map { max(0, min($0 - 99, Self.statuses.upperBound)) } ?? 0
    requests[Self.index(of: route, firstRoutes) * Self.statuses.count + position] += 1
  }

  /// Returns the index of a route in `routes`. It is static because a method of this large value would copy it.
  private static func index(of route: ResolvedRoute, _ firstRoutes: [Int]) -> Int {
    let unknown = firstRoutes.count - 1
    guard let api = route.api else { return firstRoutes[unknown] }
    return route.operationIndex.map { firstRoutes[api] + $0 } ?? firstRoutes[api + 1] - 1
  }

  mutating func countFault(_ kind: Effect.Kind, _ phase: Phase) {
    // The first ones are the most frequent, and hashing costs more than a few comparisons.
    guard let position = Self.kinds.firstIndex(of: kind) else { preconditionFailure("every kind has a place") }
    faults[position * Phase.allCases.count + (phase == .before ? 0 : 1)] += 1
  }

  mutating func countUndeliverableFault() { undeliverableFaults += 1 }

  mutating func countRefusedConnection() { refusedConnections += 1 }

  mutating func countTurn(_ duration: NanosecondDuration) { turns.record(duration) }

  mutating func countDelay(planned: NanosecondDuration, measured: NanosecondDuration) {
    delays.record(planned: planned, measured: measured)
  }

  struct RequestCount: Sendable, Equatable {
    let route: Route
    let status: Int?
    let count: Int
  }

  /// The counters that are not 0.
  var requestCounts: [RequestCount] {
    requests.indices.filter { requests[$0] > 0 }.map { index in
      let position = index % Self.statuses.count
      return RequestCount(
        route: routes[index / Self.statuses.count], status: position == 0 ? nil : position + 99, count: requests[index])
    }
  }

  struct FaultCount: Sendable, Equatable {
    let kind: Effect.Kind
    let phase: Phase
    let count: Int
  }

  /// The counters that are not 0.
  var faultCounts: [FaultCount] {
    faults.indices.filter { faults[$0] > 0 }.map { index in
      FaultCount(
        kind: Self.kinds[index / Phase.allCases.count],
        phase: index % Phase.allCases.count == 0 ? .before : .after, count: faults[index])
    }
  }
}

extension Backend {
  /// Counts a finished exchange. It is called once for each.
  ///
  /// - Parameter status: Nil if no status line was sent.
  func count(_ exchange: borrowing Exchange, _ delivery: Delivery, status: Int?) {
    metrics.countRequest(exchange.destination, status: status)
    guard exchange.isPlanned else { return }
    let plan = exchange.plan.summary
    if delivery.outcome == .notDeliverable {
      metrics.countUndeliverableFault()
    } else if let fault = plan.fault {
      metrics.countFault(fault.action.kind, fault.phase)
    }
    plan.forEachSlowdown { kind, phase in metrics.countFault(kind, phase) }
  }

  /// Counts the delay of an exchange, if it had one.
  ///
  /// - Parameter began: The instant at which the response's first byte could be sent; nil if no response was begun: the
  ///   peer closed the connection during the delay, which was not completed.
  func countDelay(
    of exchange: borrowing Exchange, in sandbox: Sandbox, _ log: inout ExchangeLog, began: MonotonicInstant?
  ) {
    let planned = exchange.plan.summary.wait
    guard planned > .zero, let began else { return }
    // A response that the network switch held has no meaningful delay.
    guard log.journal.entry(exchange.id)?.network == nil else { return }
    let measured = NanosecondDuration(from: exchange.arrival, to: began)
    metrics.countDelay(planned: planned, measured: measured)
    sandbox.delays.record(planned: planned, measured: measured)
  }
}
