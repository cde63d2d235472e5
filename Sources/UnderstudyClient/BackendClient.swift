public import Foundation

/// A client of the five APIs, which always tells its caller if a write was applied, was not applied, or may have been.
///
/// A client is cheap to copy: copies share the connections, the retry budget and the cached responses. Make one per
/// app. Every call can be cancelled by cancelling its task: it then throws `CancellationError`, or
/// `RequestError.unknown(.cancelled)` if it is a write that may have been applied. All other errors of the calls are
/// `RequestError`s.
public struct BackendClient: Sendable {
  /// The replaceable parts of a client.
  public struct Configuration: Sendable {
    /// The URLs of the APIs.
    public var endpoints: Endpoints
    /// The decision about retries, with the timeouts.
    public var policy = RetryPolicy()
    /// The limit of the retries of all calls together.
    public var budget = RetryBudget()
    /// The connection to the server.
    public var transport: any Transport
    /// The source of time.
    public var clock = ClientClock.system
    /// Returns a random number from 0 to 1, for jitter.
    public var random: @Sendable () -> Double = { .random(in: 0..<1) }
    /// Returns a new idempotency key for a booking.
    public var makeKey: @Sendable () -> String = { UUID().uuidString }
    /// The value of the `Understudy-Client` field, which identifies the requests of one client.
    public var id = UUID()

    /// Creates a configuration with the defaults, which suit an app.
    public init(_ endpoints: Endpoints, transport: any Transport = URLSessionTransport()) {
      self.endpoints = endpoints
      self.transport = transport
    }
  }

  /// The parts that the client was made of.
  public let configuration: Configuration
  let memory: ClientMemory

  /// Creates a client with replaced parts.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    memory = ClientMemory(configuration)
  }

  /// Creates a client of one origin that serves all five APIs.
  public init(_ base: URL) { self.init(Configuration(Endpoints(base))) }

  var endpoints: Endpoints { configuration.endpoints }
}

/// The state that all copies of a client share.
actor ClientMemory {
  private var budget: RetryBudget
  private var responses = ResponseCache()
  private var retryAfterTimes = RetryAfterCache()
  private let clock: ClientClock
  var weather: [String: WeatherRequest] = [:]

  init(_ configuration: BackendClient.Configuration) {
    budget = configuration.budget
    clock = configuration.clock
  }

  func withdrawRetry() -> Bool { budget.withdraw(at: clock.elapsed()) }
  func depositSuccess() { budget.depositSuccess(at: clock.elapsed()) }
  func forbid(_ key: RetryAfterCache.Key, for duration: Duration) {
    retryAfterTimes.add(duration, on: key, at: clock.elapsed())
  }
  func retryAfter(on key: RetryAfterCache.Key) -> Duration? { retryAfterTimes.remaining(on: key, at: clock.elapsed()) }
  func response(for url: URL) -> ResponseCache.CachedResponse? { responses.response(for: url) }
  func store(_ response: ResponseCache.CachedResponse, for url: URL) { responses.store(response, for: url) }
}
