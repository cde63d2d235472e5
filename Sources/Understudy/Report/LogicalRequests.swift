import Contract
import Faults

/// Groups requests into logical requests: equal requests of one client, each after a failure.
///
/// The number of open and of remembered requests is bounded; the oldest is dropped.
struct LogicalRequests: Sendable {
  /// The role of an observation among the attempts.
  enum AttemptKind: Sendable {
    case first
    /// - `number`: 1 for the first repetition.
    case retry(of: LogicalRequest, number: Int, wait: Duration)
    /// A repetition by a transport, which the client did not decide.
    case replay(of: LogicalRequest?)
  }

  static let maximumOpen = 512
  static let maximumFinished = 100
  /// A repetition after more than this, and more than `Retry-After`, is a new decision: after the 60 s that URLSession
  /// gives a request, its user sees a new request.
  static let patience = Duration.seconds(60)
  /// A client that gave up may return before the server sees the end of its old connection.
  static let overlap = Duration.milliseconds(50)
  /// Rarer reads may each follow a failure.
  static let slowPoll = Duration.seconds(10)
  /// No client gives up a slow server sooner.
  static let shortestTimeout = Duration.seconds(1)

  private var open: [LogicalRequest] = []
  private(set) var finished: [LogicalRequest] = []
  private var polls = RecentTable<UInt64, Poll>(capacity: 1_024)
  /// The arrivals of the writes that were answered last.
  private var answered = RecentTable<UInt64, MonotonicInstant>(capacity: 256)

  /// A client that polls at a steady rate continues to do so during failures; these are not retries.
  private struct Poll: Sendable {
    var last: MonotonicInstant
    var succeeded: Bool
    var period: Duration?
    /// The last interval, and how many before it were like it.
    var interval = Duration.zero
    var regular = 0
  }

  /// The most interesting requests: those that failed or had a fault, the newest last.
  var timeline: [LogicalRequest] { finished + open }

  /// - Parameter seen: The observation; what it is among the polls is noted in it.
  mutating func place(_ seen: inout Observation) -> AttemptKind {
    if seen.isWrite, !seen.hasFailed { answered[seen.identity] = seen.arrival }
    if seen.replayOf != nil { return replay(seen) }
    let isPoll = isPoll(&seen)
    reread(seen)
    guard !open.isEmpty || seen.hasFailed || !seen.plan.isEmpty else { return .first }
    drop(before: seen.arrival)
    guard !isPoll, let place = place(followedBy: seen) else {
      begin(seen)
      return .first
    }
    var request = open.remove(at: place)
    let trial = AttemptKind.retry(
      of: request, number: request.count, wait: max(.zero, seen.arrival - request.last.end))
    request.add(seen)
    settle(request, isOpen: seen.hasFailed)
    return trial
  }

  /// Returns the index of the open request that an observation retries, preferring one with its own key.
  private func place(followedBy seen: Observation) -> Int? {
    let places = open.indices.filter { open[$0].isFollowed(by: seen) }
    return places.first { open[$0].isAttempted(underTheKeyOf: seen) } ?? places.first
  }

  private mutating func begin(_ seen: Observation) {
    guard seen.hasFailed || !seen.plan.isEmpty else { return }
    if seen.hasFailed, let place = open.lastIndex(where: { $0.identity == seen.identity && $0.last.id > seen.id }) {
      return open[place].absorb(seen)
    }
    // A client that gave up may have got the response of the next attempt before the server finished this one.
    let isAnswered = answered[seen.identity].map { $0 > seen.arrival } ?? false
    settle(LogicalRequest(seen), isOpen: seen.hasFailed && !isAnswered)
  }

  private mutating func settle(_ request: LogicalRequest, isOpen: Bool) {
    if isOpen {
      if open.count == Self.maximumOpen { finish(open.removeFirst()) }
      open.append(request)
    } else {
      finish(request)
    }
  }

  private mutating func finish(_ request: LogicalRequest) {
    if finished.count == Self.maximumFinished { finished.removeFirst() }
    finished.append(request)
  }

  private mutating func drop(before now: MonotonicInstant) {
    while let first = open.first, now - first.last.end > LogicalRequest.patience(after: first.last) {
      finish(open.removeFirst())
    }
  }

  private mutating func replay(_ seen: Observation) -> AttemptKind {
    guard let place = open.firstIndex(where: { $0.last.id == seen.replayOf }) else { return .replay(of: nil) }
    let before = open[place]
    open[place].replay(seen)
    if !seen.hasFailed { finish(open.remove(at: place)) }
    return .replay(of: before)
  }

  private mutating func reread(_ seen: Observation) {
    guard !open.isEmpty, seen.intent?.kind == .reads else { return }
    for place in open.indices where open[place].isWrite && open[place].client == seen.client {
      let isLater = seen.arrival >= open[place].last.end && !seen.isBackground
      if isLater, seen.settles(open[place].intent, of: open[place].api) { open[place].readEnd = seen.end }
    }
  }

  /// True if a read shows its client what became of a write that failed.
  private func isLook(_ seen: Observation) -> Bool {
    open.contains { request in
      request.isWrite && request.client == seen.client && seen.arrival >= request.last.end
        && seen.settles(request.intent, of: request.api)
    }
  }

  private mutating func isPoll(_ seen: inout Observation) -> Bool {
    guard seen.method == "GET", !seen.isWrite else { return false }
    let identity = seen.identity
    guard var poll = polls[identity] else {
      polls[identity] = Poll(last: seen.arrival, succeeded: seen.result == .success)
      return false
    }
    let interval = seen.arrival - poll.last
    var isPoll = false
    let isRegular = interval >= poll.interval * 0.6 && interval <= poll.interval * 2.7
    // A look after a failed write is no turn of a poll, unless it comes faster than a person looks.
    let isLook = interval >= Self.slowPoll && poll.regular < 2 && isLook(seen)
    poll.regular = !isRegular || isLook ? 0 : poll.regular + 1
    // A poll that was left out, or came late, does not change the pace.
    if !isRegular || interval < poll.interval * 1.5 { poll.interval = interval }
    seen.isBackground = poll.regular >= 2
    if poll.succeeded {
      poll.period = interval
    } else if let period = poll.period, interval >= .seconds(1) {
      isPoll = interval >= period * 0.9 && interval <= period * 1.1
    }
    poll.last = seen.arrival
    poll.succeeded = seen.result == .success
    polls[identity] = poll
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

  fileprivate func isAttempted(underTheKeyOf next: Observation) -> Bool {
    next.key.map { keys.contains($0) } ?? keys.isEmpty
  }

  fileprivate static func patience(after attempt: Attempt) -> Duration {
    LogicalRequests.patience + (attempt.retryAfter ?? .zero)
  }
}
