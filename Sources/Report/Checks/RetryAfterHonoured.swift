import Contract
import Faults
import Primitives

/// Checks that a client that was told when to come back comes back no sooner (RFC 9110 section 10.2.3), to the same resource
/// and, after a 429, to others that the same limit covers.
///
/// Two people may be behind one address: one's first request after the other's refusal is no error. So an early request is
/// held against a client only where it is certain to be the one that was told: by its name, or by its connection. Nor had
/// a client been told what it sent on another connection at that very moment, as a hedge.
struct RetryAfterHonoured: Check {
  static let id = "retry-after-honoured"
  /// Timers that count in ticks of their own may be early by a little.
  static let slack = Duration.milliseconds(50)
  /// So many other targets may be under way, or be asked by code that does not know yet.
  static let maximumElsewhere = 2

  /// The limit that a client has met, until it may come back.
  private struct Embargo: Sendable {
    let id: Int
    let pathHash: UInt64
    let connection: Int
    let start: MonotonicInstant
    let until: MonotonicInstant
    /// The requests to other targets since, and those that were refused.
    var others = 0
    var refused = 0
    var isSure = true
  }

  /// Requests that came before they were allowed, and the one of them that came earliest.
  private struct Early: Sendable {
    var count = 0
    private(set) var wait = Duration.zero
    private(set) var asked = Duration.zero
    /// True if the response asked by an HTTP-date.
    private(set) var isDate = false
    private(set) var example = ""
    private(set) var evidence = Evidence()

    mutating func record(_ seen: Observation, after refused: LogicalRequest.Attempt, wait: Duration, asked: Duration) {
      count += 1
      evidence.add(refused.id, seen.id)
      guard example.isEmpty || self.asked - self.wait < asked - wait else { return }
      (self.wait, self.asked, example) = (wait, asked, ReportText.request(seen))
      isDate = refused.plan.status?.isRetryAfterDate == true
    }
  }

  private var honoured = 0
  private var certain = Early()
  /// Those that another client may have sent.
  private var doubtful = Early()
  private var mayBeSeveralClients = false
  private var elsewhere = 0
  private var isElsewhereSure = false
  private var example = ""
  private var evidence = Evidence()
  private var hasCrossed = RecentTable<Bool>(capacity: 256)
  private var embargoes = RecentTable<Embargo>(capacity: 256)

  var interest: Traits { embargoes.count > 0 ? .any : [.delayed, .retry] }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    if embargoes.count > 0 || seen.retryAfter != nil { watchLimits(seen, role) }
    guard case .retry(let request, _, let wait) = role.attempt, let asked = request.last.retryAfter, asked > .zero
    else { return }
    guard wait + Self.slack < asked else {
      honoured += 1
      return
    }
    // A hedge is sent while the first waits, and need not have seen the refusal; it is sent once.
    let mayCross =
      wait < Self.slack && seen.connection != request.last.connection && hasCrossed[seen.identity] != true
      && request.last.end - request.last.arrival >= Self.slack
    hasCrossed[seen.identity] = mayCross
    if !seen.isNamed { mayBeSeveralClients = true }
    if seen.isSureOfClient(request.last), !mayCross {
      certain.record(seen, after: request.last, wait: wait, asked: asked)
    } else {
      doubtful.record(seen, after: request.last, wait: wait, asked: asked)
    }
  }

  /// Counts the requests to other targets that are refused while a client has been told to wait.
  private mutating func watchLimits(_ seen: Observation, _ role: LogicalRequests.Role) {
    let isRefused = seen.result == .unavailable(429)
    guard seen.replayOf == nil else { return }
    if var embargo = embargoes[seen.client], seen.arrival - embargo.start >= Self.slack,
      seen.arrival + Self.slack < embargo.until, seen.pathHash != embargo.pathHash
    {
      embargo.others += 1
      if isRefused { embargo.refused += 1 }
      if !seen.isNamed, seen.connection != embargo.connection { embargo.isSure = false }
      if embargo.others > Self.maximumElsewhere {
        elsewhere += 1
        if embargo.isSure, embargo.refused > Self.maximumElsewhere { isElsewhereSure = true }
        if example.isEmpty { example = ReportText.request(seen) }
        evidence.add(embargo.id, seen.id)
      }
      embargoes[seen.client] = embargo
    } else if isRefused, let asked = seen.retryAfter, asked > .zero,
      embargoes[seen.client].map({ $0.until <= seen.end }) ?? true
    {
      embargoes[seen.client] = Embargo(
        id: seen.id, pathHash: seen.pathHash, connection: seen.connection, start: seen.end, until: seen.end + asked)
    }
  }

  func finding(_ context: CheckContext) -> Finding {
    let isCertain = certain.count > 0
    let early = isCertain ? certain : doubtful
    if early.count > 0 {
      return Finding(
        isCertain ? .fail : .warn,
        "\(ReportText.count(early.count, "request")) came before Retry-After allowed it: \(early.example) after "
          + "\(ReportText.duration(early.wait)), where the response asked for \(ReportText.duration(early.asked))"
          + (early.isDate ? " by an HTTP-date" : "") + ". Wait that long before the next try."
          + (!isCertain && mayBeSeveralClients ? ReportText.clientNameAdvice : ""), early.evidence)
    }
    if elsewhere > 0 {
      return Finding(
        isElsewhereSure ? .fail : .warn,
        "\(ReportText.count(elsewhere, "request")) for other resources came before the Retry-After of a 429 had passed: "
          + "\(example). The limit is the client's: hold back all requests that it covers.", evidence)
    }
    guard honoured > 0 else { return Finding(.notExercised, "No retry followed a response with Retry-After.") }
    return Finding(.pass, "\(ReportText.count(honoured, "retry", "retries")) waited as long as Retry-After asked.")
  }
}
