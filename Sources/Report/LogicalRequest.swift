import Contract
import Faults
import Primitives

/// A client's request with all its attempts.
struct LogicalRequest: Sendable {
  /// One request on the wire, as shown in the timeline and compared with the next attempt.
  struct Attempt: Sendable {
    let id: Int
    let arrival: MonotonicInstant
    var end: MonotonicInstant
    /// True if the client learnt of its end at that instant, and not before.
    var isEndKnown: Bool
    var result: Observation.Result
    let status: Int?
    let retryAfter: Duration?
    let measuredDelay: Duration
    let plan: PlanSummary
    var isApplied: Bool
    let connection: Int
    /// The total advance of the sandbox's clock at the end.
    let advanced: Duration
    /// True if an outage kept it from the backend.
    let isOutage: Bool
    /// True if it was refused for what it is: the same again is no retry after a failure of the backend.
    var isRejected: Bool { if case .rejected = result { true } else { false } }
    /// True if the client closed the connection before the response was whole.
    var hasClientLeft = false
    /// True if the transport sent it again by itself.
    var wasReplayed = false
  }

  /// Further attempts are counted but not stored.
  static let maximumAttempts = 12

  let identity: UInt64
  let client: UInt64
  let api: Int?
  let method: String
  let target: String
  let isWrite: Bool
  let isKeyed: Bool
  let intent: Intent?
  /// The purpose of a write as text: `name: Ljerka`.
  let purpose: String
  /// The attempts before the last one, as far as they are stored: most requests have none.
  private var earlier: [Attempt] = []
  private(set) var last: Attempt
  private(set) var count = 1
  /// The attempts since one was last refused for what it is: that is an answer, and what is asked again begins anew.
  private(set) var round = 1
  /// The client's wait before the second attempt of the round.
  private(set) var firstWait: Duration?
  /// The attempts that changed the state, each with its `Idempotency-Key`.
  private(set) var applied: [(id: Int, key: UInt64?)] = []
  /// True if an attempt was answered with a whole 2xx, though a damaged one: what comes next may be meant.
  private(set) var isAnswered = false
  /// The keys that its attempts had.
  private(set) var keys: Set<UInt64> = []
  /// When the client had looked after the failure: what it sends from then on is a new decision.
  var readEnd: MonotonicInstant?
  /// When the client last read the record, be it by a steady poll.
  var pollEnd: MonotonicInstant?
  /// True if the last attempt's client left before it had a response.
  private(set) var wasLeft = false

  init(_ first: borrowing Observation) {
    identity = first.identity
    client = first.client
    api = first.api
    method = first.method
    target = String(decoding: first.target.prefix(200), as: UTF8.self)
    isWrite = first.isWrite
    isKeyed = first.key != nil
    intent = first.intent
    purpose = first.purpose.text
    last = Attempt(first)
    record(first)
  }

  /// The first attempts.
  var attempts: [Attempt] { earlier.count < Self.maximumAttempts ? earlier + [last] : earlier }

  mutating func add(_ next: Observation) {
    count += 1
    // A hedge, sent while the last attempt is waited for, is no retry after a failure.
    if next.arrival - last.end >= .zero - LogicalRequests.overlap.duration || last.isRejected {
      round = last.isRejected ? 1 : round + 1
      if round <= 2 { firstWait = round == 2 ? max(.zero, next.arrival - last.end) : nil }
    }
    if earlier.count < Self.maximumAttempts { earlier.append(last) }
    last = Attempt(next)
    record(next)
  }

  /// Counts an attempt that the client gave up, and that ended only after the next one.
  mutating func absorb(_ late: Observation) {
    count += 1
    round += 1
    record(late)
  }

  /// Adds the effects of another half of the same request, which was sent beside it.
  mutating func takeEffects(of half: LogicalRequest) {
    applied = Array((applied + half.applied).prefix(Self.maximumAttempts))
    if keys.count < Self.maximumAttempts { keys.formUnion(half.keys) }
    if half.isAnswered { isAnswered = true }
  }

  /// Uses the outcome of a repetition by the transport as that of the last attempt.
  mutating func replay(_ repetition: Observation) {
    last.end = repetition.end
    last.isEndKnown = repetition.isEndKnown
    last.result = repetition.result
    last.wasReplayed = true
  }

  /// True if the client looked after the failure before it sent a request that came at this moment.
  func wasReread(before arrival: MonotonicInstant) -> Bool { readEnd.map { $0 <= arrival } ?? false }

  /// True if the client read the record after the last attempt, and before a request that came at this moment.
  func isBasedOnRead(at arrival: MonotonicInstant) -> Bool {
    pollEnd.map { $0 >= last.end && $0 <= arrival } ?? false
  }

  private mutating func record(_ observation: Observation) {
    wasLeft = observation.outcome == .peerGone
    if observation.result == .damaged, let status = observation.status, 200..<300 ~= status { isAnswered = true }
    if observation.isApplied, applied.count < Self.maximumAttempts {
      applied.append((observation.id, observation.key))
    }
    if let key = observation.key, keys.count < Self.maximumAttempts { keys.insert(key) }
  }
}

extension LogicalRequest.Attempt {
  init(_ observation: borrowing Observation) {
    id = observation.id
    arrival = observation.arrival
    end = observation.end
    isEndKnown = observation.isEndKnown
    result = observation.result
    status = observation.status
    retryAfter = observation.retryAfter
    measuredDelay = observation.measuredDelay
    plan = observation.plan
    isApplied = observation.isApplied
    connection = observation.connection
    advanced = observation.advanced.upperBound
    isOutage = observation.isOutage
    hasClientLeft = observation.outcome == .peerGone
  }
}
