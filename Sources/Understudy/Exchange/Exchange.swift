import Contract
import Faults
import HTTP1

/// One request, where it is meant to go and what will go wrong with it, all decided before anything is done.
struct Exchange {
  let request: Request
  let sandbox: Sandbox?
  let target: Target
  /// Where the API's `/` is for this client: scheme, authority and the labels it needs, without a closing slash.
  let base: String
  /// The API and the sandbox that it names.
  let labels: Labels
  /// What the port that it came in by says.
  let port: Labels
  /// When the request was whole.
  let arrival: Tick
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

  enum Target {
    /// An operation with its method and the values of the path's variables. HEAD is carried out as GET.
    case operation(Router.Route, arguments: [String])
    /// An answer that needs no state: no such path, no such method, a preflight.
    case settled(Reply, api: Int?)
  }

  /// A reply to HEAD has the head of the reply to GET, and no body (RFC 9110 section 9.3.2).
  var isHead: Bool { request.knownMethod == .head }

  init(
    request: Request, sandbox: Sandbox? = nil, target: Target, base: String = "", labels: Labels = Labels(),
    port: Labels = Labels(),
    arrival: Tick = Tick(nanoseconds: 0)
  ) {
    self.request = request
    self.sandbox = sandbox
    self.target = target
    self.base = base
    self.labels = labels
    self.port = port
    self.arrival = arrival
  }

  /// Its `Idempotency-Key`, in the scope of the operation and its arguments; nil where the key has no meaning.
  func idempotencyKey(of operation: Contract.Operation) throws(Problem) -> Idempotency.Key? {
    guard case .operation(_, let arguments) = target, !operation.method.isSafe,
      let field = request.first(.idempotencyKey)
    else { return nil }
    let text = request.text(field.value)
    guard (1...255).contains(text.utf8.count) else { throw .malformedKey }
    let path = ([operation.path.text] + arguments).joined(separator: "\n")
    return Idempotency.Key(method: operation.method.rawValue, path: path, text: text)
  }

  /// The API's place in the catalogue, as far as one was named or found.
  var api: Int? {
    switch target {
    case .operation(let route, _): route.api
    case .settled(_, let api): api
    }
  }
}
