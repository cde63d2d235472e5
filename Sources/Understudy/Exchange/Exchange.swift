import Contract
import Faults
import HTTP1

/// One request, its target and its plan, decided before the request is performed.
///
/// It has one owner, the connection's `Progress`, and is moved, never copied.
struct Exchange: ~Copyable {
  let request: Request
  /// The labels of the port at which the request arrived.
  let port: Labels
  /// The instant at which the request was complete.
  let arrival: MonotonicInstant
  /// The ordinal of the request among all received requests.
  let ordinal: Int
  /// True if the request was refused before all of it had been read: it gets no plan, and is neither counted nor
  /// checked.
  let isIncomplete: Bool
  var address = Address.unknown
  var sandbox: Sandbox?
  /// The refusal that was decided by the head alone, independent of the content.
  var refusal: Response?
  var plan = Plan.none
  /// The request's id in its sandbox's journal; 0 if there is no entry.
  var id = 0
  /// The ordinal of the request in its stream; 0 if it is not counted.
  var n = 0
  /// The entry whose request a client's transport sent again.
  var replayOf: Int?
  /// The number of times that a transport had sent it before.
  var replays = 0
  /// The client's address.
  var peer = ""
  /// The number of its connection.
  var connection = 0
  /// The advance of the sandbox's clock when the request arrived.
  var advanced: Duration = .zero
  /// The request's preferences in `Prefer`; nil if it has none.
  var preference: Preference?
  /// The idempotency key that is in flight until the request is applied.
  var heldKey: Idempotency.Key?
  /// The version of the state in a response that was computed off the loop.
  var shownVersion: Int?
  /// The meaning of its body for the report, if it was computed off the loop.
  var meaning: Meaning?
  /// The values that are computed for it off the loop; nil if there are none.
  var offLoop: OffLoopWork?

  /// The result of parsing `Prefer`.
  struct Preference: Sendable {
    /// The applied preferences, in the form of `Preference-Applied`.
    var applied: String?
    /// The ignored preference, with the reason.
    var notUnderstood: String?
  }

  /// Creates an exchange.
  ///
  /// - Parameters:
  ///   - port: The labels of the port at which the request arrived.
  ///   - ordinal: The ordinal of the request among all received requests.
  ///   - isIncomplete: True if the request is refused before all of it has been read.
  init(_ request: Request, at port: Labels, arrival: MonotonicInstant, ordinal: Int, isIncomplete: Bool = false) {
    self.request = request
    self.port = port
    self.arrival = arrival
    self.ordinal = ordinal
    self.isIncomplete = isIncomplete
  }

  /// True if the sandbox's network switch keeps its response back. The control API has no entries, and is never held.
  var isResponseHeld: Bool { id > 0 && sandbox?.network.keepsResponses == true }

  /// True for HEAD: its response has the head of the response to GET, and no body (RFC 9110 section 9.3.2).
  var isHead: Bool { request.knownMethod == .head }

  var destination: ResolvedRoute { address.destination }

  var target: ResolvedRoute.Target { destination.target }

  /// The requested operation, if there is one.
  var operation: Contract.Operation? { destination.operation }

  /// True if the request is a write as its client sees it, even if its data is not stored. HEAD never is.
  var isWrite: Bool {
    guard let operation, operation.canWrite, !isHead else { return false }
    return operation.isWrite { query.has($0) }
  }

  /// True if the request may change the sandbox's state.
  var changesState: Bool { isWrite && operation?.changesState == true }

  var query: Query { request.query.map { Query(parsing: request.bytes[$0]) } ?? Query() }

  /// The bytes that two requests with the same `Idempotency-Key` must share: the body, or the query of a GET that
  /// writes.
  var keyedContent: ArraySlice<UInt8> {
    guard operation?.method.isSafe == true else { return request.bytes[request.body] }
    return request.query.map { request.bytes[$0] } ?? []
  }

  /// The API's index in the catalogue, if one was named or found.
  var api: Int? { destination.api }

  /// The reason for which the request was refused before all of it had been read.
  var refusalText: String? { isIncomplete ? refusal?.problem?.detail : nil }

  /// Returns its `Idempotency-Key`, scoped to the operation and its arguments; nil if the key has no meaning there.
  func idempotencyKey() throws(Problem) -> Idempotency.Key? {
    guard let field = request.first(.idempotencyKey), let operation, isWrite,
      case .operation(_, let arguments) = target
    else { return nil }
    let text = request.text(field.value)
    let isOne = request.fields.allSatisfy { $0.known != .idempotencyKey || request.holds($0.value, text) }
    guard isOne, (1...255).contains(text.utf8.count) else { throw .malformedKey }
    let path = ([operation.path.text] + arguments).joined(separator: "\n")
    return Idempotency.Key(method: operation.method.rawValue, path: path, text: text)
  }
}
