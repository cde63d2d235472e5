public import Foundation

/// A client of the five APIs, which always tells its caller if a write was applied, was not applied, or may have been.
///
/// A client is cheap to copy: copies share the connections, the retry budget and the cached responses. Make one per
/// app. Every call can be cancelled by cancelling its task.
public struct BackendClient: Sendable {
  /// The replaceable parts of a client.
  public struct Configuration: Sendable {
    public var endpoints: Endpoints
    public var policy = RetryPolicy()
    public var budget = RetryBudget()
    public var transport: any Transport
    public var clock = ClientClock.system
    /// Returns a random number from 0 to 1, for jitter.
    public var random: @Sendable () -> Double = { .random(in: 0..<1) }
    /// Returns a new idempotency key for a booking.
    public var makeKey: @Sendable () -> String = { UUID().uuidString }
    /// The value of the `Understudy-Client` field, which identifies the requests of one client.
    public var id = UUID()

    public init(_ endpoints: Endpoints, transport: any Transport = URLSessionTransport()) {
      self.endpoints = endpoints
      self.transport = transport
    }
  }

  public let configuration: Configuration
  let memory: ClientMemory

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
  private var embargoes = RetryAfterCache()
  private let clock: ClientClock
  var weather: [String: WeatherQuestion] = [:]

  init(_ configuration: BackendClient.Configuration) {
    budget = configuration.budget
    clock = configuration.clock
  }

  func withdrawRetry() -> Bool { budget.withdraw(at: clock.elapsed()) }
  func depositSuccess() { budget.depositSuccess(at: clock.elapsed()) }
  func forbid(_ key: RetryAfterCache.Key, for duration: Duration) {
    embargoes.add(duration, on: key, at: clock.elapsed())
  }
  func embargo(on key: RetryAfterCache.Key) -> Duration? { embargoes.rest(on: key, at: clock.elapsed()) }
  func response(for url: URL) -> ResponseCache.Entry? { responses.entry(for: url) }
  func store(_ entry: ResponseCache.Entry, for url: URL) { responses.store(entry, for: url) }
}
