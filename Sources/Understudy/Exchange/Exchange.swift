import Contract
import Faults
import HTTP1

/// One request, where it is meant to go and what will go wrong with it, all decided before anything is done; then what
/// came of it.
///
/// It is passed on by reference, from its arrival to its conclusion, and then serves for another request.
final class Exchange {
  private(set) var request = Request.none
  /// What the port that it came in by says.
  private(set) var port = Labels()
  /// When the request was whole.
  private(set) var arrival = Tick(nanoseconds: 0)
  var destination = Exchange.nowhere
  var sandbox: Sandbox?
  /// Scheme and authority as the client wrote them.
  var origin = ""
  /// The labels that the client needs in front of the API's `/`.
  var prefix = ""
  /// The API and the sandbox that it names.
  var labels = Labels()
  /// The refusal that the head alone decided, whatever the content says.
  var refusal: Reply?
  /// True if the request was refused before all of it had been read: it is not planned, counted or judged.
  private(set) var isIncomplete = false
  var plan = Plan.none
  /// The request's id in its sandbox's journal; 0 where none is kept.
  var id = 0
  /// Which request of its stream it is; 0 where it is not counted.
  var n = 0
  /// The entry whose request a transport sent once more.
  var replayOf: Int?
  /// Which of the repetitions it is, counted from 1; 0 for what the client sent.
  var replays = 0
  /// The address of whoever asks.
  var peer = ""
  /// What the sandbox's clock had been advanced when it came.
  var advanced: Duration = .zero
  /// What the request asked for itself and gets, as `Preference-Applied` says it.
  var preferenceApplied: String?
  /// The preference that the request does not get, with the reason.
  var preferenceNotUnderstood: String?
  /// The idempotency key that it holds while it waits to be applied.
  var heldKey: Idempotency.Key?
  /// What carrying it out came to.
  var answer: Backend.Answer?
  /// The reply, once it is written.
  var outgoing: Outgoing?
  /// The number of the request among all that arrived.
  private(set) var ordinal = 0
  /// The version of the state that a reply shows which was worked out off the loop.
  var shownVersion: Int?
  /// What its body says to the report, where that was worked out off the loop.
  var meaning: Meaning?
  /// The work to be done off the loop before the exchange can be carried out.
  private(set) var pendingWork: Work?
  private var hasWorkers = false
  private var results: [Work.Purpose: any Sendable] = [:]
  private var evaluations = 0
  /// How often changes had been taken back when the results were worked out.
  private var rollbackCount = 0

  private static let nowhere = Destination(.settled(Reply(500), api: nil))

  /// Takes a request up.
  ///
  /// - Parameters:
  ///   - port: The labels of the port that it came in by.
  ///   - ordinal: The number of the request among all that arrived.
  ///   - hasWorkers: True if long work is to be done off the loop.
  ///   - isIncomplete: True if the request is refused before all of it has been read.
  func begin(
    _ request: Request, at port: Labels, arrival: Tick, ordinal: Int, hasWorkers: Bool, isIncomplete: Bool = false
  ) {
    self.ordinal = ordinal
    self.hasWorkers = hasWorkers
    self.request = request
    self.port = port
    self.arrival = arrival
    self.isIncomplete = isIncomplete
  }

  /// Lets go of the request and of all that came of it: nothing of one exchange is to be found in the next.
  func end() {
    request = .none
    port = Labels()
    destination = Self.nowhere
    sandbox = nil
    origin = ""
    prefix = ""
    labels = Labels()
    refusal = nil
    isIncomplete = false
    plan = .none
    (id, n, replayOf, replays) = (0, 0, nil, 0)
    peer = ""
    advanced = .zero
    preferenceApplied = nil
    preferenceNotUnderstood = nil
    heldKey = nil
    answer = nil
    outgoing = nil
    shownVersion = nil
    meaning = nil
    forgetResults()
    evaluations = 0
  }

  /// Returns the value of `body`, worked out off the loop where there are workers.
  ///
  /// The first call makes it the exchange's pending work and returns nil: nothing may have been changed by then, for the
  /// exchange is carried out from its beginning once more when the work is done, and then finds the value here.
  func workedOut<Value: Sendable>(_ purpose: Work.Purpose, _ body: @escaping @Sendable () -> Value) -> Value? {
    guard hasWorkers else { return body() }
    if let value = results[purpose] as? Value { return value }
    pendingWork = Work(purpose: purpose, exchange: ordinal) { body() }
    return nil
  }

  /// As `workedOut`, for a value that holds only while the state is at the version that it was worked out from.
  func workedOut<Value: Sendable>(
    at version: @autoclosure () -> Int, _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    // A state that changes again and again would keep the exchange waiting for ever.
    guard hasWorkers, evaluations < Self.maximumEvaluations else { return body() }
    let current = version()
    if let result = results[.evaluation] as? Versioned<Value>, result.version == current { return result.value }
    results[.evaluation] = nil
    evaluations += 1
    return workedOut(.evaluation) { Versioned(version: current, value: body()) }?.value
  }

  private struct Versioned<Value: Sendable>: Sendable {
    let version: Int
    let value: Value
  }

  private static let maximumEvaluations = 4

  /// Takes the result of the pending work.
  func finish(_ work: Work, _ result: any Sendable) {
    pendingWork = nil
    results[work.purpose] = result
  }

  /// Has everything worked out anew if changes were taken back since.
  func expireResults(after rollbackCount: Int) {
    guard rollbackCount != self.rollbackCount else { return }
    self.rollbackCount = rollbackCount
    forgetResults()
  }

  /// Has everything worked out anew: the state is another than the results were made from.
  func forgetResults() {
    pendingWork = nil
    results = [:]
  }

  /// A reply to HEAD has the head of the reply to GET, and no body (RFC 9110 section 9.3.2).
  var isHead: Bool { request.knownMethod == .head }

  var target: Destination.Target { destination.target }

  /// The operation that is asked for, where there is one.
  var operation: Contract.Operation? { destination.operation }

  /// True if the request is a write as its client sees it, whether or not it is kept. HEAD never is one.
  var isWrite: Bool { !isHead && operation?.isWrite { query.has($0) } == true }

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
    guard let operation, isWrite, let field = request.first(.idempotencyKey),
      case .operation(_, let arguments) = target
    else { return nil }
    let text = request.text(field.value)
    let isOne = request.fields.allSatisfy { $0.known != .idempotencyKey || request.holds($0.value, text) }
    guard isOne, (1...255).contains(text.utf8.count) else { throw .malformedKey }
    let path = ([operation.path.text] + arguments).joined(separator: "\n")
    return Idempotency.Key(method: operation.method.rawValue, path: path, text: text)
  }
}
