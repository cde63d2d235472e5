package import Faults
import Primitives

/// The layer of `explore` above the scenarios of all sandboxes: it records the requests of a server's life, and adds a fault
/// to some of them.
///
/// Neither a reset nor another scenario nor a new sandbox changes it.
package struct ExplorationLayer: Sendable {
  /// The requests in the order of their arrival. CORS preflights, repetitions by a transport, requests during an outage
  /// and those to the control API are not among them.
  private(set) var requests: [ExploredRequest] = []
  private var fault: ArmedExploredFault?
  /// The indices of the requests without a complete response, by the ordinals of their exchanges.
  private var pending: [Int: Int] = [:]

  /// Further requests are not recorded.
  static let maximumRequests = 100_000

  /// - Parameters:
  ///   - fault: The fault to add; nil for none.
  ///   - seed: The seed of its decisions, such as the damage of a body.
  package init(adding fault: ExploredFault? = nil, seed: UInt64 = 1) {
    self.fault = fault.map { ArmedExploredFault($0, seed: seed) }
  }

  /// The number of older states of a sandbox that the fault may need.
  var depth: Int { fault?.depth ?? 0 }

  /// Records a request, and returns its plan if the fault strikes it.
  ///
  /// - Parameter ordinal: The ordinal of its exchange.
  mutating func takePlan(for context: RequestContext, in sandbox: String, ordinal: Int) -> Plan? {
    let plan = fault?.takePlan(for: context, in: sandbox)
    guard requests.count < Self.maximumRequests else { return plan }
    var request = ExploredRequest(
      api: context.stream.api, sandbox: sandbox, method: context.stream.method, path: context.stream.path,
      operation: context.stream.operation, isWrite: context.changes)
    request.isStruck = plan != nil
    for index in pending.values where requests[index].isSameStream(as: request) {
      requests[index].overlaps = true
      request.overlaps = true
    }
    pending[ordinal] = requests.count
    requests.append(request)
    return plan
  }

  /// Records the end of a request.
  ///
  /// - Parameters:
  ///   - hasContent: True if its response has content to damage.
  ///   - isDelivered: False if its response could not have the fault of its plan.
  mutating func end(_ ordinal: Int, status: Int?, hasContent: Bool, isDelivered: Bool) {
    guard let index = pending.removeValue(forKey: ordinal) else { return }
    requests[index].status = status
    requests[index].hasContent = hasContent
    if !isDelivered { requests[index].isStruck = false }
  }
}

/// A request as `explore` sees it.
package struct ExploredRequest: Sendable, Equatable {
  /// The name of the API; empty for a path that no API has.
  package let api: String
  package let sandbox: String
  /// The method in upper case.
  package let method: String
  /// The path without labels and query, percent-decoded.
  package let path: String
  /// The name that a file of semantics gives the operation; nil if it gives none.
  package let operation: String?
  /// True if it is a write from the client's point of view.
  package let isWrite: Bool
  /// True if another request of its stream was under way at the same time, so that their order may differ in the next run.
  package var overlaps = false
  /// The status of its response; nil without one.
  package var status: Int?
  /// True if its response had content.
  package var hasContent = false
  /// True if it had the explored fault.
  package var isStruck = false

  package init(
    api: String, sandbox: String, method: String, path: String, operation: String? = nil, isWrite: Bool
  ) {
    self.api = api
    self.sandbox = sandbox
    self.method = method
    self.path = path
    self.operation = operation
    self.isWrite = isWrite
  }

  fileprivate func isSameStream(as other: ExploredRequest) -> Bool {
    path == other.path && method == other.method && operation == other.operation && api == other.api
      && sandbox == other.sandbox
  }
}
