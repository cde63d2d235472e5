import Foundation
import HTTP1
import JSON
import Platform
import Primitives
import Understudy

/// A client of the control API of a server or a sandbox.
///
/// It does not use `URLSession`, because that would share connections with the code under test.
struct ControlClient: Sendable {
  /// The URL before `/_mock`.
  let base: BaseURL
  let token: String?

  /// The time limit for connecting and sending, and for a response that is no stream.
  private static let limit = Duration.seconds(60)

  /// Sends a request, and returns the body of its response.
  @discardableResult
  func send(
    _ method: Backend.Method, _ path: String, _ body: JSONValue? = nil, accept: String = "application/json"
  ) async throws(BackendError) -> [UInt8] {
    let responses = exchange(method, path, body, accept) { socket, continuation in
      continuation.yield(try socket.response(until: .now + Self.limit, atMost: .max))
    }
    do {
      for try await response in responses where !Task.isCancelled {
        guard 200...299 ~= response.status else { throw Self.refusal(response.status, response.content) }
        return response.content
      }
    } catch {
      // A cancelled task shuts the socket down, so that its reader may fail first.
      guard !Task.isCancelled else { throw .cancelled }
      guard let error = error as? BackendError else {
        throw .unreachable("The server at \(base.authority) did not respond within \(Self.limit).")
      }
      throw error
    }
    throw .cancelled
  }

  private static func refusal(_ status: Int, _ content: [UInt8]) -> BackendError {
    let problem = try? JSONValue(parsing: content)
    let errors = (problem?["errors"]?.array ?? []).compactMap { error in
      error["detail"]?.string.map { detail in (error["pointer"]?.string).map { "\($0): \(detail)" } ?? detail }
    }
    let detail = problem?["detail"]?.string ?? String(decoding: content.prefix(1_000), as: UTF8.self)
    return .refused(status: status, detail: errors.isEmpty ? detail : errors.joined(separator: "; "))
  }

  /// Returns a stream's events as they arrive.
  ///
  /// - Parameters:
  ///   - limit: The time after which the stream throws `ServerCall.Failure.late`.
  ///   - value: Returns the value of an event's data.
  func events<Value: Sendable>(
    _ path: String, within limit: Duration, _ value: @escaping @Sendable ([UInt8]) throws(BackendError) -> Value
  ) -> AsyncThrowingStream<Value, any Error> {
    exchange(.get, path, nil, "text/event-stream") { socket, continuation in
      let deadline = Deadline.now + limit
      var reader = EventReader()
      while let bytes = try socket.next(until: deadline) {
        for event in try reader.events(in: bytes) { continuation.yield(try value(Array(event.data.utf8))) }
      }
    }
  }

  /// Sends a request, and reads its response on a thread of its own, since a stream may last for long.
  private func exchange<Value>(
    _ method: Backend.Method, _ path: String, _ body: JSONValue?, _ accept: String,
    reading: @escaping @Sendable (ClientSocket, AsyncThrowingStream<Value, any Error>.Continuation) throws -> Void
  ) -> AsyncThrowingStream<Value, any Error> {
    var fields = ["Host: \(base.authority)", "Accept: \(accept)"]
    if let token { fields.append("Authorization: Bearer \(token)") }
    if body != nil { fields.append("Content-Type: application/json") }
    let call = ServerCall(
      method.rawValue, base.path + path, at: base.host, port: base.port, fields: fields, content: body?.bytes())
    return AsyncThrowingStream { continuation in
      Thread.detachNewThread {
        do {
          let socket = try call.begin(until: .now + Self.limit)
          continuation.onTermination = { _ in socket.socket.shutDown() }
          try reading(socket, continuation)
          continuation.finish()
        } catch let failure as ServerCall.Failure {
          continuation.finish(throwing: error(of: failure))
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
  }

  private func error(of failure: ServerCall.Failure) -> any Error {
    switch failure {
    case .unknownHost: BackendError.unreachable("No address is known for \(base.host).")
    case .refused(let error):
      BackendError.unreachable("No server answers at \(base.host):\(base.port): \(error.reason).")
    case .reset: BackendError.unreachable("The connection broke: \(SystemError.reason(of: ECONNRESET)).")
    case .late: failure
    case .malformed(let error, _):
      BackendError.unreachable("The server at \(base.authority) gave no complete response: \(error.reason)")
    }
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
