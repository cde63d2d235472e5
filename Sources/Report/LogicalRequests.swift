import Contract
import Faults
import Primitives

/// Groups requests into logical requests: equal requests of one client, each after a failure.
///
/// The number of open and of remembered requests is bounded; the oldest is dropped.
struct LogicalRequests: Sendable {
  /// The role of an exchange among the requests of its client.
  struct Role: Sendable {
    var attempt = AttemptKind.first
    /// True if it goes on with a steady poll that was under way before: such a read shows no interest in a write.
    var isBackground = false
    /// True if it failed, and its client had been given the entity tag by a whole response before.
    var isTagKnown = false
    /// True if it is a write that failed, and the same one was answered beside it.
    var isAnsweredBeside = false
  }

  /// The role of an exchange among the attempts.
  enum AttemptKind: Sendable {
    case first
    /// - `number`: 1 for the first repetition.
    indirect case retry(of: LogicalRequest, number: Int, wait: Duration)
    /// A repetition by a transport, which the client did not decide.
    indirect case replay(of: LogicalRequest?)

    var traits: Traits {
      switch self {
      case .first: []
      case .retry: .retry
      case .replay: .replay
      }
    }
  }

  static let maximumFinished = 100
  /// A repetition after more than this, and more than `Retry-After`, is a new decision: after the 60 s that URLSession
  /// gives a request, its user sees a new request.
  static let patience = Duration.seconds(60)
  /// A client that gave up may return before the server sees the end of its old connection.
  static let overlap = NanosecondDuration.milliseconds(50)
  /// Rarer reads may each follow a failure.
  static let slowPoll = NanosecondDuration.seconds(10)
  /// No client gives up a slow server sooner.
  static let shortestTimeout = Duration.seconds(1)

  private var open = OpenRequests()
  /// Up to twice the number that is remembered, so that the oldest leave together.
  private var finished: [LogicalRequest] = []
  /// The number of logical requests so far.
  private(set) var count = 0
  private var polls = RecentTable<Poll>(capacity: 1_024)
  /// The writes and the slow reads that were answered last.
  private var answered = RecentTable<Answered>(capacity: 256)
  private var answeredWrites = AnsweredWrites()

  private struct Answered: Sendable {
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let key: UInt64?
  }

  /// A client that polls at a steady rate continues to do so during failures; these are not retries.
  private struct Poll: Sendable {
    var last: MonotonicInstant
    var succeeded: Bool
    var period: NanosecondDuration?
    /// The last interval, and how many before it were like it.
    var interval = NanosecondDuration(nanoseconds: 0)
    var regular = 0
    /// The entity tag of the last whole response.
    var tag: UInt64?

    /// Adds the next read, whose role among the polls is recorded in `role`. Returns true if it came because of the rate,
    /// and not because the one before it had failed.
    ///
    /// - Parameter isLook: True if it is a look after a failed write, and no turn of the poll.
    mutating func add(_ seen: Observation, isLook: Bool, _ role: inout Role) -> Bool {
      let isSuccess = seen.isSuccess
      if isSuccess { tag = seen.tag ?? tag } else { role.isTagKnown = tag != nil && tag == seen.tag }
      let wait = NanosecondDuration(from: last, to: seen.arrival)
      let isRegular = wait >= interval * 0.6 && wait <= interval * 2.7
      regular = isRegular && !isLook ? regular + 1 : 0
      // A poll that was left out, or came late, does not change the pace.
      if !isRegular || wait < interval * 1.5 { interval = wait }
      role.isBackground = regular >= 2
      var isPoll = false
      if succeeded {
        period = wait
      } else if let period, wait >= .seconds(1) {
        isPoll = wait >= period * 0.9 && wait <= period * 1.1
      }
      last = seen.arrival
      succeeded = isSuccess
      return isPoll
    }
  }

  /// The most interesting requests: those that failed or had a fault, the newest last.
  var timeline: [LogicalRequest] { finished.suffix(Self.maximumFinished) + open.all }

  /// Returns the role of the next exchange.
  mutating func classify(_ seen: Observation) -> Role {
    var role = Role()
    let hasFailed = seen.hasFailed
    if seen.isWrite {
      answeredWrites.add(seen)
      if hasFailed { role.isAnsweredBeside = answeredWrites.contains(seen) }
    }
    // Nothing is sent beside a read that takes no time.
    if seen.isWrite || NanosecondDuration(from: seen.arrival, to: seen.end) >= Self.overlap, !hasFailed {
      answered[seen.identity] = Answered(arrival: seen.arrival, end: seen.end, key: seen.key)
    }
    if seen.replayOf != nil {
      role.attempt = replay(seen)
      return role
    }
    let isPoll = isPoll(seen, &role)
    if !open.isEmpty { reread(seen, isBackground: role.isBackground) }
    if open.isEmpty, !hasFailed, !seen.isPlanned {
      count += 1
    } else {
      role.attempt = attempt(seen, isPoll: isPoll)
    }
    return role
  }

  private mutating func attempt(_ seen: Observation, isPoll: Bool) -> AttemptKind {
    drop(before: seen.arrival)
    guard !isPoll, !open.isEmpty, let index = open.index(followedBy: seen) else {
      if !open.isEmpty, seen.isSuccess { finish(answeredBy: seen) }
      begin(seen)
      count += 1
      return .first
    }
    var request = open.remove(at: index)
    if seen.isSuccess { finish(besides: &request, answeredBy: seen) }
    let kind = AttemptKind.retry(
      of: request, number: request.count, wait: max(.zero, seen.arrival - request.last.end))
    request.add(seen)
    file(request, isOpen: seen.hasFailed)
    return kind
  }

  private mutating func begin(_ seen: Observation) {
    guard seen.hasFailed || seen.isPlanned else { return }
    if seen.hasFailed, let index = open.lastIndex(after: seen) {
      return open.update(at: index) { $0.absorb(seen) }
    }
    let request = LogicalRequest(seen)
    file(request, isOpen: seen.hasFailed && !isAnswered(request, seen))
  }

  private mutating func file(_ request: consuming LogicalRequest, isOpen: Bool) {
    if isOpen {
      if open.isFull { finish(open.removeFirst()) }
      open.append(request)
    } else {
      finish(request)
    }
  }

  private mutating func finish(_ request: consuming LogicalRequest) {
    if finished.count == 2 * Self.maximumFinished { finished.removeFirst(Self.maximumFinished) }
    finished.append(request)
  }

  /// True if the same request was answered beside one that failed.
  ///
  /// A client that gave up may have got the response of the next attempt before the server finished this one; a hedge may
  /// fail when the first is answered.
  private func isAnswered(_ request: LogicalRequest, _ seen: Observation) -> Bool {
    guard let other = answered[seen.identity] else { return false }
    return other.arrival > seen.arrival
      || other.end > seen.arrival && other.key == seen.key && request.isOverOnceAnswered
  }

  /// Closes requests that failed while the same one, sent beside them, was answered: what comes next is a new one.
  private mutating func finish(answeredBy seen: Observation) {
    while let request = open.remove(answeredBy: seen) { finish(request) }
  }

  /// Closes the other halves of a hedged request, one of which has been tried again and answered.
  private mutating func finish(besides request: inout LogicalRequest, answeredBy seen: Observation) {
    while let half = open.remove(besides: seen) {
      request.takeEffects(of: half)
      finish(half)
    }
  }

  private mutating func drop(before now: MonotonicInstant) {
    while let first = open.first, now - first.last.end > LogicalRequest.patience(after: first.last) {
      finish(open.removeFirst())
    }
  }

  private mutating func replay(_ seen: Observation) -> AttemptKind {
    guard let index = open.index(where: { $0.last.id == seen.replayOf }) else { return .replay(of: nil) }
    let before = open[index]
    open.update(at: index) { $0.replay(seen) }
    if !seen.hasFailed { finish(open.remove(at: index)) }
    return .replay(of: before)
  }

  private mutating func reread(_ seen: Observation, isBackground: Bool) {
    guard open.hasWrites, seen.intent?.reads == true else { return }
    open.updateWrites(of: seen.client) { request in
      guard seen.arrival >= request.last.end, seen.resolves(request.intent, of: request.api) else { return }
      request.pollEnd = seen.end
      if !isBackground { request.readEnd = seen.end }
    }
  }

  /// True if a read shows its client what became of a write that failed.
  private func isFollowUpRead(_ seen: Observation) -> Bool {
    open.hasWrites
      && open.all.contains { request in
        request.isWrite && request.client == seen.client && seen.arrival >= request.last.end
          && seen.resolves(request.intent, of: request.api)
      }
  }

  private mutating func isPoll(_ seen: Observation, _ role: inout Role) -> Bool {
    guard seen.isGet, !seen.isWrite else { return false }
    guard let index = polls.index(of: seen.identity) else {
      let isSuccess = seen.isSuccess
      _ = polls.insert(
        Poll(last: seen.arrival, succeeded: isSuccess, tag: isSuccess ? seen.tag : nil), for: seen.identity)
      return false
    }
    // A look after a failed write is no turn of a poll, unless it comes faster than a person looks.
    let isLook =
      !open.isEmpty && polls.values[index].regular < 2
      && NanosecondDuration(from: polls.values[index].last, to: seen.arrival) >= Self.slowPoll && isFollowUpRead(seen)
    return polls.values[index].add(seen, isLook: isLook, &role)
  }
}
