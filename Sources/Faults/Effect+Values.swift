/// The effects as Swift values, for rules that are written in Swift.
///
/// Their arguments have the ranges of the scenario reference. A value outside of them is refused with the scenario, like one in
/// a file.
extension Effect {
  /// Delays the response by a fixed time.
  public static func latency(_ delay: Duration) -> Effect { latency(.fixed(delay)) }

  /// Delays the response by a pseudo-random time from a distribution.
  public static func latency(_ distribution: Distribution) -> Effect { Effect(Latency(distribution)) }

  /// Responds with a status instead.
  ///
  /// - Parameters:
  ///   - status: The status, from 200 to 599.
  ///   - delay: The value of `Retry-After`.
  ///   - isDate: True to send `Retry-After` as a date instead of a number of seconds.
  public static func status(_ status: Int, retryAfter delay: Duration? = nil, asDate isDate: Bool = false) -> Effect {
    Effect(Status(status, retryAfter: delay, isRetryAfterDate: isDate))
  }

  /// Responds with 429 to requests above the limit in a window.
  public static func rateLimit(_ limit: Int, per window: Duration) -> Effect {
    Effect(RateLimit(limit: limit, window: window))
  }

  /// Delays the first request after an idle time, and those that arrive during the delay.
  public static func coldStart(after idle: Duration, delay: Duration) -> Effect {
    Effect(ColdStart(idle: idle, delay: delay))
  }

  /// Resets the connection after the status line.
  public static let reset = Effect(Reset(events: nil))
  /// Resets the connection of a stream after this number of events, at least 1.
  public static func reset(afterEvents count: Int) -> Effect { Effect(Reset(events: count)) }

  /// Resets the connection before any byte. Some client libraries then repeat the request by themselves.
  public static let resetBare = Effect(PlainFault(.ending(.resetBare)))
  /// Closes the connection before any byte.
  public static let empty = Effect(PlainFault(.ending(.empty)))
  /// Breaks the chunked coding of the response.
  public static let badChunk = Effect(PlainFault(.ending(.badChunk)))
  /// Sends bytes that are not HTTP.
  public static let garbage = Effect(PlainFault(.ending(.garbage)))
  /// Makes the JSON invalid.
  public static let corrupt = Effect(PlainFault(.damage(.corrupt)))
  /// Drops or renames a member of the JSON, or changes its type.
  public static let drift = Effect(PlainFault(.damage(.drift)))
  /// Sends the JSON with the media type `text/html`.
  public static let wrongType = Effect(PlainFault(.damage(.wrongType)))
  /// Responds with 200 and a hotel's log-in page.
  public static let captivePortal = Effect(PlainFault(.damage(.captivePortal)))

  /// Sends nothing until the client gives up or `time` has passed; then the response follows, or the connection ends
  /// as `end` says.
  public static func hang(for time: Duration? = nil, then end: Hold.Then = .resume) -> Effect {
    Effect(Hang(Hold(for: time, then: end)))
  }

  /// Sends a part of the body, and then hangs as in `hang(for:then:)`.
  public static func stall(at part: Ratio = .half, for time: Duration? = nil, then end: Hold.Then = .resume) -> Effect {
    Effect(Stall(at: part, Hold(for: time, then: end)))
  }

  /// Sends this number of events of a stream, at least 1, and then nothing, as in `hang(for:then:)`.
  public static func stall(afterEvents count: Int, for time: Duration? = nil, then end: Hold.Then = .resume) -> Effect {
    Effect(Stall(events: count, Hold(for: time, then: end)))
  }

  /// Closes the connection in the middle of the body.
  public static func truncate(at part: Ratio = .half) -> Effect { Effect(Truncate(at: part, events: nil)) }

  /// Closes the connection of a stream after this number of events, at least 1.
  public static func truncate(afterEvents count: Int) -> Effect { Effect(Truncate(at: .half, events: count)) }

  /// Responds with an older state of the data.
  public static func stale(versions: Int = 1) -> Effect { Effect(Stale(versions: versions)) }

  /// Sends the response slowly, in pieces of `chunk` bytes.
  public static func pace(bytesPerSecond: Int, chunk: Int = 64) -> Effect {
    Effect(Pace(bytesPerSecond: bytesPerSecond, chunk: chunk))
  }

  /// Makes the whole sandbox unreachable: connections are reset.
  public static let offline = Effect(Offline())

  /// Lets simulated other users book and release spots in the meantime, in each period.
  public static func rivals(every period: Duration, books: Int = 1) -> Effect {
    Effect(Rivals(every: period, books: books))
  }
}

extension Distribution {
  /// A measured distribution.
  ///
  /// - Parameter points: Delays by percentile, in ascending order: `[50: .milliseconds(80), 99: .seconds(2)]`.
  public static func percentiles(_ points: KeyValuePairs<Int, Duration>) -> Distribution {
    .percentiles(points.map { Percentile(percent: $0.key, delay: $0.value) })
  }
}
