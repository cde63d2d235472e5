import Contract
import Faults
import Primitives

/// Groups requests into logical requests: equal requests of one client, each after a failure.
///
/// The number of open and of remembered requests is bounded; the oldest is dropped.
struct LogicalRequests: Sendable {
  /// The role of an observation among the attempts.
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

  static let maximumOpen = 512
  static let maximumFinished = 100
  /// A repetition after more than this, and more than `Retry-After`, is a new decision: after the 60 s that URLSession
  /// gives a request, its user sees a new request.
  static let patience = Duration.seconds(60)
  /// A client that gave up may return before the server sees the end of its old connection.
  static let overlap = Duration.milliseconds(50)
  /// Rarer reads may each follow a failure.
  static let slowPoll = NanosecondDuration.seconds(10)
  /// No client gives up a slow server sooner.
  static let shortestTimeout = Duration.seconds(1)

  private var open: [LogicalRequest] = []
  /// Up to twice the number that is remembered, so that the oldest leave together.
  private var finished: [LogicalRequest] = []
  /// The number of logical requests so far.
  private(set) var count = 0
  private var polls = RecentTable<Poll>(capacity: 1_024)
  /// The writes and the slow reads that were answered last.
  private var answered = RecentTable<Answered>(capacity: 256)

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
  }

  /// The most interesting requests: those that failed or had a fault, the newest last.
  var timeline: [LogicalRequest] { finished.suffix(Self.maximumFinished) + open }

  /// - Parameter seen: The observation; its role among the polls is recorded in it.
  mutating func classify(_ seen: inout Observation) -> AttemptKind {
    // Nothing is sent beside a read that takes no time.
    if seen.isWrite || seen.end - seen.arrival >= Self.overlap, !seen.hasFailed {
      answered[seen.identity] = Answered(arrival: seen.arrival, end: seen.end, key: seen.key)
    }
    if seen.replayOf != nil { return replay(seen) }
    let isPoll = isPoll(&seen)
    if !open.isEmpty { reread(seen) }
    guard open.isEmpty, !seen.hasFailed, !seen.isPlanned else { return attempt(seen, isPoll: isPoll) }
    count += 1
    return .first
  }

  private mutating func attempt(_ seen: Observation, isPoll: Bool) -> AttemptKind {
    drop(before: seen.arrival)
    guard !isPoll, let index = index(followedBy: seen) else {
      if seen.isSuccess { finish(answeredBy: seen) }
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

  /// Returns the index of the open request that an observation retries, preferring one with its own key.
  private func index(followedBy seen: Observation) -> Int? {
    let candidates = open.indices.filter { open[$0].isFollowed(by: seen) }
    return candidates.first { open[$0].isAttempted(underTheKeyOf: seen) } ?? candidates.first
  }

  private mutating func begin(_ seen: Observation) {
    guard seen.hasFailed || seen.isPlanned else { return }
    if seen.hasFailed, let index = open.lastIndex(where: { $0.identity == seen.identity && $0.last.id > seen.id }) {
      return open[index].absorb(seen)
    }
    let request = LogicalRequest(seen)
    file(request, isOpen: seen.hasFailed && !isAnswered(request, seen))
  }

  private mutating func file(_ request: LogicalRequest, isOpen: Bool) {
    if isOpen {
      if open.count == Self.maximumOpen { finish(open.removeFirst()) }
      open.append(request)
    } else {
      finish(request)
    }
  }

  private mutating func finish(_ request: LogicalRequest) {
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
    while let index = open.firstIndex(where: { $0.isAnswered(by: seen) }) { finish(open.remove(at: index)) }
  }

  /// Closes the other halves of a hedged request, one of which has been tried again and answered.
  private mutating func finish(besides request: inout LogicalRequest, answeredBy seen: Observation) {
    while let index = open.firstIndex(where: { $0.isHalf(of: seen) }) {
      let half = open.remove(at: index)
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
    guard let index = open.firstIndex(where: { $0.last.id == seen.replayOf }) else { return .replay(of: nil) }
    let before = open[index]
    open[index].replay(seen)
    if !seen.hasFailed { finish(open.remove(at: index)) }
    return .replay(of: before)
  }

  private mutating func reread(_ seen: Observation) {
    guard seen.intent?.kind == .reads else { return }
    for index in open.indices where open[index].isWrite && open[index].client == seen.client {
      guard seen.arrival >= open[index].last.end, seen.resolves(open[index].intent, of: open[index].api) else {
        continue
      }
      open[index].pollEnd = seen.end
      if !seen.isBackground { open[index].readEnd = seen.end }
    }
  }

  /// True if a read shows its client what became of a write that failed.
  private func isFollowUpRead(_ seen: Observation) -> Bool {
    open.contains { request in
      request.isWrite && request.client == seen.client && seen.arrival >= request.last.end
        && seen.resolves(request.intent, of: request.api)
    }
  }

  private mutating func isPoll(_ seen: inout Observation) -> Bool {
    guard seen.isGet, !seen.isWrite else { return false }
    let isSuccess = seen.isSuccess
    guard let index = polls.index(of: seen.identity) else {
      _ = polls.insert(
        Poll(last: seen.arrival, succeeded: isSuccess, tag: isSuccess ? seen.tag : nil), for: seen.identity)
      return false
    }
    var poll = polls.values[index]
    if isSuccess { poll.tag = seen.tag ?? poll.tag } else { seen.isTagKnown = poll.tag != nil && poll.tag == seen.tag }
    let interval = NanosecondDuration(from: poll.last, to: seen.arrival)
    var isPoll = false
    let isRegular = interval >= poll.interval * 0.6 && interval <= poll.interval * 2.7
    // A look after a failed write is no turn of a poll, unless it comes faster than a person looks.
    var isCounted = isRegular
    if interval >= Self.slowPoll, poll.regular < 2, !open.isEmpty, isFollowUpRead(seen) { isCounted = false }
    poll.regular = isCounted ? poll.regular + 1 : 0
    // A poll that was left out, or came late, does not change the pace.
    if !isRegular || interval < poll.interval * 1.5 { poll.interval = interval }
    seen.isBackground = poll.regular >= 2
    if poll.succeeded {
      poll.period = interval
    } else if let period = poll.period, interval >= .seconds(1) {
      isPoll = interval >= period * 0.9 && interval <= period * 1.1
    }
    poll.last = seen.arrival
    poll.succeeded = isSuccess
    polls.values[index] = poll
    return isPoll
  }
}

extension LogicalRequest {
  fileprivate func isFollowed(by next: Observation) -> Bool {
    guard identity == next.identity else { return false }
    // Under a key of its own, another person's request is another one.
    if !next.isNamed, let key = next.key, !keys.isEmpty, !keys.contains(key) { return false }
    let gap = next.arrival - last.end
    guard gap <= Self.patience(after: last), next.id > last.id else { return false }
    if gap >= .zero { return true }
    // With another key it does not repeat a request that was still in progress.
    guard last.result == .lost, isAttempted(underTheKeyOf: next) else { return false }
    // What its client left unanswered was given up for this one, or sent beside it in case.
    if wasLeft { return true }
    let hasGivenUp = !last.isEndKnown && next.arrival - last.arrival >= LogicalRequests.shortestTimeout
    return hasGivenUp || gap >= .zero - LogicalRequests.overlap
  }

  /// True if another request, sent while the last attempt was waited for, is the same and answered it.
  fileprivate func isAnswered(by other: Observation) -> Bool {
    guard identity == other.identity, isAttempted(underTheKeyOf: other), other.id > last.id, other.arrival < last.end
    else { return false }
    return isOverOnceAnswered
  }

  /// True if a request that failed has nothing left to be found out, once the same one was answered: without a key both may
  /// have taken effect.
  fileprivate var isOverOnceAnswered: Bool {
    switch last.result {
    case .unavailable: true
    case .lost, .damaged: !isWrite || isKeyed
    case .success, .rejected, .cut: false
    }
  }

  /// True if it failed, was sent before another request, and is the same under the same key, or both without one.
  fileprivate func isHalf(of other: Observation) -> Bool {
    identity == other.identity && other.id > last.id && isAttempted(underTheKeyOf: other)
      && other.arrival - last.end <= Self.patience(after: last)
  }

  fileprivate func isAttempted(underTheKeyOf next: Observation) -> Bool {
    next.key.map { keys.contains($0) } ?? keys.isEmpty
  }

  fileprivate static func patience(after attempt: Attempt) -> Duration {
    LogicalRequests.patience + (attempt.retryAfter ?? .zero)
  }
}
