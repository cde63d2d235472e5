import Contract

/// Checks that one client spreads its retries after an outage, instead of sending them all at once.
///
/// Ten retries within a tenth of a second are the parallelism of a decent client: URLSession and browsers open six
/// connections to a host. Many clients that draw their waits may well meet, and are none the worse for it.
struct NoStampede: Check {
  static let id = "no-stampede"
  static let rank = 110
  static let most = 10
  static let window = Duration.milliseconds(100)
  private static let memory = 64

  private var retries = 0
  private var worst = 0
  private var worstUnnamed = 0
  private var example = ""
  private var evidence = Evidence()
  /// The latest retries of each client, in the order of their arrivals.
  private var arrivals = RecentTable<UInt64, [Retry]>(capacity: 256)

  private struct Retry: Sendable {
    let at: MonotonicInstant
    let id: Int
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    guard case .retry = trial else { return }
    retries += 1
    var latest = arrivals[seen.client] ?? []
    latest.removeAll { seen.arrival - $0.at > Self.window }
    latest.append(Retry(at: seen.arrival, id: seen.id))
    latest = latest.suffix(Self.memory)
    arrivals[seen.client] = latest
    let before = max(worst, worstUnnamed)
    if seen.isNamed { worst = max(worst, latest.count) } else { worstUnnamed = max(worstUnnamed, latest.count) }
    guard latest.count > Self.most else { return }
    if latest.count > before { example = Words.request(seen) }
    for retry in latest { evidence.add(retry.id) }
  }

  func finding(_ moment: CheckContext) -> Finding {
    guard retries > 0 else { return Finding(.notExercised, "No request was tried again.") }
    let most = max(worst, worstUnnamed)
    if most > Self.most {
      let isSure = worst > Self.most
      return Finding(
        isSure ? .fail : .warn,
        "\(isSure ? worst : most) retries of one client came within 100 ms of one another, \(example) the last of them; up "
          + "to \(Self.most) are a decent client's. Draw each wait at random, and bound how many run at once."
          + (isSure ? "" : Words.tellApart), evidence)
    }
    return Finding(
      .pass, "Of \(Words.count(retries, "retry", "retries")), at most \(most) of one client came within 100 ms.")
  }
}
