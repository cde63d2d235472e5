import Primitives

/// The logical requests that failed and may be tried again, in the order of their last attempts.
///
/// Hundreds may be equal, such as those of a load test. Limits for each identity show without a search that an exchange
/// matches none of its requests.
struct OpenRequests: Sendable {
  static let maximumCount = 512

  /// The requests from `start` on; those before it have been removed, and leave together.
  private var requests: [LogicalRequest] = []
  private var start = 0
  private var limits: [UInt64: Limits] = [:]
  private var writeCount = 0

  /// Limits within which one of the open requests of an identity may match. They may be too wide.
  private struct Limits {
    var count = 0
    /// Nothing that arrives earlier is a further attempt.
    var followedFrom = MonotonicInstant(nanoseconds: .max)
    /// Nothing that arrives then or later was sent beside one, and answered it.
    var answeredUntil = MonotonicInstant(nanoseconds: .min)
    var newestID = 0

    mutating func include(_ request: LogicalRequest) {
      newestID = max(newestID, request.last.id)
      followedFrom = min(followedFrom, request.followedFrom)
      if request.isOverOnceAnswered { answeredUntil = max(answeredUntil, request.last.end) }
    }
  }

  var isEmpty: Bool { requests.count == start }
  var isFull: Bool { requests.count - start == Self.maximumCount }
  var hasWrites: Bool { writeCount > 0 }
  var first: LogicalRequest? { isEmpty ? nil : requests[start] }
  var all: ArraySlice<LogicalRequest> { requests[start...] }

  mutating func append(_ request: LogicalRequest) {
    if request.isWrite { writeCount += 1 }
    var limits = limits[request.identity] ?? Limits()
    limits.count += 1
    limits.include(request)
    self.limits[request.identity] = limits
    requests.append(request)
  }

  mutating func removeFirst() -> LogicalRequest { remove(at: start) }

  mutating func remove(at index: Int) -> LogicalRequest {
    let request = requests[index]
    if request.isWrite { writeCount -= 1 }
    if let count = limits[request.identity]?.count, count > 1 {
      limits[request.identity]?.count = count - 1
    } else {
      limits[request.identity] = nil
    }
    if index > start {
      requests.remove(at: index)
    } else {
      start += 1
      if start == Self.maximumCount || isEmpty {
        requests.removeFirst(start)
        start = 0
      }
    }
    return request
  }

  /// Changes a request in its place.
  mutating func update(at index: Int, _ change: (inout LogicalRequest) -> Void) {
    change(&requests[index])
    limits[requests[index].identity]?.include(requests[index])
  }

  /// Changes all writes of a client.
  mutating func updateWrites(of client: UInt64, _ change: (inout LogicalRequest) -> Void) {
    guard hasWrites else { return }
    for index in start..<requests.count where requests[index].isWrite && requests[index].client == client {
      change(&requests[index])
    }
  }

  func index(where matches: (LogicalRequest) -> Bool) -> Int? { requests[start...].firstIndex(where: matches) }

  subscript(index: Int) -> LogicalRequest { requests[index] }
}

/// Requests equal to one that has come.
extension OpenRequests {
  /// Returns the index of the request that an observation retries, preferring one with its own key.
  mutating func index(followedBy seen: Observation) -> Int? {
    guard let limit = limits[seen.identity]?.followedFrom, seen.arrival >= limit else { return nil }
    var earliest = MonotonicInstant(nanoseconds: .max)
    var found: Int?
    for index in start..<requests.count where requests[index].identity == seen.identity {
      earliest = min(earliest, requests[index].followedFrom)
      guard requests[index].isFollowed(by: seen) else { continue }
      if requests[index].isAttempted(underTheKeyOf: seen) { return index }
      found = found ?? index
    }
    if found == nil { limits[seen.identity]?.followedFrom = earliest }
    return found
  }

  /// Removes the first request that failed while the same one, sent beside it, was answered.
  mutating func remove(answeredBy seen: Observation) -> LogicalRequest? {
    guard let limit = limits[seen.identity]?.answeredUntil, seen.arrival < limit else { return nil }
    var latest = MonotonicInstant(nanoseconds: .min)
    for index in start..<requests.count where requests[index].identity == seen.identity {
      if requests[index].isAnswered(by: seen) { return remove(at: index) }
      if requests[index].isOverOnceAnswered { latest = max(latest, requests[index].last.end) }
    }
    limits[seen.identity]?.answeredUntil = latest
    return nil
  }

  /// Removes the first other half of a hedged request, one of which has been tried again and answered.
  mutating func remove(besides seen: Observation) -> LogicalRequest? {
    guard limits[seen.identity] != nil else { return nil }
    return index { $0.isHalf(of: seen) }.map { remove(at: $0) }
  }

  /// Returns the index of the last request whose last attempt came after an observation.
  func lastIndex(after seen: Observation) -> Int? {
    guard let newest = limits[seen.identity]?.newestID, newest > seen.id else { return nil }
    return requests[start...].lastIndex { $0.identity == seen.identity && $0.last.id > seen.id }
  }
}

extension LogicalRequest {
  /// The earliest arrival of a further attempt.
  fileprivate var followedFrom: MonotonicInstant {
    guard last.result == .lost else { return last.end }
    if wasLeft { return MonotonicInstant(nanoseconds: .min) }
    let overlapping = last.end - LogicalRequests.overlap.duration
    return last.isEndKnown ? overlapping : min(overlapping, last.arrival + LogicalRequests.shortestTimeout)
  }

  func isFollowed(by next: Observation) -> Bool {
    guard identity == next.identity else { return false }
    // Under a key of its own, another person's request is another one, and so is what is asked for after a refusal.
    if !next.isNamed || last.isRejected, let key = next.key, !keys.isEmpty, !keys.contains(key) { return false }
    let gap = next.arrival - last.end
    guard gap <= Self.patience(after: last), next.id > last.id else { return false }
    // Its connection was free again, so an equal read that comes with its end on another one was sent beside it.
    if !isWrite, gap < WaitHistory.transport, last.result != .lost, last.connection != 0, next.connection != 0,
      last.connection != next.connection
    {
      return false
    }
    if gap >= .zero { return true }
    // With another key it does not repeat a request that was still in progress.
    guard last.result == .lost, isAttempted(underTheKeyOf: next) else { return false }
    // What its client left unanswered was given up for this one, or sent beside it in case.
    if wasLeft { return true }
    let hasGivenUp = !last.isEndKnown && next.arrival - last.arrival >= LogicalRequests.shortestTimeout
    return hasGivenUp || gap >= .zero - LogicalRequests.overlap.duration
  }

  /// True if another request, sent while the last attempt was waited for, is the same and answered it.
  func isAnswered(by other: Observation) -> Bool {
    guard identity == other.identity, isAttempted(underTheKeyOf: other), other.id > last.id, other.arrival < last.end
    else { return false }
    return isOverOnceAnswered
  }

  /// True if a request that failed has nothing left to be found out, once the same one was answered: without a key both may
  /// have taken effect.
  var isOverOnceAnswered: Bool {
    switch last.result {
    case .unavailable: true
    case .lost, .damaged: !isWrite || isKeyed
    case .success, .rejected, .cut: false
    }
  }

  /// True if it failed, was sent before another request, and is the same under the same key, or both without one.
  func isHalf(of other: Observation) -> Bool {
    identity == other.identity && other.id > last.id && isAttempted(underTheKeyOf: other)
      && other.arrival - last.end <= Self.patience(after: last)
  }

  func isAttempted(underTheKeyOf next: Observation) -> Bool {
    next.key.map { keys.contains($0) } ?? keys.isEmpty
  }

  static func patience(after attempt: Attempt) -> Duration {
    LogicalRequests.patience + (attempt.retryAfter ?? .zero)
  }
}
