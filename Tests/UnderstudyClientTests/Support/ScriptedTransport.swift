import Foundation

@testable import UnderstudyClient

/// A transport that gives scripted responses, and records the requests.
actor ScriptedTransport: Transport {
  typealias Answer = Result<TransportResponse, TransportFailure>

  private var answers: [Answer]
  private let handler: (@Sendable (TransportRequest, Int) async -> Answer)?
  private(set) var requests: [TransportRequest] = []

  /// Gives these answers in turn, and repeats the last one.
  init(_ answers: Answer...) {
    self.answers = answers
    handler = nil
  }

  /// Answers by a function of the request and its number, counted from 1.
  init(_ handler: @escaping @Sendable (TransportRequest, Int) async -> Answer) {
    answers = []
    self.handler = handler
  }

  func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
    requests.append(request)
    if Task.isCancelled { throw .lost(.cancelled) }
    if let handler { return try await handler(request, requests.count).get() }
    return try (answers.count > 1 ? answers.removeFirst() : answers[0]).get()
  }
}

extension ScriptedTransport.Answer {
  static func response(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) -> Self {
    .success(TransportResponse(status: status, headers: headers, body: Data(body.utf8)))
  }

  static var lost: Self { .failure(.lost(.connectionLost("cut"))) }
  static var offline: Self { .failure(.notSent(.offline)) }
}

/// A transport that can be replaced, as when a device loses its network.
actor SwitchedTransport: Transport {
  private var transport: any Transport

  init(_ transport: any Transport) { self.transport = transport }

  func change(to transport: any Transport) { self.transport = transport }

  func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
    try await transport.send(request, timeout: timeout)
  }
}

/// The clock of a test. Only sleeps advance it, without waiting.
final class TestClock: @unchecked Sendable {
  private let lock = NSLock()
  private var now = Duration.seconds(1_000)
  private var naps: [Duration] = []

  var slept: [Duration] { lock.withLock { naps } }

  func advance(by duration: Duration) { lock.withLock { now += duration } }

  var clock: ClientClock {
    ClientClock(
      elapsed: { self.lock.withLock { self.now } },
      date: { Date(timeIntervalSince1970: 1_700_000_000 + self.lock.withLock { self.now }.inSeconds) },
      sleep: { duration in
        try Task.checkCancellation()
        self.lock.withLock {
          self.naps.append(duration)
          self.now += duration
        }
        await Task.yield()
      })
  }
}

/// A barrier that waiting tasks pass once it is open.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func pass() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }
}

extension BackendClient {
  /// Returns a client of a transport, with a test's clock and constant jitter: every random fraction is one half.
  static func scripted(
    _ transport: any Transport, _ clock: TestClock = TestClock(),
    _ change: (inout Configuration) -> Void = { _ in }
  ) throws -> BackendClient {
    var configuration = Configuration(Endpoints(try url("http://test.example/@ci-42")), transport: transport)
    configuration.clock = clock.clock
    configuration.random = { 0.5 }
    change(&configuration)
    return BackendClient(configuration)
  }
}

/// Returns the error of a body as that of a request; nil if it throws none.
func requestError(_ body: () async throws -> Void) async -> RequestError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? RequestError
  }
}

extension ScriptedTransport {
  /// Creates a transport to a server whose requests wait at a gate.
  ///
  /// - Parameter arrived: Opened by the first request.
  init(to server: DeviceServer, after gate: Gate, arrived: Gate) {
    self.init { request, _ in
      await arrived.open()
      await gate.pass()
      return await server.answer(request)
    }
  }
}

struct NoURL: Error {}

func url(_ text: String) throws -> URL {
  guard let url = URL(string: text) else { throw NoURL() }
  return url
}

/// Weather reports for scripts.
enum WeatherText {
  static func report(_ temperature: Double) -> String {
    """
    {"consolidated_weather": [{"id": 4925117003825152, "weather_state_name": "Clear", "the_temp": \(temperature),
      "min_temp": 1, "max_temp": 40.5, "humidity": 68, "wind_speed": 7.4, "air_pressure": 1019.5,
      "applicable_date": "2019-11-29"}],
     "time": "2019-11-29T18:54:00.000000+08:00", "sun_rise": "2019-11-29T06:43:07.118204+08:00",
     "sun_set": "2019-11-29T17:38:41.577122+08:00", "title": "Hong Kong", "latt_long": "22.2,114.1",
     "timezone": "Asia/Hong_Kong"}
    """
  }
}
