import JSON

extension Rule {
  /// The effect of a rule on an exchange.
  public struct Effect: Sendable, Equatable {
    let members: [JSONValue.Member]

    private init(_ members: [JSONValue.Member]) { self.members = members }

    private static func fault(_ name: String, _ members: [JSONValue.Member] = []) -> Effect {
      Effect([JSONValue.Member("fault", .string(name))] + members)
    }

    /// Delays the response by a fixed time.
    public static func latency(_ delay: Duration) -> Effect { Effect([JSONValue.Member("latency", .duration(delay))]) }

    /// Delays the response by a pseudo-random time from a distribution.
    public static func latency(_ distribution: Latency) -> Effect {
      Effect([JSONValue.Member("latency", distribution.json)])
    }

    /// Responds with a status instead.
    ///
    /// - Parameters:
    ///   - status: The status, from 200 to 599.
    ///   - delay: The value of `Retry-After`.
    ///   - isDate: True to send `Retry-After` as a date instead of a number of seconds.
    public static func status(_ status: Int, retryAfter delay: Duration? = nil, asDate isDate: Bool = false) -> Effect {
      var members = [JSONValue.Member("status", .int(status))]
      if let delay { members.append(JSONValue.Member("retryAfter", .duration(delay))) }
      if isDate { members.append(JSONValue.Member("retryAfterDate", true)) }
      return Effect(members)
    }

    /// Responds with 429 to requests above the limit in a window.
    public static func rateLimit(_ limit: Int, per window: Duration) -> Effect {
      Effect([JSONValue.Member("rateLimit", ["limit": .int(limit), "window": .duration(window)])])
    }

    /// Delays the first request after an idle time, and those that arrive during the delay.
    public static func coldStart(after idle: Duration, delay: Duration) -> Effect {
      Effect([JSONValue.Member("coldStart", ["idle": .duration(idle), "delay": .duration(delay)])])
    }

    /// Resets the connection after the status line.
    public static let reset = fault("reset")
    /// Resets the connection of a stream after this number of events, at least 1.
    public static func reset(afterEvents count: Int) -> Effect { fault("reset", events(count)) }

    /// Resets the connection before any byte. Some client libraries then repeat the request by themselves.
    public static let resetBare = fault("reset-bare")
    /// Closes the connection before any byte.
    public static let empty = fault("empty")
    /// Breaks the chunked coding of the response.
    public static let badChunk = fault("bad-chunk")
    /// Sends bytes that are not HTTP.
    public static let garbage = fault("garbage")
    /// Makes the JSON invalid.
    public static let corrupt = fault("corrupt")
    /// Drops or renames a member of the JSON, or changes its type.
    public static let drift = fault("drift")
    /// Sends the JSON with the media type `text/html`.
    public static let wrongType = fault("wrong-type")
    /// Responds with 200 and a hotel's log-in page.
    public static let captivePortal = fault("captive-portal")

    /// Sends nothing until the client gives up or `time` has passed; then the response follows, or the connection ends
    /// as `end` says.
    public static func hang(for time: Duration? = nil, then end: End? = nil) -> Effect {
      fault("hang", hold(time, end))
    }

    /// Sends a part of the body, and then hangs as in `hang(for:then:)`.
    public static func stall(at part: Fraction = .half, for time: Duration? = nil, then end: End? = nil) -> Effect {
      fault("stall", [JSONValue.Member("at", .string(part.text))] + hold(time, end))
    }

    /// Sends this number of events of a stream, at least 1, and then nothing, as in `hang(for:then:)`.
    public static func stall(afterEvents count: Int, for time: Duration? = nil, then end: End? = nil) -> Effect {
      fault("stall", events(count) + hold(time, end))
    }

    /// Closes the connection in the middle of the body.
    public static func truncate(at part: Fraction = .half) -> Effect {
      fault("truncate", [JSONValue.Member("at", .string(part.text))])
    }

    /// Closes the connection of a stream after this number of events, at least 1.
    public static func truncate(afterEvents count: Int) -> Effect { fault("truncate", events(count)) }

    /// Responds with an older state of the data.
    public static func stale(versions: Int = 1) -> Effect {
      fault("stale", [JSONValue.Member("versions", .int(versions))])
    }

    /// Sends the response slowly, in pieces of `chunk` bytes.
    public static func pace(bytesPerSecond: Int, chunk: Int = 64) -> Effect {
      Effect([JSONValue.Member("pace", ["bytesPerSecond": .int(bytesPerSecond), "chunk": .int(chunk)])])
    }

    /// Makes the whole sandbox unreachable: connections are reset.
    public static let offline = Effect([JSONValue.Member("offline", true)])

    /// Lets simulated other users book and release spots in the meantime, in each period.
    public static func rivals(every period: Duration, books: Int = 1) -> Effect {
      Effect([JSONValue.Member("rivals", ["every": .duration(period), "books": .int(books)])])
    }

    private static func events(_ count: Int) -> [JSONValue.Member] { [JSONValue.Member("events", .int(count))] }

    private static func hold(_ time: Duration?, _ end: End?) -> [JSONValue.Member] {
      var members: [JSONValue.Member] = []
      if let time { members.append(JSONValue.Member("for", .duration(time))) }
      if let end { members.append(JSONValue.Member("then", .string(end.rawValue))) }
      return members
    }
  }

  /// The end of a connection after a hang or a stall.
  public enum End: String, Sendable, Hashable {
    case reset, close
  }

  /// A part of a body, as a ratio of integers.
  public struct Fraction: Sendable, Hashable {
    let text: String

    public init(_ numerator: Int, of denominator: Int) { text = "\(numerator)/\(denominator)" }

    public static let half = Fraction(1, of: 2)
  }

  /// A distribution of delays.
  public struct Latency: Sendable, Equatable {
    let json: JSONValue

    public static func uniform(_ shortest: Duration, _ longest: Duration) -> Latency {
      Latency(json: ["uniform": [.duration(shortest), .duration(longest)]])
    }

    public static func normal(mean: Duration, deviation: Duration) -> Latency {
      Latency(json: ["normal": ["mean": .duration(mean), "deviation": .duration(deviation)]])
    }

    public static func lognormal(median: Duration, p99: Duration) -> Latency {
      Latency(json: ["lognormal": ["median": .duration(median), "p99": .duration(p99)]])
    }

    /// - Parameter points: Delays by percentile, in ascending order: `[50: .milliseconds(80), 99: .seconds(2)]`.
    public static func percentiles(_ points: KeyValuePairs<Int, Duration>) -> Latency {
      let members = points.map { JSONValue.Member("\($0.key)", .duration($0.value)) }
      return Latency(json: ["percentiles": .object(JSONValue.Object(members))])
    }
  }
}
