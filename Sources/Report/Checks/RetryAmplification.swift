import Primitives

/// Checks the number of attempts per request: retries multiply the load of a backend that already has too much.
///
/// More than eight attempts of one request in ten seconds are a loop; from six on there is a warning (gRFC A6 caps
/// `maxAttempts` at 5). A client's retries have a budget: a fifth of its requests, and ten a second besides, over ten
/// seconds (Finagle). Attempts during an outage add no load, and waits that `Retry-After` set are free.
struct RetryAmplification: ReportCheck {
  static let id = "retry-amplification"
  /// Beyond these there is a warning, and a failure.
  static let maximumAttempts = 5
  static let certainAttempts = 8
  static let window = Duration.seconds(10)
  /// A wait as long as this between two quick series is an outer loop's.
  static let outerWait = Duration.seconds(1)

  private enum Kind: Int, CaseIterable { case excessive, overdrawn, many, nested }

  var interest: Traits { [.retry, .replay] }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard case .retry(let request, _, _) = facts.kind, let burst = facts.burst else { return tally.others += 1 }
    tally.inOrder += 1
    let count = burst.count(under: seen.key)
    tally.measure(.nanoseconds(max(1, count)))
    if count > Self.maximumAttempts { addBurst(burst, count, seen, &tally) }
    if facts.retriesInWindow > 0 {
      tally[Kind.overdrawn].add(
        seen, unless: seen.otherSenders(sideBySide: true), figure: (.nanoseconds(facts.retriesInWindow), .zero))
    }
    if burst.isNested { tally[Kind.nested].add(seen, after: [request.last.id], unless: .library) }
  }

  private func addBurst(_ burst: LogicalRequest.Burst, _ count: Int, _ seen: Observation, _ tally: inout Tally) {
    let earlier = burst.arrivals.filter { $0.key == seen.key }.map(\.id)
    if count == Self.maximumAttempts + 1 {
      tally[Kind.many].add(seen, after: earlier, unless: burst.otherSenders.union(.library))
    }
    // Two people would have half of them each.
    let isSure = burst.otherSenders.isEmpty
    guard count == (isSure ? Self.certainAttempts : Self.certainAttempts * 2) + 1 else { return }
    tally[Kind.excessive].add(seen, after: earlier, unless: isSure ? [] : seen.otherSenders(sideBySide: true))
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let replays =
      tally.others > 0
      ? " In addition, transports repeated \(ReportText.count(tally.others, "request")) by themselves." : ""
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No request was tried again.\(replays)") }
    let highest = tally.range.map { Int($0.upperBound.nanoseconds) } ?? 1
    if let kind = tally.worst(of: Kind.allCases) {
      let mistake = tally[kind]
      return Finding(
        mistake.verdict, Self.complaint(kind, mistake, highest) + mistake.excuses + replays, mistake.evidence)
    }
    let times = ReportText.count(tally.inOrder, "time")
    guard highest > 1 else {
      return Finding(
        .pass,
        "Requests were tried again \(times), only in or after an outage, after Retry-After, or after more than 10 s."
          + replays)
    }
    return Finding(
      .pass, "Requests were tried again \(times), and none had more than \(highest) attempts within 10 s.\(replays)")
  }

  /// - Parameter highest: The most attempts of one request within the window.
  private static func complaint(_ kind: Kind, _ mistake: Mistake, _ highest: Int) -> String {
    func tooMany(_ maximum: Int) -> String {
      "\(ReportText.count(mistake.count, "request")) took more than \(maximum) attempts within 10 s, up to \(highest)"
    }
    let advice = "Stop after a few attempts, and let the waits grow."
    return switch kind {
    case .excessive: "\(tooMany(certainAttempts)): \(mistake.example). \(advice)"
    case .overdrawn:
      "A client sent \(mistake.figure.map { Int($0.nanoseconds) } ?? 0) retries within 10 s, where a fifth of its requests "
        + "and 100 more are usual: \(mistake.example). \(advice)"
    case .many: "\(tooMany(maximumAttempts)): \(mistake.example). \(advice)"
    case .nested:
      "One retry loop ran within another \(ReportText.count(mistake.count, "time")), which multiplies the attempts: "
        + "\(mistake.example). Retry in one place only."
    }
  }
}
