import Contract
import Faults
import HTTP1

/// One request, the place where it is meant to go, and what will go wrong with it: decided before anything is done.
///
/// It has one owner, the connection's `Progress`, and is passed on without being copied.
struct Exchange: ~Copyable {
  let request: Request
  /// The labels of the port by which the request came.
  let port: Labels
  /// The moment at which the request was whole.
  let arrival: Tick
  /// The number of the request among all that arrived.
  let ordinal: Int
  /// True if the request was refused before all of it had been read: it is not planned, counted or judged.
  let isIncomplete: Bool
  var address = Address.unknown
  var sandbox: Sandbox?
  /// The refusal that the head alone decided, whatever the content says.
  var refusal: Reply?
  var plan = Plan.none
  /// The request's id in its sandbox's journal; 0 where none is kept.
  var id = 0
  /// The ordinal of the request in its stream; 0 where it is not counted.
  var n = 0
  /// The entry whose request a transport sent once more.
  var replayOf: Int?
  /// The number of times that a transport had sent it before.
  var replays = 0
  /// The client's address.
  var peer = ""
  /// The number of its connection.
  var connection = 0
  /// The time that the sandbox's clock had been advanced by when the request came.
  var advanced: Duration = .zero
  /// The preferences that the request has by `Prefer`; nil where it has none.
  var preference: Preference?
  /// The idempotency key that it holds while it waits to be applied.
  var heldKey: Idempotency.Key?
  /// The version of the state that a reply shows which was worked out off the loop.
  var shownVersion: Int?
  /// The meaning of its body for the report, where that was worked out off the loop.
  var meaning: Meaning?
  /// The values that are worked out for it off the loop; nil where none are.
  var offLoop: OffLoopWork?

  /// The outcome of reading `Prefer`.
  struct Preference: Sendable {
    /// The preferences that are granted, as `Preference-Applied` says them.
    var applied: String?
    /// The preference that is not granted, with the reason.
    var notUnderstood: String?
  }

  /// - Parameters:
  ///   - port: The labels of the port by which the request came.
  ///   - ordinal: The number of the request among all that arrived.
  ///   - isIncomplete: True if the request is refused before all of it has been read.
  init(_ request: Request, at port: Labels, arrival: Tick, ordinal: Int, isIncomplete: Bool = false) {
    self.request = request
    self.port = port
    self.arrival = arrival
    self.ordinal = ordinal
    self.isIncomplete = isIncomplete
  }

  /// A reply to HEAD has the head of the reply to GET, and no body (RFC 9110 section 9.3.2).
  var isHead: Bool { request.knownMethod == .head }

  var destination: Destination { address.destination }

  var target: Destination.Target { destination.target }

  /// The operation that is asked for, where there is one.
  var operation: Contract.Operation? { destination.operation }

  /// True if the request is a write as its client sees it, whether or not it is kept. HEAD never is one.
  var isWrite: Bool {
    guard let operation, operation.canWrite, !isHead else { return false }
    return operation.isWrite { query.has($0) }
  }

  /// True if the request may change what the sandbox holds.
  var changesState: Bool { isWrite && operation?.changesState == true }

  var query: Query { request.query.map { Query(parsing: request.bytes[$0]) } ?? Query() }

  /// The bytes that two requests with one `Idempotency-Key` must share: the body, or the query where GET writes.
  var keyedContent: ArraySlice<UInt8> {
    guard operation?.method.isSafe == true else { return request.bytes[request.body] }
    return request.query.map { request.bytes[$0] } ?? []
  }

  /// The API's place in the catalogue, as far as one was named or found.
  var api: Int? { destination.api }

  /// Why the request was refused before all of it had been read.
  var refusalText: String? { isIncomplete ? refusal?.problem?.detail : nil }

  /// Its `Idempotency-Key`, in the scope of the operation and its arguments; nil where the key has no meaning.
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
