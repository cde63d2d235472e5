import Contract

/// Whether operations that say how often they may be asked, such as the weather's, are asked no more often.
///
/// A repetition after a failure is a retry, which other checks judge.
struct PollingInterval: Check {
  static let id = "polling-interval"
  /// A timer of sixty seconds may be a little early.
  static let slack = Duration.seconds(3)
  /// A person who looks again is not polling.
  static let mostShort = 2

  private var last = RecentTable<UInt64, (arrival: Tick, id: Int)>(capacity: 256)
  private var intervals = 0
  private var short = 0
  private var shortest = Duration.seconds(1 << 40)
  /// The path that was asked last, too soon if any was.
  private var path = ""
  private var least = Duration.zero
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard let operation = seen.operation, let least = operation.pollingInterval, seen.method == "GET",
      seen.result == .success
    else { return }
    let asker = seen.client.mixed(with: Observation.hash(operation.id))
    defer { last[asker] = (seen.arrival, seen.id) }
    guard let previous = last[asker] else { return }
    intervals += 1
    let interval = seen.arrival - previous.arrival
    let isShort = interval + Self.slack < least
    if isShort == (short > 0) || isShort {
      shortest = isShort && short == 0 ? interval : min(shortest, interval)
      (path, self.least) = (operation.path.text, least)
    }
    guard isShort else { return }
    short += 1
    evidence.add(previous.id, seen.id)
  }

  func finding(_ moment: Judgement) -> Finding {
    if short > 0 {
      return Finding(
        short > Self.mostShort ? .fail : .warn,
        "GET \(path) was asked \(Words.count(short, "time")) less than \(Words.span(least)) after the last time, once "
          + "after \(Words.span(shortest)). Keep the last response for \(Words.span(least)).", evidence)
    }
    guard intervals > 0 else {
      return Finding(.notExercised, "Nothing that may be asked only now and then was asked twice.")
    }
    return Finding(
      .pass,
      "GET \(path) was asked again \(Words.count(intervals, "time")), no sooner than after \(Words.span(shortest)).")
  }
}
