import Contract
import Faults

/// Checks that a client that was told when to come back comes back no sooner (RFC 9110 section 10.2.3), to the same resource
/// and, after a 429, to others that the same limit covers.
///
/// Two people may be behind one address, so an early request fails a client only if it is certain to be the one that was told:
/// by its name, or by its connection. A hedge on another connection need not have seen the refusal.
struct RetryAfterHonoured: ReportCheck {
  static let id = "retry-after-honoured"
  /// Timers that count in ticks of their own may be early by a little.
  static let slack = Duration.milliseconds(50)
  /// A request that is sent this soon after a refusal was on its way.
  static let crossing = Duration.milliseconds(100)
  /// So many other targets may be under way, or be asked by code that does not know yet.
  static let maximumElsewhere = 2

  private enum Kind: Int, CaseIterable { case early, earlyByDate, elsewhere }

  var interest: Traits { [.limited, .retry] }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if let limit = facts.limit { judge(seen, limit, &tally) }
    guard case .retry(let request, _, let wait) = facts.kind, let asked = request.last.retryAfter,
      request.last.notBefore != nil
    else { return }
    if request.last.allows(seen.arrival) { return tally.inOrder += 1 }
    let isCrossing = request.isCrossed(by: seen) && !request.hasCrossed
    let isByDate = request.last.isRetryAfterDate
    tally[isByDate ? Kind.earlyByDate : .early].add(
      seen, after: [request.last.id], unless: isCrossing ? .underWay : seen.otherSenders(than: request.last),
      figure: (wait, asked))
  }

  /// Judges a request for something else. That others are refused, too, proves that the limit is the client's.
  private func judge(_ seen: Observation, _ limit: ClientHistory.Limit, _ tally: inout Tally) {
    guard limit.others > Self.maximumElsewhere else { return }
    let isProved = limit.refused > Self.maximumElsewhere
    tally[Kind.elsewhere].add(
      seen, after: [limit.id], unless: isProved ? limit.otherSenders : limit.otherSenders.union(.separateLimit))
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    if let kind = tally.worst(of: Kind.allCases) {
      let mistake = tally[kind]
      return Finding(mistake.verdict, Self.complaint(kind, mistake) + mistake.excuses, mistake.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No retry followed a response with Retry-After.") }
    return Finding(
      .pass, "\(ReportText.count(tally.inOrder, "retry", "retries")) waited as long as Retry-After asked.")
  }

  private static func complaint(_ kind: Kind, _ mistake: Mistake) -> String {
    guard kind != .elsewhere else {
      return
        "\(ReportText.count(mistake.count, "other request")) came before the Retry-After of a 429 had passed: "
        + "\(mistake.example). Hold back all requests that the same limit covers."
    }
    return
      "\(ReportText.count(mistake.count, "request")) came before Retry-After allowed it: \(mistake.example) after "
      + "\(ReportText.duration(mistake.figure ?? .zero)), where the response asked for "
      + "\(ReportText.duration(mistake.allowed))" + (kind == .earlyByDate ? " by an HTTP-date" : "")
      + ". Wait that long before the next attempt."
  }
}
