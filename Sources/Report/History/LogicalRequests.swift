import Contract
import Faults
import Primitives

/// Groups requests into logical requests: equal requests of one client, each after a failure.
///
/// The number of open and of remembered requests is bounded; the oldest is dropped.
struct LogicalRequests: Sendable {
  static let maximumFinished = 100
  /// A repetition after more than this, and more than `Retry-After`, is a new decision: after the 60 s that URLSession
  /// gives a request, its user sees a new request.
  static let patience = Duration.seconds(60)
  /// A client that gave up may return before the server sees the end of its old connection.
  static let overlap = NanosecondDuration.milliseconds(50)
  /// No client gives up a slow server sooner.
  static let shortestTimeout = Duration.seconds(1)

  private var open = OpenRequests()
  /// Up to twice the number that is remembered, so that the oldest leave together.
  private var finished: [LogicalRequest] = []
  /// The number of logical requests so far.
  private(set) var count = 0
  /// The writes and the slow reads that succeeded last, and those that were refused.
  private var answered = RecentTable<Answered>(capacity: 512)
  private var refused = RecentTable<Answered>(capacity: 256)

  /// True if an equal request was sent after the answer to one, and not under its key: the client may mean each of them.
  func wasSentAgain(_ identity: UInt64) -> Bool { answered[identity]?.wasSentAgain ?? false }

  private struct Answered: Sendable {
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let key: UInt64?
    /// True if it, or an equal request before it, was sent after an answer and not under the key of that.
    var wasSentAgain = false

    /// Returns true if an equal request was sent after this answer, and not under its key.
    func isFollowed(by next: Observation) -> Bool { next.arrival >= end && (key == nil || key != next.key) }
  }

  /// The most interesting requests: those that failed or had a fault, the newest last.
  var timeline: [LogicalRequest] { finished.suffix(Self.maximumFinished) + open.all }

  /// The reads that were refused with `Retry-After` and not tried again.
  var refusedReads: [LogicalRequest] {
    open.all.filter { request in
      guard !request.isWrite, request.last.retryAfter != nil, case .unavailable = request.last.result else {
        return false
      }
      return true
    }
  }

  /// Finds the place of an exchange among the attempts of its client.
  ///
  /// - Parameter client: The newest successes of its client.
  mutating func classify(_ seen: Observation, hasFailed: Bool, _ client: ClientHistory.Successes, _ facts: inout Facts)
  {
    if seen.isWrite || hasFailed || NanosecondDuration(from: seen.arrival, to: seen.end) >= Self.overlap {
      rememberAnswer(seen, hasFailed: hasFailed, &facts)
    }
    if seen.replayOf != nil {
      facts.kind = replay(seen, hasFailed: hasFailed)
      return
    }
    if !open.isEmpty { reread(seen, facts) }
    if open.isEmpty, !hasFailed, !seen.isPlanned {
      count += 1
    } else {
      attempt(seen, hasFailed: hasFailed, client, &facts)
    }
  }

  /// Nothing is sent beside a read that takes no time.
  private mutating func rememberAnswer(_ seen: Observation, hasFailed: Bool, _ facts: inout Facts) {
    var own = Answered(arrival: seen.arrival, end: seen.end, key: seen.key)
    guard hasFailed else {
      own.wasSentAgain = answered[seen.identity].map { $0.wasSentAgain || $0.isFollowed(by: seen) } ?? false
      return answered[seen.identity] = own
    }
    for other in [answered[seen.identity], refused[seen.identity]] {
      guard let other, other.end > seen.arrival || seen.key != nil && other.key == seen.key else { continue }
      facts.isAnsweredBeside = true
    }
    if seen.isRefused { refused[seen.identity] = own }
  }

  private mutating func attempt(
    _ seen: Observation, hasFailed: Bool, _ client: ClientHistory.Successes, _ facts: inout Facts
  ) {
    drop(before: seen.arrival)
    guard !facts.isTurn, !open.isEmpty, let index = open.index(followedBy: seen) else {
      if !open.isEmpty, seen.isSuccess { finish(answeredBy: seen) }
      begin(seen, hasFailed: hasFailed)
      count += 1
      return
    }
    var request = open.remove(at: index)
    if seen.isSuccess { finish(besides: &request, answeredBy: seen) }
    let wait = max(.zero, seen.arrival - request.last.end)
    let before = request
    request.add(seen)
    if before.last.isRejected {
      // A loop does nothing else in between that succeeds; a row of tests does.
      request.countRepetition(
        after: before.last.id, isInARow: !client.includesOne(since: before), isQuick: wait < NoRetryOf4xx.humanPace,
        seen.otherSenders(than: before.last))
      facts.kind = .repeated(refusal: before, wait: wait, request.repetitions)
    } else {
      if wait >= NoRetryOf4xx.humanPace { request.endRepetitions() }
      facts.kind = .retry(of: before, number: before.count, wait: wait)
      facts.burst = request.burst
    }
    file(request, isOpen: hasFailed)
  }

  private mutating func begin(_ seen: Observation, hasFailed: Bool) {
    guard hasFailed || seen.isPlanned else { return }
    if hasFailed, let index = open.lastIndex(after: seen) {
      return open.update(at: index) { $0.absorb(seen) }
    }
    let request = LogicalRequest(seen)
    file(request, isOpen: hasFailed && !isAnswered(request, seen))
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

  private mutating func replay(_ seen: Observation, hasFailed: Bool) -> Facts.Kind {
    guard let index = open.index(where: { $0.last.id == seen.replayOf }) else { return .replay(of: nil) }
    let before = open[index]
    open.update(at: index) { $0.replay(seen) }
    if !hasFailed { finish(open.remove(at: index)) }
    return .replay(of: before)
  }

  /// True if a read shows its client what became of a write that failed.
  func isLook(_ seen: Observation) -> Bool {
    open.hasWrites
      && open.all.contains { request in
        request.isWrite && request.client == seen.client && seen.arrival >= request.last.end
          && seen.resolves(request.intent, of: request.api, by: request.operation)
      }
  }

  /// Tells the writes that failed of a read that shows what became of them.
  private mutating func reread(_ seen: Observation, _ facts: Facts) {
    guard open.hasWrites, let intent = seen.intent, intent.reads || intent.isRemoval else { return }
    open.updateWrites(of: seen.client) { request in
      // A removal shows that something had been added, but what it removes again it only repeats.
      guard intent.reads || request.intent?.overwrites == false else { return }
      if seen.resolves(request.intent, of: request.api, by: request.operation) { request.read(by: seen, facts) }
    }
  }
}
