import Contract

/// Checks that a client that was told when to come back comes back no sooner (RFC 9110 section 10.2.3), to the same resource
/// and, after a 429, to others that the same limit covers.
///
/// Two people may be behind one address: one's first request after the other's refusal is no error. So what comes
/// early is held against a client only where it is certain to be the one that was told: by its name, or by its connection. Nor had it been told
/// what it sent on another connection at that very moment, as a hedge.
struct RetryAfterHonoured: Check {
  static let id = "retry-after-honoured"
  static let rank = 40
  /// Timers that count in ticks of their own may be early by a little.
  static let slack = Duration.milliseconds(50)
  /// So many other targets may be under way, or be asked by code that does not know yet.
  static let maximumElsewhere = 2

  /// The limit that a client has met, until it may come back.
  private struct Embargo: Sendable {
    let id: Int
    let place: UInt64
    let connection: Int
    let told: MonotonicInstant
    let until: MonotonicInstant
    /// The requests to other targets since, and those that were refused.
    var others = 0
    var refused = 0
    var isSure = true
  }

  private var honoured = 0
  private var early = 0
  private var doubtful = 0
  private var isTellingApart = false
  private var elsewhere = 0
  private var isElsewhereSure = false
  private var earliest = (wait: Duration.zero, asked: Duration.zero)
  private var example = ""
  private var evidence = Evidence()
  private var hasCrossed = RecentTable<UInt64, Bool>(capacity: 256)
  private var embargoes = RecentTable<UInt64, Embargo>(capacity: 256)

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    if embargoes.count > 0 || seen.retryAfter != nil { watchLimits(seen, trial) }
    guard case .retry(let request, _, let wait) = trial, let asked = request.last.retryAfter, asked > .zero
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
    if !seen.isNamed { isTellingApart = true }
    if seen.isSureOfClient(request.last), !mayCross {
      early += 1
    } else {
      doubtful += 1
    }
    if earliest.asked - earliest.wait < asked - wait {
      earliest = (wait, asked)
      example = Words.request(seen)
    }
    evidence.add(request.last.id, seen.id)
  }

  /// Counts the requests to other targets that are refused while a client has been told to wait.
  private mutating func watchLimits(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    let isRefused = seen.result == .unavailable(429)
    guard seen.replayOf == nil else { return }
    if var embargo = embargoes[seen.client], seen.arrival - embargo.told >= Self.slack,
      seen.arrival + Self.slack < embargo.until, seen.place != embargo.place
    {
      embargo.others += 1
      if isRefused { embargo.refused += 1 }
      if !seen.isNamed, seen.connection != embargo.connection { embargo.isSure = false }
      if embargo.others > Self.maximumElsewhere {
        elsewhere += 1
        if embargo.isSure, embargo.refused > Self.maximumElsewhere { isElsewhereSure = true }
        if example.isEmpty { example = Words.request(seen) }
        evidence.add(embargo.id, seen.id)
      }
      embargoes[seen.client] = embargo
    } else if isRefused, let asked = seen.retryAfter, asked > .zero,
      embargoes[seen.client].map({ $0.until <= seen.end }) ?? true
    {
      embargoes[seen.client] = Embargo(
        id: seen.id, place: seen.place, connection: seen.connection, told: seen.end, until: seen.end + asked)
    }
  }

  func finding(_ moment: CheckContext) -> Finding {
    if early + doubtful > 0 {
      let count = early > 0 ? early : doubtful
      return Finding(
        early > 0 ? .fail : .warn,
        "\(Words.count(count, "request")) came before Retry-After allowed: \(example) after "
          + "\(Words.span(earliest.wait)) where \(Words.span(earliest.asked)) were asked for. Wait that long before the "
          + "next try." + (early == 0 && isTellingApart ? Words.tellApart : ""), evidence)
    }
    if elsewhere > 0 {
      return Finding(
        isElsewhereSure ? .fail : .warn,
        "\(Words.count(elsewhere, "request")) went on to other resources while the Retry-After of a 429 had not passed: "
          + "\(example). A limit is about the client: hold back all that it covers.", evidence)
    }
    guard honoured > 0 else { return Finding(.notExercised, "No retry followed a response with Retry-After.") }
    return Finding(.pass, "\(Words.count(honoured, "retry", "retries")) waited as long as Retry-After asked.")
  }
}
