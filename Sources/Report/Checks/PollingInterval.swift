import Contract
import Primitives

/// Checks that operations with a minimum interval, such as the weather's, are requested no more often.
///
/// Two clients without names may be two, each at its own pace, so only intervals that are certain to be one client's fail.
struct PollingInterval: ReportCheck {
  static let id = "polling-interval"
  /// A timer of sixty seconds may be early by a little.
  static let slack = Duration.seconds(3)
  /// A person who looks again is no poller.
  static let maximumShort = 2

  private enum Kind: Int { case short }

  var interest: Traits { .timed }
  var needsState: Bool { true }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard let last = facts.lastPoll, let minimum = seen.operation?.caching.pollingInterval else { return }
    tally.inOrder += 1
    let interval = seen.arrival - last.arrival
    tally.measure(interval)
    guard interval + Self.slack < minimum else { return }
    tally[Kind.short].add(
      seen, after: [last.id], unless: last.otherSenders, figure: (interval, minimum))
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let short = tally[Kind.short]
    if short.count > 0 {
      return Finding(
        short.certain > Self.maximumShort ? .fail : .warn,
        "\(short.example) came \(ReportText.count(short.count, "time")) less than "
          + "\(ReportText.duration(short.allowed)) after the last request, the soonest after "
          + "\(ReportText.duration(short.figure ?? .zero)). "
          + "Keep the last response for \(ReportText.duration(short.allowed))."
          + short.excuses, short.evidence)
    }
    guard let range = tally.range else {
      return Finding(.notExercised, "No operation with a minimum interval was requested twice.")
    }
    return Finding(
      .pass,
      "Operations with a minimum interval were requested again \(ReportText.count(tally.inOrder, "time")), at the earliest "
        + "after \(ReportText.duration(range.lowerBound)).")
  }
}
