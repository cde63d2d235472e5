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
  private let server: LocalServer
  private let clock: ClientClock
  private var streams: [UUID: OpenStream] = [:]
  /// The connections of streams that a task waits to continue.
  private var resuming: Set<ObjectIdentifier> = []
  /// False if every request fails, as on a device without a network; see `setOnline(_:)`.
  public private(set) var isOnline = true

  private struct OpenStream {
    let connection: LocalConnection
    /// Reads its response, from the content on.
    var parser: ResponseParser
    let body: AsyncThrowingStream<Data, any Error>.Continuation
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

  /// Simulates a device with or without a network, from the next request on. Going offline ends open streams.
  public func setOnline(_ isOnline: Bool) {
    self.isOnline = isOnline
    guard !isOnline else { return }
    for stream in streams.values { stream.body.finish(throwing: TransportFailure.lost(.offline)) }
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
    let response = try? Self.response(connection, to: request)
    guard response?.status == 200 else {
      throw .badScenario(String(decoding: response?.body ?? Data(), as: UTF8.self))
    }
  }

  public func send(
    _ request: TransportRequest, timeout: Duration
  ) async throws(TransportFailure) -> TransportResponse {
    let connection = try begin(request)
    try await wait(for: connection, within: timeout) { false }
    return try Self.response(connection, to: request)
  }

  public func open(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportStream {
    let connection = try begin(request)
    try await wait(for: connection, within: timeout) { connection.isStreaming }
    var parser = ResponseParser()
    if connection.isStreaming { parser.receive(connection.takeReceived()) }
    guard connection.isStreaming, case .head(let head)? = try? parser.next() else {
      let response = try Self.response(connection, to: request)
      let (pieces, body) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
      body.yield(response.body)
      body.finish()
      return TransportStream(status: response.status, headers: response.headers, body: pieces)
    }
    return TransportStream(status: head.status, headers: head.dictionary, body: stream(connection, parser))
  }

  /// Returns the content of a stream, which goes on as the server sends it.
  private func stream(_ connection: LocalConnection, _ parser: ResponseParser) -> AsyncThrowingStream<Data, any Error> {
    let (pieces, body) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
    let id = UUID()
    streams[id] = OpenStream(connection: connection, parser: parser, body: body)
    body.onTermination = { [weak self] _ in Task { await self?.leaveStream(id) } }
    follow()
    return pieces
  }

  private func begin(_ request: TransportRequest) throws(TransportFailure) -> LocalConnection {
    guard isOnline else { throw .notSent(.offline) }
    let connection = server.begin(Self.message(request))
    follow()
    return connection
  }

  /// Passes the new bytes of each stream on to its reader.
  private func follow() {
    for (id, stream) in streams {
      stream.connection.follow()
      streams[id]?.parser.receive(stream.connection.takeReceived())
      while case .content(let bytes)? = try? streams[id]?.parser.next() { stream.body.yield(Data(bytes)) }
      if let wait = stream.connection.wait { resume(stream.connection, after: wait) }
      switch stream.connection.end {
      case nil: break
      case .closed: stream.body.finish()
      case .reset: stream.body.finish(throwing: TransportFailure.lost(.connectionLost("The connection was reset.")))
      }
    }
  }

  /// Continues a stream when the silence that its plan imposes is over.
  private func resume(_ connection: LocalConnection, after wait: Duration) {
    guard resuming.insert(ObjectIdentifier(connection)).inserted else { return }
    Task { [clock] in
      try? await clock.sleep(wait)
      resuming.remove(ObjectIdentifier(connection))
      connection.resume()
      follow()
    }
  }

  private func leaveStream(_ id: UUID) { streams.removeValue(forKey: id)?.connection.leave() }

  /// Waits until the connection has ended or the condition holds.
  private func wait(
    for connection: LocalConnection, within timeout: Duration, until isSo: () -> Bool
  ) async throws(TransportFailure) {
    let deadline = clock.elapsed() + timeout
    while connection.end == nil, !isSo() {
      let rest = deadline - clock.elapsed()
      guard rest > .zero else {
        connection.leave()
        throw .lost(.timedOut)
      }
      do {
        try await clock.sleep(min(connection.wait ?? rest, rest))
      } catch {
        connection.leave()
        throw .lost(.cancelled)
      }
      connection.resume()
      follow()
    }
  }

  /// Returns a request as bytes.
  private static func message(_ request: TransportRequest) -> [UInt8] {
    let (url, body) = (request.url, request.body ?? Data())
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
    var head = "\(request.method) \(path.isEmpty ? "/" : path)\(query) HTTP/1.1\r\n"
    head += "Host: \(url.host(percentEncoded: true) ?? "localhost")\(url.port.map { ":\($0)" } ?? "")\r\n"
    for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
    if request.body != nil { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "Connection: close\r\n\r\n").utf8) + body
  }

  /// Parses the response of a connection that has ended.
  private static func response(
    _ connection: LocalConnection, to request: TransportRequest
  ) throws(TransportFailure) -> TransportResponse {
    let response: ReceivedResponse
    do throws(ResponseError) {
      response = try ReceivedResponse(connection.received, toHead: request.method == "HEAD")
    } catch {
      throw .lost(.connectionLost(error.reason))
    }
    guard connection.end == .closed else { throw .lost(.connectionLost(ResponseError.cut.reason)) }
    return TransportResponse(
      status: response.status, headers: response.head.dictionary, body: Data(response.content))
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
    guard isOnline else { throw .offline }
    let connection = server.begin(Self.message(request))
    follow()
    var parser = ResponseParser(toHead: request.method == "HEAD")
    var deadline = clock.elapsed() + idleTimeout
    while true {
      let bytes = connection.takeReceived()
      if !bytes.isEmpty { deadline = clock.elapsed() + idleTimeout }
      parser.receive(bytes)
      if let end = connection.end { parser.finish(isBroken: end == .reset) }
      guard try Self.deliver(&parser, connection.end, deliver) else { return }
      if connection.isStreaming { return try await follow(connection, parser, deliver) }
      let rest = deadline - clock.elapsed()
      guard rest > .zero else {
        connection.leave()
        throw .timedOut
      }
      do {
        try await clock.sleep(min(connection.wait ?? rest, rest))
      } catch {
        connection.leave()
        throw .cancelled
      }
      guard isOnline else {
        connection.leave()
        throw .broken
      }
      connection.resume()
      follow()
    }
  }

  /// Delivers what has arrived.
  ///
  /// - Returns: False if the response is complete.
  private static func deliver(
    _ parser: inout ResponseParser, _ end: LocalConnection.End?, _ deliver: (Part) -> Void
  ) throws(InMemoryFailure) -> Bool {
    do throws(ResponseError) {
      while true {
        switch try parser.next() {
        case .interim: continue
        case .head(let head): deliver(.head(status: head.status, headers: head.dictionary))
        case .content(let bytes): deliver(.content(Data(bytes)))
        case .needsMore: return true
        case .end: return false
        }
      }
    } catch {
      throw end == .reset ? .broken : .response(error)
    }
  }

  /// Delivers an event stream until it ends.
  private func follow(
    _ connection: LocalConnection, _ parser: ResponseParser, _ deliver: @Sendable (Part) -> Void
  ) async throws(InMemoryFailure) {
    do {
      for try await piece in stream(connection, parser) { deliver(.content(piece)) }
    } catch {
      throw .broken
    }
    if Task.isCancelled { throw .cancelled }
  }
}

/// The reason for which a request to a server in memory has no complete response.
enum InMemoryFailure: Error {
  case offline, timedOut, cancelled
  /// The connection was reset, or the network was switched off.
  case broken
  /// The bytes are no complete response.
  case response(ResponseError)
}

extension ReceivedHead {
  /// The fields by their names as sent.
  fileprivate var dictionary: [String: String] {
    Dictionary(fields.map { (text($0.name), text($0.value)) }) { first, second in first + ", " + second }
  }
}
