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
  /// True if it only holds responses, so that a fault of the request's own takes its place.
  let isHolding: Bool
  /// The indices of the requests without a complete response, by the ordinals of their exchanges.
  private var pending: [Int: Int] = [:]

  /// Further requests are not recorded.
  static let maximumRequests = 100_000

  /// An effect of the layer on requests, besides recording them.
  package enum Change: Sendable {
    case fault(ExploredFault)
    /// Holds each request for this time, so that those that clients send side by side overlap.
    case hold(Duration)
  }

  /// - Parameters:
  ///   - change: The fault to add, or the time to hold requests; nil to record only.
  ///   - seed: The seed of a fault's decisions, such as the damage of a body.
  package init(_ change: Change? = nil, seed: UInt64 = 1) {
    switch change {
    case .fault(let fault):
      (self.fault, isHolding) = (ArmedExploredFault(fault, seed: seed), false)
    case .hold(let time):
      let hold = ExploredFault(
        .latency(time), .before, named: "hold", for: Match(), in: nil, requests: 1...Self.maximumRequests)
      (fault, isHolding) = (ArmedExploredFault(hold, seed: seed), true)
    case nil: (fault, isHolding) = (nil, false)
    }
  }

  /// The number of older states of a sandbox that the fault may need.
  var depth: Int { fault?.depth ?? 0 }

  /// Records a request, and returns its plan if the layer changes it.
  ///
  /// - Parameters:
  ///   - api: The API that has its path; nil for none and for the backend.
  ///   - ordinal: The ordinal of its exchange.
  mutating func takePlan(for context: RequestContext, of api: String?, in sandbox: String, ordinal: Int) -> Plan? {
    let plan = fault?.takePlan(for: context, in: sandbox)
    guard requests.count < Self.maximumRequests else { return plan }
    var request = ExploredRequest(
      api: api ?? "", sandbox: sandbox, method: context.stream.method, path: context.stream.path,
      operation: context.stream.operation, isWrite: context.changes, arrival: requests.count)
    request.isStruck = plan != nil && !isHolding
    request.n = context.position.n
    pending[ordinal] = requests.count
    requests.append(request)
    return plan
  }

  /// Records the end of a request.
  ///
  /// - Parameters:
  ///   - status: The status of its response; nil if its head was not sent whole.
  ///   - hasContent: True if its response has content to damage.
  ///   - content: The hash of its own content if it took effect; nil otherwise.
  ///   - isDelivered: False if its response could not have the fault of its plan.
  mutating func end(_ ordinal: Int, status: Int?, hasContent: Bool, applying content: UInt64?, isDelivered: Bool) {
    guard let index = pending.removeValue(forKey: ordinal) else { return }
    (requests[index].status, requests[index].hasContent) = (status, hasContent)
    requests[index].end = requests.count
    requests[index].content = content
    if !isDelivered { requests[index].isStruck = false }
  }
}

/// A request as `explore` sees it.
package struct ExploredRequest: Sendable, Equatable {
  /// The name of the API; empty for a path that no API has, and for a request to the backend.
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
  /// The number of requests that had arrived before this one.
  package let arrival: Int
  /// The number of requests that had arrived when its response was complete. If it is greater than `arrival` by more than
  /// one, the order of the requests between may differ in the next run.
  package var end = Int.max
  /// The status of its response; nil if the client got none.
  package var status: Int?
  /// True if its response had content.
  package var hasContent = false
  /// True if it had the explored fault.
  package var isStruck = false
  /// The ordinal by which a scenario knows it: in its stream, since the last reset of its sandbox; nil for a `Fault-Key`.
  package var n: Int?

  /// The hash of its content if it took effect; nil otherwise.
  fileprivate var content: UInt64?

  package init(
    api: String, sandbox: String, method: String, path: String, operation: String? = nil, isWrite: Bool, arrival: Int
  ) {
    self.api = api
    self.sandbox = sandbox
    self.method = method
    self.path = path
    self.operation = operation
    self.isWrite = isWrite
    self.arrival = arrival
  }
}

extension ExploredRequest {
  /// A write as it can be told from others in another run, whatever its sandbox is called there.
  package struct Write: Hashable, Sendable {
    private let api: String
    private let method: String
    private let path: String
    private let content: UInt64

    fileprivate init(_ request: ExploredRequest, _ content: UInt64) {
      (api, method, path, self.content) = (request.api, request.method, request.path, content)
    }
  }

  /// The write that took effect; nil if none did.
  package var effect: Write? { content.map { Write(self, $0) } }
}
