import Contract

/// Checks that a request that was refused for its content is not sent again unchanged (RFC 9110 section 15.5).
///
/// Credentials, locks and limits may be otherwise the next time; the rest will not. A conflict may pass by itself, at a
/// person's pace. Who asserts an error in a test asks for it two or three times, who waits for a record asks until it is
/// there, and a person looks again: that is a warning at most. A loop goes on, quickly.
struct NoRetryOf4xx: Check {
  static let id = "no-retry-of-4xx"
  static let rank = 50
  static let worthRepeating: Set<Int> = [401, 407, 408, 421, 423, 425, 426, 428, 429, 511]
  static let humanPace = Duration.seconds(1)
  /// So many repetitions, each soon after the last, are a loop's.
  static let loop = 4

  private struct Chain: Sendable {
    /// The first attempt of the request.
    let first: Int?
    var quick = 0
    var isLoop = false
  }

  private var refused = 0
  private var looped = 0
  private var askedAgain = 0
  private var isTellingApart = false
  private var status = 0
  private var example = ""
  private var evidence = Evidence()
  private var chains = RecentTable<UInt64, Chain>(capacity: 512)
  /// Loops that may be waiting for a record to appear: it takes a second one to tell.
  private var waits = 0

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    if case .rejected(let status) = seen.result, !Self.worthRepeating.contains(status) { refused += 1 }
    guard case .retry(let request, _, let wait) = trial, case .rejected(let status) = request.last.result,
      !Self.worthRepeating.contains(status)
    else { return }
    // While an earlier attempt under the same key is under way, 409 says just that.
    if status == 409, seen.key != nil, request.wasLost { return }
    let isQuick = wait < Self.humanPace
    if status == 409, !isQuick { return }
    // What is asked for anew, much later, is another chain.
    let first = request.attempts.first?.id
    var chain = chains[seen.identity].flatMap { $0.first == first ? $0 : nil } ?? Chain(first: first)
    chain.quick = isQuick ? chain.quick + 1 : 0
    note(seen, request, status)
    let isWrite = seen.isWrite || !(seen.method == "GET" || seen.method == "HEAD")
    if !chain.isLoop, chain.quick >= Self.loop {
      chain.isLoop = true
      if !seen.isSureOfClient(request.last) {
        isTellingApart = true
      } else if isWrite || !(status == 404 || status == 410 || status == 409) {
        looped += 1
      } else {
        waits += 1
      }
    }
    if waits > 0, chain.isLoop, seen.result == .success {
      // What was waited for is there.
      waits -= 1
    }
    chains[seen.identity] = chain
  }

  private mutating func note(_ seen: Observation, _ request: LogicalRequest, _ status: Int) {
    askedAgain += 1
    self.status = status
    if example.isEmpty { example = Words.request(seen) }
    evidence.add(request.last.id, seen.id)
  }

  func finding(_ moment: CheckContext) -> Finding {
    let loops = looped + (waits > 1 ? waits : 0)
    if loops > 0 {
      return Finding(
        .fail,
        "\(Words.count(loops, "request")) that had been refused for good (the last with \(status)) "
          + "\(Words.were(loops)) sent again and again unchanged: \(example). Change the request, or show the error.",
        evidence)
    }
    if askedAgain > 0 {
      return Finding(
        .warn,
        "Requests that had been refused for good (the last with \(status)) were sent again unchanged "
          + "\(Words.count(askedAgain, "time")): \(example). A retry of it fares no better."
          + (isTellingApart ? Words.tellApart : ""), evidence)
    }
    guard refused > 0 else { return Finding(.notExercised, "No request was refused for good.") }
    return Finding(
      .pass, "\(Words.count(refused, "request")) \(Words.were(refused)) refused for good, and none was sent again.")
  }
}

extension LogicalRequest {
  /// True if the response to an attempt got lost, so that it may still be under way.
  fileprivate var wasLost: Bool { attempts.contains { $0.result == .lost } }
}
