import Dispatch
import Foundation
import HTTP1
import JSON
import Platform
import Primitives

/// A client of the control API of a server or a sandbox.
///
/// Each request is HTTP/1.0 on its own connection, so that the response ends with the connection. It does not use
/// `URLSession`, because that would share connections with the code under test.
struct ControlClient: Sendable {
  /// The URL before `/_mock`.
  let base: BaseURL
  let token: String?

  /// The time limit of a control request.
  private static let limit = Duration.seconds(60)

  /// Sends a request, and returns the body of its response.
  @discardableResult
  func send(
    _ method: Backend.Method, _ path: String, _ body: JSONValue? = nil, accept: String = "application/json"
  ) async throws(BackendError) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await part in exchange(method, path, body, accept, within: Self.limit) { bytes += part }
    } catch let error as BackendError {
      throw error
    } catch {
      throw .unreachable("The server at \(base.authority) did not respond within \(Self.limit).")
    }
    guard !Task.isCancelled else { throw .cancelled }
    let response: ReceivedResponse
    do throws(ResponseError) {
      response = try ReceivedResponse(bytes)
    } catch {
      throw .unreachable("The server at \(base.authority) gave no complete response: \(error.reason)")
    }
    guard 200...299 ~= response.status else { throw Self.refusal(response.status, response.content) }
    return response.content
  }

  private static func refusal(_ status: Int, _ content: [UInt8]) -> BackendError {
    let problem = try? JSONValue(parsing: content)
    let errors = (problem?["errors"]?.array ?? []).compactMap { error in
      error["detail"]?.string.map { detail in (error["pointer"]?.string).map { "\($0): \(detail)" } ?? detail }
    }
    let detail = problem?["detail"]?.string ?? String(decoding: content.prefix(1_000), as: UTF8.self)
    return .refused(status: status, detail: errors.isEmpty ? detail : errors.joined(separator: "; "))
  }

  /// Returns the data of server-sent events as they arrive.
  ///
  /// - Parameter limit: The time after which the stream throws `LimitReached`; nil for never.
  func events(_ path: String, within limit: Duration?) -> AsyncThrowingStream<[UInt8], any Error> {
    let parts = exchange(.get, path, nil, "text/event-stream", within: limit)
    return AsyncThrowingStream { continuation in
      let reading = Task {
        do {
          var reader = EventReader()
          for try await part in parts {
            for event in try reader.events(in: part) { continuation.yield(Array(event.data.utf8)) }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in reading.cancel() }
    }
  }

  private func exchange(
    _ method: Backend.Method, _ path: String, _ body: JSONValue?, _ accept: String, within limit: Duration?
  ) -> AsyncThrowingStream<[UInt8], any Error> {
    let content = body?.bytes() ?? []
    var head = "\(method) \(base.path)\(path) HTTP/1.0\r\nHost: \(base.authority)\r\nAccept: \(accept)\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if body != nil { head += "Content-Type: application/json\r\nContent-Length: \(content.count)\r\n" }
    return Wire.exchange(Array((head + "\r\n").utf8) + content, with: base, within: limit)
  }
}

extension BaseURL {
  /// Parses the URL of a control API.
  init(of url: URL) throws(BackendError) {
    do throws(Defect) {
      try self.init(url.absoluteString)
    } catch {
      throw .unusable(error.description)
    }
    guard !isEncrypted else {
      throw .unusable("\(text): the control API is used over http, not https; give the server's own address and port.")
    }
  }

  /// Returns the URL of a sandbox: its label replaces those in the path.
  func sandbox(_ name: String) -> BaseURL {
    var base = self
    base.path = path.split(separator: "/").filter { !$0.hasPrefix("@") }.map { "/" + $0 }.joined() + "/@" + name
    return base
  }
}

/// Reads the events of a response as they arrive.
private struct EventReader {
  private var response = ResponseParser()
  private var events = EventStreamParser()
  /// The status and the content of a response that refuses the stream.
  private var refusal: (status: Int, content: [UInt8])?

  mutating func events(in bytes: [UInt8]) throws -> [ServerSentEvent] {
    response.receive(bytes)
    var found: [ServerSentEvent] = []
    while true {
      switch try response.next() {
      case .needsMore: return found
      case .interim: continue
      case .head(let head): if head.status != 200 { refusal = (head.status, []) }
      case .content(let bytes) where refusal == nil: found += try events.events(in: bytes)
      case .content(let bytes): refusal?.content += bytes
      case .end:
        guard let refusal else { return found }
        throw BackendError.refused(
          status: refusal.status, detail: String(decoding: refusal.content, as: UTF8.self))
      }
    }
  }
}

/// The error of an exchange that exceeded its time limit.
struct LimitReached: Error {}

/// Exchanges bytes over sockets.
private enum Wire {
  private static let connecting = DispatchQueue(label: "understudy.connecting", attributes: .concurrent)
  private static let reading = DispatchQueue(label: "understudy.reading")

  /// The time limit for connecting and for sending.
  private static let timeout = Duration.seconds(60)

  private static func connected(to base: BaseURL) throws(BackendError) -> ClientSocket {
    let addresses = SocketAddress.resolve(base.host, port: base.port)
    guard !addresses.isEmpty else { throw .unreachable("No address is known for \(base.host).") }
    do {
      return try ClientSocket.connected(toFirstOf: addresses, until: .now + timeout)
    } catch {
      throw .unreachable("No server answers at \(base.host):\(base.port): \(error.reason).")
    }
  }

  /// Sends a request on a new connection, and returns the received bytes until the server closes the connection.
  static func exchange(
    _ request: [UInt8], with base: BaseURL, within limit: Duration?
  ) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      connecting.async {
        let socket: ClientSocket
        do throws(BackendError) {
          socket = try connected(to: base)
        } catch {
          return continuation.finish(throwing: error)
        }
        // If the peer has closed the connection, reading reports it.
        _ = socket.send(request, until: .now + timeout)
        let channel = DispatchIO(type: .stream, fileDescriptor: socket.socket.descriptor, queue: reading) { _ in
          withExtendedLifetime(socket) {}
        }
        channel.setLimit(lowWater: 1)
        let timer = limit.map { limit in
          Task {
            try await Task.sleep(for: limit)
            continuation.finish(throwing: LimitReached())
          }
        }
        continuation.onTermination = { _ in
          timer?.cancel()
          channel.close(flags: .stop)
        }
        channel.read(offset: 0, length: .max, queue: reading) { isDone, data, code in
          if let data, !data.isEmpty { continuation.yield(Array(data)) }
          guard isDone else { return }
          let failure = code == 0 || code == ECANCELED ? nil : SystemError.reason(of: code)
          continuation.finish(throwing: failure.map { BackendError.unreachable("The connection broke: \($0).") })
        }
      }
    }
  }
}
