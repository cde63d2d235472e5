import Contract
import Primitives

/// Checks that operations with a minimum interval, such as the weather's, are requested no more often.
///
/// A repetition after a failure is a retry, which other checks cover. Two clients without names may be two, each at its
/// own pace, so only what is certain to be one's is a failure.
struct PollingInterval: Check {
  static let id = "polling-interval"
  /// A timer of sixty seconds may be early by a little.
  static let slack = Duration.seconds(3)
  /// A person who looks again is no poller.
  static let maximumShort = 2

  private var last = RecentTable<(arrival: MonotonicInstant, id: Int, connection: Int)>(capacity: 256)
  private var intervals = 0
  private var short = 0
  /// Those of one client for certain.
  private var certain = 0
  private var shortest = Duration.seconds(1 << 40)
  /// The path that was asked again soonest.
  private var path = ""
  private var example = ""
  private var minimum = Duration.zero
  private var evidence = Evidence()

  var interest: Traits { .timed }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard let operation = seen.operation, let minimum = operation.pollingInterval, seen.method == "GET",
      seen.result == .success
    else { return }
    let asker = seen.client.mixed(with: Observation.hash(operation.id))
    defer { last[asker] = (seen.arrival, seen.id, seen.connection) }
    guard let previous = last[asker] else { return }
    intervals += 1
    let interval = seen.arrival - previous.arrival
    if interval < shortest {
      shortest = interval
      (path, self.minimum) = (operation.path.text, minimum)
    }
    guard interval + Self.slack < minimum else { return }
    short += 1
    if seen.isNamed || seen.connection != 0 && seen.connection == previous.connection { certain += 1 }
    if example.isEmpty { example = ReportText.request(seen) }
    evidence.add(previous.id, seen.id)
  }

  func finding(_ context: CheckContext) -> Finding {
    if short > 0 {
      return Finding(
        certain > Self.maximumShort ? .fail : .warn,
        "\(example) came less than \(ReportText.duration(minimum)) after the request before it \(ReportText.count(short, "time")), the "
          + "soonest after \(ReportText.duration(shortest)). Keep the last response for \(ReportText.duration(minimum))."
          + (certain < short ? ReportText.clientNameAdvice : ""), evidence)
    }
    guard intervals > 0 else {
      return Finding(.notExercised, "No operation with a minimum interval was requested twice.")
    }
    return Finding(
      .pass,
      "GET \(path) was requested again \(ReportText.count(intervals, "time")), at the earliest after "
        + "\(ReportText.duration(shortest))."
    )
  }
}
