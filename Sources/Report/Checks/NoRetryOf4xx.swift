import Contract
import Primitives

/// Checks that a request that was refused for its content is not sent again unchanged (RFC 9110 section 15.5).
///
/// Credentials, locks and limits may be otherwise the next time; the rest will not. A conflict may pass by itself, at a
/// person's pace. Who asserts an error in a test asks for it two or three times, who waits for a record asks until it is
/// there, and a person looks again: that is a warning at most. A loop goes on, quickly.
struct NoRetryOf4xx: Check {
  static let id = "no-retry-of-4xx"
  static let worthRepeating: Set<Int> = [401, 407, 408, 421, 423, 425, 426, 428, 429, 511]
  static let humanPace = Duration.seconds(1)
  /// The number of repetitions in a row, each soon after the last, that make a loop.
  static let loopLength = 4

  private struct Chain: Sendable {
    /// The first attempt of the request.
    let first: Int?
    /// The repetitions in a row that came soon after the last, and those of them that are certain to be one client's.
    private(set) var quick = 0
    private(set) var sure = 0
    /// The attempts before the last repetitions that are certain to be one client's.
    private(set) var ids: [Int] = []
    var isLoop = false

    init(first: Int?) { self.first = first }

    mutating func interrupt() { (quick, sure, ids) = (0, 0, []) }

    /// Counts a repetition.
    mutating func count(after id: Int, isQuick: Bool, isSure: Bool) {
      quick = isQuick ? quick + 1 : 0
      sure = isQuick && isSure ? sure + 1 : 0
      ids = sure > 0 ? ids.suffix(NoRetryOf4xx.loopLength - 1) + [id] : []
    }
  }

  /// Requests that were sent again, and the first of them.
  private struct Repetitions: Sendable {
    private(set) var count = 0
    private(set) var example = ""
    private(set) var status = 0
    private(set) var evidence = Evidence()

    mutating func record(_ seen: Observation, after earlier: [Int], status: Int) {
      count += 1
      if count == 1 { (example, self.status) = (ReportText.request(seen), status) }
      for id in earlier { evidence.add(id) }
      evidence.add(seen.id)
    }
  }

  private var refused = 0
  private var again = Repetitions()
  /// The loops that no record's appearance can end.
  private var loops = Repetitions()
  private var waitingLoops = Repetitions()
  private var mayBeSeveralClients = false
  private var chains = RecentTable<Chain>(capacity: 512)
  /// Loops that may be waiting for a record to appear: it takes a second one to tell.
  private var waits = 0

  /// The instant until which the successes of clients are recorded; nil if none are.
  private var watched: MonotonicInstant?
  /// The last success of each client in that time.
  private var successes = RecentTable<Int>(capacity: 256)

  var interest: Traits { watched == nil ? [.failed, .retry] : .any }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    watch(seen, isBackground: role.isBackground)
    guard case .retry(let request, _, let wait) = role.attempt else { return }
    guard case .rejected(let status) = request.last.result, !Self.worthRepeating.contains(status) else {
      // After a pause, what follows is another row.
      if wait >= Self.humanPace, let index = chains.index(of: seen.identity) { chains.values[index].interrupt() }
      return
    }
    // While an earlier attempt under the same key is under way, 409 says just that.
    if status == 409, seen.key != nil, request.wasLost { return }
    // After 412 a client reads the record again, and sends the same content with the tag that it has read.
    if status == 412, request.isBasedOnRead(at: seen.arrival) { return }
    // A loop does nothing else in between that succeeds; a row of tests does.
    let isInterrupted = successes[seen.client].map { $0 > request.last.id } ?? false
    let isQuick = wait < Self.humanPace && !isInterrupted
    // What is asked for anew, much later, is another chain.
    let first = request.attempts.first?.id
    var chain = chains[seen.identity].flatMap { $0.first == first ? $0 : nil } ?? Chain(first: first)
    chain.count(after: request.last.id, isQuick: isQuick, isSure: seen.isSureOfClient(request.last))
    if status == 409, wait >= Self.humanPace {
      chains[seen.identity] = chain
      return
    }
    again.record(seen, after: [request.last.id], status: status)
    let isWrite = seen.isWrite || !(seen.method == "GET" || seen.method == "HEAD")
    if !chain.isLoop, chain.sure >= Self.loopLength {
      chain.isLoop = true
      if isWrite || !(status == 404 || status == 410 || status == 409) {
        loops.record(seen, after: chain.ids, status: status)
      } else {
        waitingLoops.record(seen, after: chain.ids, status: status)
        waits += 1
      }
    } else if chain.quick >= Self.loopLength, chain.sure < Self.loopLength {
      mayBeSeveralClients = true
    }
    if waits > 0, chain.isLoop, seen.result == .success {
      // What was waited for is there.
      waits -= 1
    }
    chains[seen.identity] = chain
  }

  /// Counts a refusal, and records the successes within a second after it.
  private mutating func watch(_ seen: Observation, isBackground: Bool) {
    if case .rejected(let status) = seen.result, !Self.worthRepeating.contains(status) {
      refused += 1
      watched = max(watched ?? seen.end, seen.end + Self.humanPace)
    } else if let until = watched {
      if seen.arrival > until {
        watched = nil
      } else if seen.isSuccess, !isBackground {
        successes[seen.client] = seen.id
      }
    }
  }

  func finding(_ context: CheckContext) -> Finding {
    let count = loops.count + (waits > 1 ? waits : 0)
    if count > 0 {
      let cited = loops.count > 0 ? loops : waitingLoops
      return Finding(
        .fail,
        "\(ReportText.were(count, "request")) sent again and again unchanged after a refusal "
          + "that is final: \(cited.example), refused with \(cited.status). Change the request, or show the error.",
        cited.evidence)
    }
    if again.count > 0 {
      return Finding(
        .warn,
        "Requests were sent again unchanged \(ReportText.count(again.count, "time")) after a refusal that is final: "
          + "\(again.example), refused with \(again.status). Change the request before you send it again."
          + (mayBeSeveralClients ? ReportText.clientNameAdvice : ""), again.evidence)
    }
    guard refused > 0 else { return Finding(.notExercised, "No request was refused for good.") }
    return Finding(
      .pass,
      "\(ReportText.were(refused, "request")) refused for good, and none was sent again.")
  }
}

extension LogicalRequest {
  /// True if the response to an attempt got lost, so that it may still be under way.
  fileprivate var wasLost: Bool { attempts.contains { $0.result == .lost } }
}
