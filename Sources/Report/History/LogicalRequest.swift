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
    /// The wait that the response asked for, true if it did so by a date, and the instant before which no further request
    /// may come.
    let retryAfter: Duration?
    let isRetryAfterDate: Bool
    let notBefore: MonotonicInstant?
    let measuredDelay: Duration
    let plan: Plan
    var isApplied: Bool
    let connection: Int
    /// The total advance of the sandbox's clock at the end.
    let advanced: Duration
    /// True if an outage kept it from the backend.
    let isOutage: Bool
    /// True if it was refused for what it is: the same again is no retry after a failure of the backend.
    var isRejected: Bool { if case .rejected = result { true } else { false } }

    /// True if it asked for a wait, and that is over.
    func allows(_ arrival: MonotonicInstant) -> Bool {
      notBefore.map { arrival + RetryAfterHonoured.slack >= $0 } ?? true
    }
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
  let operation: Contract.Operation?
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
  /// The first attempt of which only a backend may know whether it changed the state.
  private(set) var unknownEffect: (id: Int, key: UInt64?, result: UInt64?)?
  /// The hash of the fields by which an equal request is another one, of the last attempt.
  private(set) var variant: UInt64 = 0
  /// The hash of the last attempt's `Authorization` as it was sent.
  private(set) var authorization: UInt64 = 0
  /// True if an attempt was answered with a whole 2xx, though a damaged one: what comes next may be meant.
  private(set) var isAnswered = false
  /// The keys that its attempts had.
  private(set) var keys: Set<UInt64> = []
  /// When the client had first looked after its last attempt: what it sends from then on is a new decision.
  private(set) var readEnd: MonotonicInstant?
  /// When the client had first read the record after its last attempt, be it by a steady poll.
  private(set) var pollEnd: MonotonicInstant?
  /// Its load on the backend.
  private(set) var burst = Burst()
  /// True if an attempt crossed the response to another one, as a hedge does; it is sent once.
  private(set) var hasCrossed = false
  /// Its repetitions after refusals.
  private(set) var repetitions = Facts.Repetitions()
  /// True if the last attempt's client left before it had a response.
  private(set) var wasLeft = false

  init(_ first: borrowing Observation) {
    identity = first.identity
    client = first.client
    api = first.api
    operation = first.operation
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
    (readEnd, pollEnd) = (nil, nil)
    burst.add(next, after: last)
    if isCrossed(by: next) { hasCrossed = true }
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

  /// True if a request was sent on another connection before its client can have seen the response to the last attempt.
  func isCrossed(by next: Observation) -> Bool {
    next.connection != last.connection && next.arrival - last.end < RetryAfterHonoured.crossing
      && last.end - last.arrival >= RetryAfterHonoured.slack
  }

  /// Records a completed read that shows what became of it.
  mutating func read(by seen: Observation, _ facts: Facts) {
    guard seen.arrival >= last.arrival, seen.end >= last.end else { return }
    pollEnd = min(pollEnd ?? seen.end, seen.end)
    if !facts.isBackground(since: last.arrival) { readEnd = min(readEnd ?? seen.end, seen.end) }
  }

  /// True if the client looked after the failure before it sent a request that came at this moment.
  func wasReread(before arrival: MonotonicInstant) -> Bool { readEnd.map { $0 <= arrival } ?? false }

  /// True if the client read the record after the last attempt, and before a request that came at this moment.
  func isBasedOnRead(at arrival: MonotonicInstant) -> Bool { pollEnd.map { $0 <= arrival } ?? false }

  /// When its first attempt came, as far as it is stored.
  var start: MonotonicInstant { earlier.first?.arrival ?? last.arrival }

  /// Ends the row of repetitions after refusals.
  mutating func endRepetitions() { repetitions = Facts.Repetitions() }

  /// Counts a repetition after a refusal.
  mutating func countRepetition(after id: Int, isInARow: Bool, isQuick: Bool, _ otherSenders: Explanations) {
    let isQuick = isQuick && isInARow
    repetitions.isInARow = isInARow
    repetitions.quick = isQuick ? repetitions.quick + 1 : 0
    repetitions.otherSenders = otherSenders
    repetitions.sure = isQuick && otherSenders.isEmpty ? repetitions.sure + 1 : 0
    repetitions.ids = repetitions.sure > 0 ? repetitions.ids.suffix(NoRetryOf4xx.loopLength - 1) + [id] : []
  }

  private mutating func record(_ observation: Observation) {
    wasLeft = observation.outcome == .peerGone
    (variant, authorization) = (observation.variant, observation.authorization)
    if observation.isWrite, observation.isEffectUnknown, unknownEffect == nil {
      unknownEffect = (observation.id, observation.key, observation.namedResult)
    }
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
    isRetryAfterDate = observation.isRetryAfterDate
    notBefore = observation.notBefore
    measuredDelay = observation.measuredDelay
    plan = observation.plan
    isApplied = observation.isApplied
    connection = observation.connection
    advanced = observation.advanced.upperBound
    isOutage = observation.isOutage
    hasClientLeft = observation.outcome == .peerGone
  }
}

extension LogicalRequest {
  /// The attempts of a request in the last ten seconds that reached a backend at a time of the client's own choice.
  struct Burst: Sendable {
    struct Arrival: Sendable {
      let id: Int
      let at: MonotonicInstant
      let key: UInt64?
    }

    private(set) var arrivals: [Arrival] = []
    /// The explanations by which some of them may be another client's.
    private(set) var otherSenders: Explanations = []
    /// The lengths of the quick series so far, and of the one under way.
    private var series: [Int] = []
    private var current = 1
    /// True if three series of one length followed one another: a retry loop within another.
    private(set) var isNested = false

    /// Returns the attempts under the same key as another.
    func count(under key: UInt64?) -> Int { arrivals.count { $0.key == key } }

    fileprivate mutating func add(_ next: Observation, after last: Attempt) {
      // What an outage refused is no load, nor is it a retry to ask for the same again after a refusal.
      guard !next.isOutage, !last.isRejected else { return }
      let wait = next.arrival - last.end
      if last.notBefore != nil, last.allows(next.arrival) {
        self = Burst()
      } else if arrivals.isEmpty, !last.isOutage {
        arrivals.append(Arrival(id: last.id, at: last.arrival, key: next.key))
      }
      otherSenders.formUnion(next.otherSenders(than: last))
      arrivals.removeAll { next.arrival - $0.at > RetryAmplification.window }
      arrivals = arrivals.suffix(64) + [Arrival(id: next.id, at: next.arrival, key: next.key)]
      countSeries(wait)
    }

    private mutating func countSeries(_ wait: Duration) {
      isNested = false
      guard wait >= RetryAmplification.outerWait else {
        current += 1
        return
      }
      series = current > 1 ? series.suffix(7) + [current] : []
      current = 1
      isNested = series.count == 3 && series.allSatisfy { $0 == series[0] }
    }
  }
}
