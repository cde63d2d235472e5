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
  /// The idempotency key that it holds while it waits to be applied.
  var heldKey: Idempotency.Key?
  /// What carrying it out came to.
  var answer: Backend.Answer?
  /// The reply, once it is written.
  var outgoing: Outgoing?

  private static let nowhere = Destination(.settled(Reply(500), api: nil))

  /// Takes a request up.
  ///
  /// - Parameter port: The labels of the port that it came in by.
  func begin(_ request: Request, at port: Labels, arrival: Tick) {
    self.request = request
    self.port = port
    self.arrival = arrival
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
    plan = .none
    (id, n, replayOf, replays) = (0, 0, nil, 0)
    peer = ""
    advanced = .zero
    preferenceApplied = nil
    heldKey = nil
    answer = nil
    outgoing = nil
  }

  /// A reply to HEAD has the head of the reply to GET, and no body (RFC 9110 section 9.3.2).
  var isHead: Bool { request.knownMethod == .head }

  var target: Destination.Target { destination.target }

  /// The operation that is asked for, where there is one.
  var operation: Contract.Operation? { destination.operation }

  /// The API's place in the catalogue, as far as one was named or found.
  var api: Int? { destination.api }

  /// Its `Idempotency-Key`, in the scope of the operation and its arguments; nil where the key has no meaning.
  func idempotencyKey() throws(Problem) -> Idempotency.Key? {
    guard let operation, !operation.method.isSafe, let field = request.first(.idempotencyKey),
      case .operation(_, let arguments) = target
    else { return nil }
    let text = request.text(field.value)
    guard (1...255).contains(text.utf8.count) else { throw .malformedKey }
    let path = ([operation.path.text] + arguments).joined(separator: "\n")
    return Idempotency.Key(method: operation.method.rawValue, path: path, text: text)
  }
}
