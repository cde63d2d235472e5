import Contract
import Faults

/// What a client wanted, with all attempts that it took.
struct LogicalRequest: Sendable {
  /// One request on the wire, as the timeline shows it and the next attempt is judged by.
  struct Attempt: Sendable {
    let id: Int
    let arrival: Tick
    var end: Tick
    /// Whether the client knew at that moment that it had ended, and not before.
    var isEndKnown: Bool
    var result: Observation.Result
    let status: Int?
    let retryAfter: Duration?
    let planned: Duration
    let held: Duration
    let fault: String
    var isApplied: Bool
    /// True if the client closed the connection before the response was whole.
    var hasClientLeft = false
    /// Whether the transport sent it again by itself.
    var wasReplayed = false
  }

  /// More are counted, and not kept.
  static let mostAttempts = 12

  let identity: UInt64
  let client: UInt64
  let api: Int?
  let method: String
  let target: String
  let isWrite: Bool
  let isKeyed: Bool
  let intent: Intent?
  /// What a write was to do, in words: `name: Ljerka`.
  let wish: String
  private(set) var attempts: [Attempt] = []
  private(set) var last: Attempt
  private(set) var count = 1
  /// The attempts that changed the state, each with its `Idempotency-Key`.
  private(set) var applied: [(id: Int, key: UInt64?)] = []
  /// The keys that its attempts had.
  private(set) var keys: Set<UInt64> = []
  /// Whether the client looked after the failure: what it sends then is a new decision.
  var wasReread = false

  init(_ first: Observation) {
    identity = first.identity
    client = first.client
    api = first.api
    method = first.method
    target = String(decoding: first.target.prefix(200), as: UTF8.self)
    isWrite = first.isWrite
    isKeyed = first.key != nil
    intent = first.intent
    wish = first.effect.words
    last = Attempt(first)
    attempts = [last]
    note(first)
  }

  mutating func add(_ next: Observation) {
    count += 1
    last = Attempt(next)
    if attempts.count < Self.mostAttempts { attempts.append(last) }
    note(next)
  }

  /// Counts an attempt that the client gave up, and that ended only after the next one had.
  mutating func absorb(_ late: Observation) {
    count += 1
    note(late)
  }

  /// How long the client waited before it tried again for the first time.
  var firstWait: Duration? { attempts.count > 1 ? max(.zero, attempts[1].arrival - attempts[0].end) : nil }

  /// Takes what a transport's repetition came to as what the last attempt came to.
  mutating func replay(_ repetition: Observation) {
    last.end = repetition.end
    last.isEndKnown = repetition.isEndKnown
    last.result = repetition.result
    last.wasReplayed = true
    if attempts.last?.id == last.id { attempts[attempts.count - 1] = last }
  }

  private mutating func note(_ observation: Observation) {
    if observation.isApplied, applied.count < Self.mostAttempts { applied.append((observation.id, observation.key)) }
    if let key = observation.key, keys.count < Self.mostAttempts { keys.insert(key) }
  }
}

extension Observation.Effect {
  /// The record that is taken from, or the values that are set, cut to what a line can hold.
  fileprivate var words: String {
    switch self {
    case .none, .read, .restore: ""
    case .take(let register): Self.cut("\(register.member): \(register.record.id)")
    case .write(let values):
      Self.cut(values.map { "\($0.register.member): \(Self.cut($0.text))" }.joined(separator: ", "))
    }
  }

  /// Cut by scalars: one character may have marks without end.
  private static func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(120)) }
}

extension LogicalRequest.Attempt {
  init(_ observation: Observation) {
    id = observation.id
    arrival = observation.arrival
    end = observation.end
    isEndKnown = observation.isEndKnown
    result = observation.result
    status = observation.status
    retryAfter = observation.retryAfter
    planned = observation.plan.delay
    held = observation.held
    fault = observation.plan.isCalm ? "" : observation.plan.words
    isApplied = observation.isApplied
    hasClientLeft = observation.outcome == .peerGone
  }
}
