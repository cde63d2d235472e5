import Contract
import Faults

/// The writes of which a client does not know what became, until it finds out: by sending them again, or by looking.
///
/// A repeated write is recognized by its intent, as everywhere; a read counts if it shows the record, and a later write that
/// sets the same makes the old one moot. Another booking does not, and a steady poll that goes on shows no interest.
/// A client has thirty seconds, by a clock that is never advanced and that stands still while the sandbox is off the
/// network; one that tries to find out and learns nothing has thirty seconds from that try.
struct UnknownOutcomes: Sendable {
  static let patience = Duration.seconds(30)
  static let maximumPending = 256
  static let maximumAnswered = 64

  /// The ways in which a client learns the outcome of a write.
  enum Cure: Sendable {
    /// The same again, a look, or a write that makes it moot.
    case anyLook
    /// The same again, or a write that makes it moot.
    case repetition
  }

  struct Lost: Sendable {
    let id: Int
    /// The client's own request, if this was its transport's repetition.
    let origin: Int
    let client: UInt64
    let identity: UInt64
    let intent: Intent?
    let api: Int?
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let words: String
    /// The wait that the response asked for.
    let asked: Duration
    /// When its client last tried in vain to find out, or lost it, in time online.
    fileprivate(set) var lastTry: MonotonicInstant
    fileprivate(set) var isTried = false
    /// True if a steady poll has shown its record since.
    fileprivate(set) var isPolled = false

    fileprivate init(_ seen: Observation) {
      id = seen.id
      origin = seen.replayOf ?? seen.id
      client = seen.client
      identity = seen.identity
      intent = seen.intent
      api = seen.api
      arrival = seen.arrival
      end = seen.end
      words = Words.request(seen)
      asked = seen.retryAfter ?? .zero
      lastTry = seen.endOnline
    }

    /// True if its client has had its time by a moment of time online.
    func isOverdue(at moment: MonotonicInstant) -> Bool { moment - lastTry > UnknownOutcomes.patience + asked }
  }

  private struct Answered: Sendable {
    let identity: UInt64
    let client: UInt64
    let key: UInt64?
    let end: MonotonicInstant
  }

  let cure: Cure
  private(set) var pending: [Lost] = []
  private var answered: [Answered] = []
  private var oldestAnswered = 0
  private(set) var followed = 0
  private(set) var forgotten = 0
  private(set) var polled = 0
  /// Those whose client had time left when the sandbox was reset.
  private(set) var interrupted = 0
  /// Those that were too many to be kept in mind.
  private(set) var unjudged = 0
  private(set) var example = ""
  private(set) var evidence = Evidence()

  init(_ cure: Cure) { self.cure = cure }

  /// - Parameter isUnknown: True if its client cannot know what became of the write.
  mutating func observe(_ seen: Observation, isUnknown: Bool) {
    if !pending.isEmpty, seen.isWrite || seen.method != "HEAD" { follow(seen) }
    guard seen.isWrite else { return }
    if seen.result == .success || seen.isRefused { note(seen) }
    guard isUnknown else { return }
    // Of two attempts side by side one answer is enough.
    let isAnswered = answered.contains { other in
      other.client == seen.client && other.identity == seen.identity
        && (other.key == seen.key && seen.key != nil || other.end > seen.arrival)
    }
    if isAnswered {
      followed += 1
      return
    }
    if pending.count == Self.maximumPending {
      pending.removeFirst()
      unjudged += 1
    }
    pending.append(Lost(seen))
  }

  private mutating func note(_ seen: Observation) {
    let new = Answered(identity: seen.identity, client: seen.client, key: seen.key, end: seen.end)
    if answered.count < Self.maximumAnswered {
      answered.append(new)
    } else {
      answered[oldestAnswered] = new
      oldestAnswered = (oldestAnswered + 1) % Self.maximumAnswered
    }
  }

  private mutating func follow(_ seen: Observation) {
    // A transport's repetition stands for the request that it repeats, whatever it came to.
    if let replayOf = seen.replayOf { pending.removeAll { $0.origin == replayOf } }
    var rest: [Lost] = []
    for var lost in pending {
      let isLook = isLook(seen, at: lost)
      if isLook, !seen.isBackground {
        followed += 1
        continue
      }
      if lost.isOverdue(at: seen.arrivalOnline) {
        forget(lost)
        continue
      }
      if isLook { lost.isPolled = true }
      if seen.client == lost.client, seen.api == lost.api, !seen.tells, let intent = lost.intent,
        seen.intent?.settles(intent) == true
      {
        lost.lastTry = max(lost.lastTry, seen.endOnline)
        lost.isTried = true
      }
      rest.append(lost)
    }
    pending = rest
  }

  /// True if a request is one by which the client of a write finds out about it.
  ///
  /// A request that came sooner after the write was sent beside it, and not because it was given up, unless it is the
  /// same again.
  private func isLook(_ seen: Observation, at lost: Lost) -> Bool {
    guard seen.client == lost.client, seen.id > lost.id, !lost.isOverdue(at: seen.arrivalOnline) else { return false }
    if seen.identity == lost.identity { return true }
    guard seen.settles(lost.intent, of: lost.api) else { return false }
    if cure == .repetition, seen.intent?.kind == .reads { return false }
    let isLater = seen.arrival - lost.end >= .zero - LogicalRequests.overlap
    return isLater || seen.arrival - lost.arrival >= LogicalRequests.shortestTimeout
  }

  private mutating func interrupt(_ lost: Lost) {
    interrupted += 1
    if example.isEmpty { example = lost.words }
    evidence.add(lost.origin)
  }

  /// Takes note of an event: where the state is replaced, it no longer shows the outcome of an earlier write.
  mutating func note(_ event: SandboxEvent) {
    if case .replaced = event { pending.removeAll() }
  }

  private mutating func forget(_ lost: Lost) {
    if lost.isPolled {
      polled += 1
    } else {
      forgotten += 1
    }
    if example.isEmpty || forgotten == 1, !lost.isPolled { example = lost.words }
    if example.isEmpty { example = lost.words }
    evidence.add(lost.origin)
  }

  /// The outcomes as they stand at a moment: what is overdue is forgotten, and at the end outcomes that the client has not tried to find
  /// out for so long.
  func judged(at moment: CheckContext, patienceAtEnd: Duration = .zero) -> UnknownOutcomes {
    var judged = self
    for lost in pending {
      let isLeft = moment.isFinal && !lost.isTried && moment.online - lost.lastTry >= patienceAtEnd + lost.asked
      if isLeft || lost.isOverdue(at: moment.online) {
        judged.forget(lost)
      } else if moment.isReset, !lost.isTried {
        judged.interrupt(lost)
      }
    }
    return judged
  }
}
