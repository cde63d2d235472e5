import Contract
import Foundation
import HTTP1
import JSON
public import Understudy
public import UnderstudyClient

/// A transport to a server in the same process, without a port, for previews and unit tests.
///
/// The server is the same as behind a port, with the same data, faults and control API, whose paths begin with
/// `/_mock`. A request selects its API by path or host, so the base URLs may be those of the real services.
public actor InMemoryTransport: Transport {
  /// The longest pause of an open stream, after which schedules and rivals take effect, and a heartbeat may be due.
  private static let streamInterval = Duration.seconds(1)
  /// A stream that `open` has returned fails after this time without a byte, as with a `URLSession`.
  private static let streamTimeout = Duration.seconds(45)

  private let server: LocalServer
  private let clock: ClientClock
  /// The pauses of the exchanges in progress.
  private var pauses: [UUID: Pause] = [:]
  /// The number of times that the network was switched off.
  private var outageCount = 0
  /// False if every request fails, as on a device without a network; see `setOnline(_:)`.
  public private(set) var isOnline = true

  private struct Pause {
    let sleep: Task<Void, any Error>
    let isOfStream: Bool
  }

  /// An exchange in progress.
  private struct Exchange {
    let connection: LocalConnection
    var parser: ResponseParser
    /// The value of `outageCount` when it began.
    let outageCount: Int
    /// The time at which it fails.
    var deadline: Duration
    /// The time from each byte to a new deadline; nil if the deadline is that of the whole exchange.
    var idleTimeout: Duration?
  }

  /// Creates a transport to a server of its own, with the initial data.
  ///
  /// - Parameters:
  ///   - scenario: The faults: the name of a built-in scenario, the path of a JSON file, or a scenario as JSON.
  ///   - seed: The seed of every decision, at most 2^53 - 1.
  ///   - clock: The server's time. With a clock whose `sleep` only advances it, planned delays take no real time.
  /// - Throws: `StartError`, if there is no such scenario or it is invalid.
  public init(scenario: String = "calm", seed: UInt64 = 1, clock: ClientClock = .system) throws(StartError) {
    self.clock = clock
    server = try LocalServer(
      scenario: scenario, seed: seed, elapsed: clock.elapsed,
      instant: { [date = clock.date] in
        Instant(seconds: 0) + .nanoseconds(Int64(date().timeIntervalSince1970 * 1e9))
      })
  }

  /// Simulates a device with or without a network. Going offline ends running requests and open streams at once.
  public func setOnline(_ isOnline: Bool) {
    self.isOnline = isOnline
    guard !isOnline else { return }
    outageCount += 1
    for pause in pauses.values { pause.sleep.cancel() }
  }

  /// Changes the faults, from the next request on. The rules' counts of requests and time restart.
  ///
  /// - Parameter scenario: The name of a built-in scenario, or a scenario as JSON.
  /// - Throws: `StartError`, if there is no such scenario or it is invalid; then the previous scenario stays.
  public func setScenario(_ scenario: String) async throws(StartError) {
    let body = scenario.drop(while: \.isWhitespace).first == "{" ? scenario : JSONValue.string(scenario).text
    guard let url = URL(string: "http://localhost/_mock/scenario") else { return }
    let request = TransportRequest(method: "PUT", url: url, body: Data(body.utf8))
    let connection = server.begin(Self.message(request))
    defer { connection.leave() }
    let response = try? ReceivedResponse(connection.received, toHead: false)
    guard response?.status == 200 else {
      throw .badScenario(String(decoding: response?.content ?? [], as: UTF8.self))
    }
  }

  public func send(
    _ request: TransportRequest, timeout: Duration
  ) async throws(TransportFailure) -> TransportResponse {
    do throws(InMemoryFailure) {
      var exchange = try begin(request, within: timeout)
      var response: TransportResponse?
      while let part = try await next(&exchange) {
        switch part {
        case .head(let status, let headers): response = TransportResponse(status: status, headers: headers)
        case .content(let bytes): response?.body.append(bytes)
        }
      }
      guard let response else { throw .response(.empty) }
      return response
    } catch {
      throw error.transportFailure
    }
  }

  public func open(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportStream {
    do throws(InMemoryFailure) {
      var exchange = try begin(request, within: timeout)
      guard case .head(let status, let headers)? = try await next(&exchange) else { throw .response(.empty) }
      exchange.idleTimeout = Self.streamTimeout
      exchange.deadline = clock.elapsed() + Self.streamTimeout
      let (pieces, body) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
      let passing = Task { [exchange] in await pass(exchange, to: body) }
      body.onTermination = { _ in passing.cancel() }
      return TransportStream(status: status, headers: headers, body: pieces)
    } catch {
      throw error.transportFailure
    }
  }

  /// Passes the content of a response on until it ends.
  private func pass(_ exchange: Exchange, to body: AsyncThrowingStream<Data, any Error>.Continuation) async {
    var exchange = exchange
    do throws(InMemoryFailure) {
      while case .content(let bytes)? = try await next(&exchange) { body.yield(bytes) }
      body.finish()
    } catch {
      body.finish(throwing: error.transportFailure)
    }
  }

  private func begin(
    _ request: TransportRequest, within timeout: Duration, isIdleTimeout: Bool = false
  ) throws(InMemoryFailure) -> Exchange {
    guard isOnline else { throw .offline }
    let connection = server.begin(Self.message(request))
    wakeStreams()
    return Exchange(
      connection: connection, parser: ResponseParser(toHead: request.method == "HEAD"), outageCount: outageCount,
      deadline: clock.elapsed() + timeout, idleTimeout: isIdleTimeout ? timeout : nil)
  }

  /// Waits for the next part of a response.
  ///
  /// - Returns: Nil if the response is complete.
  private func next(_ exchange: inout Exchange) async throws(InMemoryFailure) -> Part? {
    while true {
      let bytes = exchange.connection.takeReceived()
      if !bytes.isEmpty, let timeout = exchange.idleTimeout { exchange.deadline = clock.elapsed() + timeout }
      exchange.parser.receive(bytes)
      let end = exchange.connection.end
      if let end { exchange.parser.finish(isBroken: end == .reset) }
      do throws(ResponseError) {
        switch try exchange.parser.next() {
        case .interim: continue
        case .head(let head): return .head(status: head.status, headers: head.dictionary)
        case .content(let bytes): return .content(Data(bytes))
        case .end:
          exchange.connection.leave()
          return nil
        case .needsMore: break
        }
      } catch {
        // As a session does, which closes the connection: the server may still be sending.
        exchange.connection.leave()
        throw end == .reset ? .reset : .response(error)
      }
      try await pause(exchange)
    }
  }

  /// Waits until the server may have more of a response, and continues it.
  private func pause(_ exchange: Exchange) async throws(InMemoryFailure) {
    let connection = exchange.connection
    do throws(InMemoryFailure) {
      let rest = exchange.deadline - clock.elapsed()
      guard rest > .zero else { throw .timedOut }
      // The network may have been switched off since the last pause.
      if exchange.outageCount == outageCount {
        let longest = connection.isStreaming ? min(rest, Self.streamInterval) : rest
        await sleep(min(connection.wait ?? longest, longest), isOfStream: connection.isStreaming)
      }
      if Task.isCancelled { throw .cancelled }
      guard exchange.outageCount == outageCount else { throw .networkLost }
    } catch {
      connection.leave()
      throw error
    }
    connection.resume()
    guard connection.isStreaming else { return wakeStreams() }
    server.runMaintenance()
    connection.follow()
  }

  private func sleep(_ duration: Duration, isOfStream: Bool) async {
    let sleep = Task { [clock] in
      try await clock.sleep(duration)
      // With a clock that sleeps advance, an open stream would otherwise make time fly.
      if isOfStream { try await Task.sleep(for: .milliseconds(50)) }
    }
    let id = UUID()
    pauses[id] = Pause(sleep: sleep, isOfStream: isOfStream)
    defer { pauses[id] = nil }
    await withTaskCancellationHandler {
      _ = await sleep.result
    } onCancel: {
      sleep.cancel()
    }
  }

  /// Ends the pauses of open streams, because a request may have changed what they follow.
  private func wakeStreams() {
    for pause in pauses.values where pause.isOfStream { pause.sleep.cancel() }
  }

  /// Returns a request as bytes.
  private static func message(_ request: TransportRequest) -> [UInt8] {
    let (url, body) = (request.url, request.body ?? Data())
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
    let given = request.headers.first { $0.key.lowercased() == "host" }?.value
    var head = "\(request.method) \(path.isEmpty ? "/" : path)\(query) HTTP/1.1\r\n"
    head += "Host: \(given ?? authority(url))\r\n"
    for (name, value) in request.headers.sorted(by: { $0.key < $1.key })
    where !fieldsOfConnections.contains(name.lowercased()) {
      head += "\(name): \(value)\r\n"
    }
    if request.body != nil { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + body
  }

  /// The fields that a session writes by itself, whatever its app has set.
  private static let fieldsOfConnections: Set = ["connection", "content-length", "host", "transfer-encoding"]

  /// Returns the value of the `Host` field. `URL` gives an IPv6 address without its brackets.
  private static func authority(_ url: URL) -> String {
    let host = url.host(percentEncoded: true) ?? "localhost"
    let isBare = host.contains(":") && !host.hasPrefix("[")
    return (isBare ? "[\(host)]" : host) + (url.port.map { ":\($0)" } ?? "")
  }
}

extension InMemoryTransport {
  /// A part of a response.
  enum Part: Sendable {
    case head(status: Int, headers: [String: String])
    case content(Data)
  }

  /// Performs a request as a session does: each part of the response is delivered when it arrives.
  ///
  /// - Parameter idleTimeout: The time without a byte after which the request fails.
  func load(
    _ request: TransportRequest, idleTimeout: Duration, deliver: @Sendable (Part) -> Void
  ) async throws(InMemoryFailure) {
    var exchange = try begin(request, within: idleTimeout, isIdleTimeout: true)
    while let part = try await next(&exchange) { deliver(part) }
  }
}

/// The reason for which a request to a server in memory has no complete response.
enum InMemoryFailure: Error {
  case offline, timedOut, cancelled
  /// The network was switched off during the request.
  case networkLost
  /// The connection was reset.
  case reset
  /// The bytes are no complete response.
  case response(ResponseError)

  fileprivate var transportFailure: TransportFailure {
    switch self {
    case .offline: .notSent(.offline)
    case .timedOut: .lost(.timedOut)
    case .cancelled: .lost(.cancelled)
    case .networkLost: .lost(.offline)
    case .reset: .lost(.connectionLost("The connection was reset."))
    case .response(let error): .lost(.connectionLost(error.reason))
    }
  }
}

extension ReceivedHead {
  /// The fields by their names as sent.
  fileprivate var dictionary: [String: String] {
    Dictionary(fields.map { (text($0.name), text($0.value)) }) { first, second in first + ", " + second }
  }
}
