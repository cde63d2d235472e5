import Dispatch
import Foundation
import JSON
import Platform

/// A client of the control API of a server or a sandbox.
///
/// Each request is HTTP/1.0 on its own connection, so that the response ends with the connection. It does not use
/// `URLSession`, because that would share connections with the code under test.
struct ControlClient: Sendable {
  let origin: Origin
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
      throw .unreachable("The server at \(origin.authority) did not respond within \(Self.limit).")
    }
    guard !Task.isCancelled else { throw .cancelled }
    guard let head = Head(bytes) else { throw .unreachable(incompleteResponse) }
    let content = Array(bytes[head.end...])
    guard head.contentLength ?? content.count == content.count else { throw .unreachable(incompleteResponse) }
    guard 200...299 ~= head.status else { throw Self.refusal(head.status, content) }
    return content
  }

  private var incompleteResponse: String {
    "The server at \(origin.authority) closed the connection before its response was complete; it may have stopped."
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
          var parser = EventParser()
          for try await part in parts {
            for event in try parser.events(in: part) { continuation.yield(event) }
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
    var head = "\(method) \(origin.path)\(path) HTTP/1.0\r\nHost: \(origin.authority)\r\nAccept: \(accept)\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if body != nil { head += "Content-Type: application/json\r\nContent-Length: \(content.count)\r\n" }
    return Wire.exchange(Array((head + "\r\n").utf8) + content, with: origin, within: limit)
  }
}

/// The start of a response.
private struct Head {
  let status: Int
  let contentLength: Int?
  /// The index of the first byte of the content.
  let end: Int

  /// Returns nil if the blank line has not arrived yet.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else { return nil }
    let field = lines.first { $0.lowercased().hasPrefix("content-length:") }
    contentLength = field.flatMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
    self.status = status
    self.end = end
  }
}

/// Parses server-sent events (HTML standard §9.2), as far as the server uses that format.
private struct EventParser {
  private var buffer: [UInt8] = []
  private var isInContent = false

  mutating func events(in bytes: [UInt8]) throws(BackendError) -> [[UInt8]] {
    buffer += bytes
    if !isInContent {
      guard let head = Head(buffer) else { return [] }
      guard head.status == 200 else {
        throw .refused(status: head.status, detail: String(decoding: buffer[head.end...], as: UTF8.self))
      }
      buffer.removeFirst(head.end)
      isInContent = true
    }
    var events: [[UInt8]] = []
    while let end = buffer.firstRange(of: [0x0A, 0x0A]) {
      for line in buffer[..<end.lowerBound].split(separator: 0x0A) where line.starts(with: Self.prefix) {
        events.append(Array(line.dropFirst(Self.prefix.count)))
      }
      buffer.removeFirst(end.upperBound)
    }
    return events
  }

  private static let prefix = Array("data: ".utf8)
}

/// The error of an exchange that exceeded its time limit.
struct LimitReached: Error {}

/// Exchanges bytes over sockets.
private enum Wire {
  private static let connecting = DispatchQueue(label: "understudy.connecting", attributes: .concurrent)
  private static let reading = DispatchQueue(label: "understudy.reading")

  /// The time limit for connecting and for sending.
  private static let timeout = Duration.seconds(60)

  private static func connected(to origin: Origin) throws(BackendError) -> ClientSocket {
    let addresses = SocketAddress.resolve(origin.host, port: origin.port)
    guard !addresses.isEmpty else { throw .unreachable("No address is known for \(origin.host).") }
    do {
      return try ClientSocket.connected(toFirstOf: addresses, until: .now + timeout)
    } catch {
      throw .unreachable("No server answers at \(origin.host):\(origin.port): \(error.reason).")
    }
  }

  /// Sends a request on a new connection, and returns the received bytes until the server closes the connection.
  static func exchange(
    _ request: [UInt8], with origin: Origin, within limit: Duration?
  ) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      connecting.async {
        let socket: ClientSocket
        do throws(BackendError) {
          socket = try connected(to: origin)
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
