import Contract

/// Whether the weather is asked at most once a minute, as `openapi.yaml` demands for each of its four routes.
///
/// A repetition after a failure is a retry, which other checks judge.
struct PollingInterval: Check {
  static let id = "polling-interval"
  static let operations: Set = ["getLocationWeather", "getWeatherCold", "getWeatherHot", "getWeatherWarm"]
  static let least = Duration.seconds(60)
  /// A timer of sixty seconds may be early by a little.
  static let slack = Duration.seconds(3)
  /// A person who looks again is no poller.
  static let mostShort = 2

  private var last = RecentTable<UInt64, (arrival: Tick, id: Int)>(capacity: 256)
  private var intervals = 0
  private var short = 0
  private var shortest = Duration.seconds(1 << 40)
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard Self.operations.contains(seen.operation), seen.method == "GET", seen.result == .success else { return }
    let asker = seen.client.mixed(with: Observation.hash(seen.operation))
    defer { last[asker] = (seen.arrival, seen.id) }
    guard let previous = last[asker] else { return }
    intervals += 1
    let interval = seen.arrival - previous.arrival
    shortest = min(shortest, interval)
    guard interval + Self.slack < Self.least else { return }
    short += 1
    evidence.add(previous.id, seen.id)
  }

  func finding(_ moment: Judgement) -> Finding {
    if short > 0 {
      return Finding(
        short > Self.mostShort ? .fail : .warn,
        "The weather was asked \(Words.count(short, "time")) less than a minute after the last time, "
          + "once after \(Words.span(shortest)).", evidence)
    }
    guard intervals > 0 else { return Finding(.notExercised, "The weather was not asked twice.") }
    return Finding(
      .pass,
      "The weather was asked again \(Words.count(intervals, "time")), no sooner than after \(Words.span(shortest)).")
  }
}
