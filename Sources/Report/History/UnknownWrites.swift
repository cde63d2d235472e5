import Contract
import Faults
import Primitives

/// A write that its client could not take for done, and what the client did about it.
struct WriteFate: Sendable {
  /// Why the client could not know that the write was done.
  struct Doubts: OptionSet, Sendable {
    let rawValue: UInt8
    /// Its response was lost, or a gateway's failure hides that the backend had done it.
    static let lost = Doubts(rawValue: 1)
    /// It was refused for now: 429, 503, or 500 after the commit.
    static let refused = Doubts(rawValue: 1 << 1)
    /// It was lost, and has a key that makes it safe to repeat.
    static let repeatable = Doubts(rawValue: 1 << 2)
    /// It was not done, and answered with a 2xx that is not the API's.
    static let misleading = Doubts(rawValue: 1 << 3)
  }

  enum Ending: Sendable, Equatable {
    /// It was repeated, looked after, answered beside, or made moot by another write.
    case followed
    /// It was repeated after its time.
    case late(by: Int)
    /// Nothing but a steady poll showed its record within its time.
    case polled
    /// Nothing followed within its time.
    case forgotten
    /// Nothing followed before the run ended so much later.
    case leftAtEnd(Duration)
    /// Nothing had followed when the sandbox was reset.
    case interrupted
    /// There were too many of them.
    case unjudged
  }

  let doubts: Doubts
  /// The client's own request, if this was its transport's repetition.
  let id: Int
  let client: UInt64
  let isNamed: Bool
  let request: String
  /// True if the API is not known, so that it is not known which reads show what the write did.
  let isOfUnknownAPI: Bool
  let ending: Ending
}

/// The writes of which a client does not know what became, until it finds out: by sending them again, or by looking.
///
/// A repeated write is recognized by its intent, as everywhere; a read counts if it shows the record, and a later write that
/// sets the same makes the old one moot. Another booking does not, and a steady poll that goes on shows no interest.
/// A client has thirty seconds online; one that tries to find out and learns nothing has thirty seconds from that try.
struct UnknownWrites: Sendable {
  static let patience = Duration.seconds(30)
  static let maximumPending = 256

  private struct Write: Sendable {
    let doubts: WriteFate.Doubts
    let id: Int
    let origin: Int
    let client: UInt64
    let isNamed: Bool
    let identity: UInt64
    let intent: Intent?
    let key: UInt64?
    let api: Int?
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let request: String
    let isOfUnknownAPI: Bool
    /// The wait that the response asked for.
    let asked: Duration
    /// The end, in time online.
    let endOnline: MonotonicInstant
    /// When its client last tried in vain to find out, or lost it, in time online.
    var lastTry: MonotonicInstant
    var isTried = false
    /// True if a steady poll has shown its record since.
    var isPolled = false

    init(_ seen: Observation, _ doubts: WriteFate.Doubts) {
      self.doubts = doubts
      id = seen.id
      origin = seen.replayOf ?? seen.id
      client = seen.client
      isNamed = seen.isNamed
      identity = seen.identity
      intent = seen.intent
      key = seen.key
      api = seen.api
      arrival = seen.arrival
      end = seen.end
      request = ReportText.request(seen)
      isOfUnknownAPI = seen.isOfUnknownAPI
      asked = seen.retryAfter ?? .zero
      endOnline = seen.endOnline
      lastTry = endOnline
    }

    /// True if its client has had its time by a moment of time online.
    func isOverdue(at now: MonotonicInstant) -> Bool { now - lastTry > UnknownWrites.patience + asked }
  }

  private var pending: [Write] = []
  /// The writes whose time has passed; a late repetition may still come.
  private var overdue: [Write] = []
  private var fates: [WriteFate] = []

  var isEmpty: Bool { pending.isEmpty && overdue.isEmpty }

  var hasFates: Bool { !fates.isEmpty }

  mutating func takeFates() -> [WriteFate] {
    defer { fates.removeAll() }
    return fates
  }

  /// Forgets all writes: a state that was replaced no longer shows their outcome.
  mutating func forgetAll() { pending.removeAll() }

  /// Adds an exchange, after those before it were followed up.
  ///
  /// - Parameter isFollowingStream: True if its client follows a stream that shows what its writes do.
  mutating func add(_ seen: Observation, _ facts: Facts, isFollowingStream: Bool) {
    if !pending.isEmpty, seen.isWrite || seen.method != "HEAD" || seen.isOfUnknownAPI { followUp(seen, facts) }
    guard seen.isWrite else { return }
    if !overdue.isEmpty { repeatLate(seen) }
    let doubts = seen.doubts
    guard !doubts.isEmpty else { return }
    let write = Write(seen, doubts)
    // Of two attempts side by side one answer is enough, and a stream shows what was done.
    if facts.isAnsweredBeside || isFollowingStream && !doubts.contains(.refused) { return decide(write, .followed) }
    if pending.count == Self.maximumPending { decide(pending.removeFirst(), .unjudged) }
    pending.append(write)
  }

  private mutating func followUp(_ seen: Observation, _ facts: Facts) {
    // A replay by the transport counts as the request it repeats, whatever its outcome.
    if let replayOf = seen.replayOf { pending.removeAll { $0.origin == replayOf } }
    var rest: [Write] = []
    for var write in pending {
      let isFollowUp = isFollowUp(seen, of: write)
      if isFollowUp, !facts.isBackground(since: write.arrival) {
        decide(write, .followed)
        continue
      }
      if write.isOverdue(at: seen.arrivalOnline) {
        expire(write)
        continue
      }
      if isFollowUp { write.isPolled = true }
      if seen.client == write.client, seen.api == write.api, !seen.informsClient, let intent = write.intent,
        seen.intent?.resolves(intent) == true
      {
        write.lastTry = max(write.lastTry, seen.endOnline)
        write.isTried = true
      }
      rest.append(write)
    }
    pending = rest
  }

  /// True if a request is one by which the client of a write finds out about it.
  ///
  /// A request that came sooner after the write was sent beside it, and not because it was given up, unless it is the
  /// same again.
  private func isFollowUp(_ seen: Observation, of write: Write) -> Bool {
    guard seen.client == write.client, seen.id > write.id, !write.isOverdue(at: seen.arrivalOnline) else {
      return false
    }
    if seen.identity == write.identity || isSameWrite(seen, write) { return true }
    guard seen.resolves(write.intent, of: write.api) else { return false }
    if write.doubts == .refused, seen.intent?.reads == true { return false }
    let isLater = seen.end - write.end >= .zero - LogicalRequests.overlap.duration
    return isLater || seen.arrival - write.arrival >= LogicalRequests.shortestTimeout
  }

  /// True if a request has the key of a write: it is the same, though its content may be spelled otherwise, as with another
  /// boundary between its parts.
  private func isSameWrite(_ seen: Observation, _ write: Write) -> Bool {
    seen.isWrite && seen.key != nil && seen.key == write.key && seen.api == write.api
      && seen.intent?.record == write.intent?.record
  }

  private mutating func expire(_ write: Write) {
    if overdue.count == Self.maximumPending { forget(overdue.removeFirst()) }
    overdue.append(write)
  }

  /// Removes the overdue writes that this one repeats, as the next attempt of a job whose waits are long: under the same
  /// key, or with the same values. Another write that adds something may be a new one.
  private mutating func repeatLate(_ seen: Observation) {
    var rest: [Write] = []
    for write in overdue {
      let isSame = write.client == seen.client && write.identity == seen.identity && write.key == seen.key
      let isRepeated = isSame && seen.id > write.id && (write.key != nil || write.intent?.overwrites == true)
      if isRepeated { decide(write, .late(by: seen.id)) } else { rest.append(write) }
    }
    overdue = rest
  }

  private mutating func forget(_ write: Write) { decide(write, write.isPolled ? .polled : .forgotten) }

  private mutating func decide(_ write: Write, _ ending: WriteFate.Ending) {
    fates.append(
      WriteFate(
        doubts: write.doubts, id: write.origin, client: write.client, isNamed: write.isNamed, request: write.request,
        isOfUnknownAPI: write.isOfUnknownAPI, ending: ending))
  }

  /// Decides what has become of all writes by a moment: at the end of a run a client that has not tried to find out never
  /// will, unless the sandbox is offline.
  mutating func conclude(at context: CheckContext) {
    for write in overdue { forget(write) }
    for write in pending {
      let left = context.online - write.endOnline
      if write.isOverdue(at: context.online) {
        forget(write)
      } else if context.isFinal, !write.isTried, !context.isOffline, left + .milliseconds(1) >= write.asked {
        decide(write, write.isPolled ? .polled : .leftAtEnd(left))
      } else if context.isReset, !write.isTried {
        decide(write, .interrupted)
      }
    }
    (pending, overdue) = ([], [])
  }
}

extension Observation {
  /// The reasons for which its client cannot know whether it was done.
  fileprivate var doubts: WriteFate.Doubts {
    switch result {
    case .lost: key == nil ? .lost : [.lost, .repeatable]
    case .unavailable(502), .unavailable(504): isApplied ? .lost : []
    case .unavailable(429), .unavailable(503): isApplied ? [] : .refused
    case .unavailable(500): isApplied ? .refused : []
    case .damaged where isUnreadable && isApplied: plan.damage == .wrongType ? [] : .lost
    case .damaged: isUnreadable && operation?.semantics.changesState != false ? .misleading : []
    case .success, .rejected, .unavailable, .cut: []
    }
  }
}
