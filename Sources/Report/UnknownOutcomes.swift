import Contract
import Faults
import Primitives

/// The writes of which a client does not know what became, until it finds out: by sending them again, or by looking.
///
/// A repeated write is recognized by its intent, as everywhere; a read counts if it shows the record, and a later write that
/// sets the same makes the old one moot. Another booking does not, and a steady poll that goes on shows no interest.
/// A client has thirty seconds, by a clock that is never advanced and that stands still while the sandbox is off the
/// network; one that tries to find out and learns nothing has thirty seconds from that try.
struct UnknownOutcomes: Sendable {
  static let patience = Duration.seconds(30)
  static let maximumPending = 256

  /// The ways in which a client learns the outcome of a write.
  enum Resolution: Sendable {
    /// The same again, a look, or a write that makes it moot.
    case anyFollowUp
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
    let key: UInt64?
    let api: Int?
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let request: String
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
      key = seen.key
      api = seen.api
      arrival = seen.arrival
      end = seen.end
      request = ReportText.request(seen)
      asked = seen.retryAfter ?? .zero
      lastTry = seen.endOnline
    }

    /// True if its client has had its time by a moment of time online.
    func isOverdue(at now: MonotonicInstant) -> Bool { now - lastTry > UnknownOutcomes.patience + asked }
  }

  let resolution: Resolution
  private(set) var pending: [Lost] = []
  /// The writes whose time has passed; a late repetition may still come.
  private var overdue: [Lost] = []
  private(set) var followed = 0
  /// The number of writes that were repeated after their time.
  private(set) var late = 0
  /// The first of them.
  private(set) var lateExample = ""
  private(set) var lateEvidence = Evidence()
  private(set) var forgotten = 0
  private(set) var polled = 0
  /// Those whose client had time left when the sandbox was reset.
  private(set) var interrupted = 0
  /// Those that were too many to be kept in mind.
  private(set) var unjudged = 0
  private(set) var example = ""
  private(set) var evidence = Evidence()

  init(_ resolution: Resolution) { self.resolution = resolution }

  /// Failures; after one whose time has passed writes, too, and while an outcome is unknown all exchanges, because each
  /// may show it.
  var interest: Traits { pending.isEmpty ? overdue.isEmpty ? .failed : [.failed, .write] : .any }

  /// - Parameter isUnknown: True if its client cannot know what became of the write, which then has failed.
  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role, isUnknown: Bool) {
    if !pending.isEmpty, seen.isWrite || seen.method != "HEAD" { follow(seen, isBackground: role.isBackground) }
    guard seen.isWrite else { return }
    if !overdue.isEmpty { recordLateRepetition(seen) }
    guard isUnknown else { return }
    // Of two attempts side by side one answer is enough.
    if role.isAnsweredBeside {
      followed += 1
      return
    }
    if pending.count == Self.maximumPending {
      pending.removeFirst()
      unjudged += 1
    }
    pending.append(Lost(seen))
  }

  private mutating func follow(_ seen: Observation, isBackground: Bool) {
    // A transport's repetition stands for the request that it repeats, whatever it came to.
    if let replayOf = seen.replayOf { pending.removeAll { $0.origin == replayOf } }
    var rest: [Lost] = []
    for var lost in pending {
      let isFollowUp = isFollowUp(seen, of: lost)
      if isFollowUp, !isBackground {
        followed += 1
        continue
      }
      if lost.isOverdue(at: seen.arrivalOnline) {
        expire(lost)
        continue
      }
      if isFollowUp { lost.isPolled = true }
      if seen.client == lost.client, seen.api == lost.api, !seen.informsClient, let intent = lost.intent,
        seen.intent?.resolves(intent) == true
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
  private func isFollowUp(_ seen: Observation, of lost: Lost) -> Bool {
    guard seen.client == lost.client, seen.id > lost.id, !lost.isOverdue(at: seen.arrivalOnline) else { return false }
    if seen.identity == lost.identity { return true }
    guard seen.resolves(lost.intent, of: lost.api) else { return false }
    if resolution == .repetition, seen.intent?.reads == true { return false }
    let isLater = seen.arrival - lost.end >= .zero - LogicalRequests.overlap.duration
    return isLater || seen.arrival - lost.arrival >= LogicalRequests.shortestTimeout
  }

  private mutating func expire(_ lost: Lost) {
    if overdue.count == Self.maximumPending { forget(overdue.removeFirst()) }
    overdue.append(lost)
  }

  /// Removes the overdue writes that this one repeats, as the next attempt of a job whose waits are long: under the same
  /// key, or with the same values. Another write that adds something may be a new one.
  private mutating func recordLateRepetition(_ seen: Observation) {
    overdue.removeAll { lost in
      guard lost.client == seen.client, lost.identity == seen.identity, lost.key == seen.key, seen.id > lost.id,
        lost.key != nil || lost.intent?.overwrites == true
      else { return false }
      late += 1
      if lateExample.isEmpty { lateExample = lost.request }
      lateEvidence.add(lost.origin, seen.id)
      return true
    }
  }

  private mutating func interrupt(_ lost: Lost) {
    interrupted += 1
    if example.isEmpty { example = lost.request }
    evidence.add(lost.origin)
  }

  /// Records an event: where the state is replaced, it no longer shows the outcome of an earlier write.
  mutating func record(_ event: SandboxEvent) {
    if case .replaced = event { pending.removeAll() }
  }

  private mutating func forget(_ lost: Lost) {
    if lost.isPolled {
      polled += 1
    } else {
      forgotten += 1
    }
    if example.isEmpty || forgotten == 1, !lost.isPolled { example = lost.request }
    if example.isEmpty { example = lost.request }
    evidence.add(lost.origin)
  }

  /// The outcomes as they stand at a moment: what is overdue is forgotten, and at the end outcomes that the client has not tried to find
  /// out for so long.
  func judged(at context: CheckContext, patienceAtEnd: Duration = .zero) -> UnknownOutcomes {
    var judged = self
    for lost in overdue { judged.forget(lost) }
    for lost in pending {
      let isLeft = context.isFinal && !lost.isTried && context.online - lost.lastTry >= patienceAtEnd + lost.asked
      if isLeft || lost.isOverdue(at: context.online) {
        judged.forget(lost)
      } else if context.isReset, !lost.isTried {
        judged.interrupt(lost)
      }
    }
    return judged
  }
}
