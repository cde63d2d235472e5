import Contract

/// Checks that retries are spread after an outage, instead of coming all at once and causing the next one.
///
/// Ten retries within a tenth of a second are acceptable concurrency of one client: URLSession and browsers open six
/// connections per host.
struct NoStampede: Check {
  static let id = "no-stampede"
  static let most = 10
  static let window = Duration.milliseconds(100)

  private var retries = 0
  private var worst = 0
  private var evidence = Evidence()
  /// The arrivals of the latest retries in order; they become known when their exchanges end.
  private var arrivals: [(at: Tick, id: Int)] = []
  private static let memory = 128

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard case .retry = trial else { return }
    retries += 1
    if arrivals.count == Self.memory { arrivals.removeFirst() }
    let place = arrivals.lastIndex { $0.at <= seen.arrival }.map { $0 + 1 } ?? 0
    arrivals.insert((seen.arrival, seen.id), at: place)
    let group = crowd(around: place)
    worst = max(worst, group.count)
    if group.count > Self.most { for member in group { evidence.add(member.id) } }
  }

  /// Returns the largest group within the window that contains the retry at an index.
  private func crowd(around place: Int) -> ArraySlice<(at: Tick, id: Int)> {
    var best = arrivals[place...place]
    for start in arrivals[...place].indices.reversed() {
      guard arrivals[place].at - arrivals[start].at <= Self.window else { break }
      var last = place
      while last + 1 < arrivals.count, arrivals[last + 1].at - arrivals[start].at <= Self.window { last += 1 }
      if last - start + 1 > best.count { best = arrivals[start...last] }
    }
    return best
  }

  func finding(_ moment: Judgement) -> Finding {
    guard retries > 0 else { return Finding(.notExercised, "No request was tried again.") }
    if worst > Self.most {
      return Finding(
        .fail, "\(worst) retries came within 100 ms of one another; up to \(Self.most) are a decent client's.", evidence
      )
    }
    return Finding(.pass, "Of \(Words.count(retries, "retry", "retries")), at most \(worst) came within 100 ms.")
  }
}
