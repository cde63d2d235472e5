import Contract
import Primitives

/// Checks that one client spreads its retries after an outage, instead of sending them all at once.
///
/// Ten retries within a tenth of a second are the parallelism of a decent client: URLSession and browsers open six
/// connections to a host. Many clients that draw their waits may well meet, and are none the worse for it.
struct NoStampede: Check {
  static let id = "no-stampede"
  static let maximumTogether = 10
  static let window = Duration.milliseconds(100)
  private static let memory = 64

  private var retries = 0
  private var worst = 0
  private var worstUnnamed = 0
  private var example = ""
  private var evidence = Evidence()
  /// The latest retries of each client, in the order of their arrivals.
  private var arrivals = RecentTable<[Retry]>(capacity: 256)

  private struct Retry: Sendable {
    let at: MonotonicInstant
    let id: Int
  }

  var interest: Traits { .retry }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    // What was refused for what it is failed in no outage.
    guard case .retry(let request, _, _) = role.attempt, !request.last.isRejected else { return }
    retries += 1
    // What an outage refuses reaches no backend.
    guard !seen.isOutage else { return }
    var latest = arrivals[seen.client] ?? []
    latest.removeAll { seen.arrival - $0.at > Self.window }
    latest.append(Retry(at: seen.arrival, id: seen.id))
    latest = latest.suffix(Self.memory)
    arrivals[seen.client] = latest
    let before = max(worst, worstUnnamed)
    if seen.isNamed { worst = max(worst, latest.count) } else { worstUnnamed = max(worstUnnamed, latest.count) }
    guard latest.count > Self.maximumTogether else { return }
    if latest.count > before { example = ReportText.request(seen) }
    for retry in latest { evidence.add(retry.id) }
  }

  func finding(_ context: CheckContext) -> Finding {
    guard retries > 0 else { return Finding(.notExercised, "No request was tried again.") }
    let highest = max(worst, worstUnnamed)
    if highest > Self.maximumTogether {
      let isSure = worst > Self.maximumTogether
      return Finding(
        isSure ? .fail : .warn,
        "\(isSure ? worst : highest) retries of one client came within 100 ms of one another, the last of them "
          + "\(example); up to \(Self.maximumTogether) are usual. Draw each wait at random, and limit how many requests run at once."
          + (isSure ? "" : ReportText.clientNameAdvice), evidence)
    }
    return Finding(
      .pass, "Of \(ReportText.count(retries, "retry", "retries")), at most \(highest) of one client came within 100 ms."
    )
  }
}
