import HTTP1
import LiveTesting
import Report
import Testing

@testable import Primitives
@testable import Understudy

/// A received response, with its body delimited by `Content-Length`.
struct WireResponse {
  let head: String
  let status: Int
  /// The fields in the order received, with names in lower case.
  let fields: [(name: String, value: String)]
  var body: [UInt8] = []

  init(head: String) {
    self.head = head
    let lines = head.split(separator: "\r\n")
    status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    fields = lines.dropFirst().map { line in
      let sides = line.split(separator: ":", maxSplits: 1)
      return (sides[0].lowercased(), sides.count == 2 ? String(sides[1].drop { $0 == " " }) : "")
    }
  }

  subscript(name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }

  var text: String { String(decoding: body, as: UTF8.self) }

  var bodyLength: Int {
    (100..<200).contains(status) || status == 204 || status == 304 ? 0 : self["Content-Length"].flatMap { Int($0) } ?? 0
  }
}

/// Returns a request's bytes, with a Host and, if there is a body, its length.
func wire(
  _ method: String = "GET", _ target: String = "/devices", _ fields: String..., host: String? = "localhost",
  version: String = "1.1", body: String? = nil
) -> String {
  var lines = ["\(method) \(target) HTTP/\(version)"]
  if let host { lines.append("Host: \(host)") }
  lines += fields
  if let body { lines.append("Content-Length: \(body.utf8.count)") }
  return lines.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")
}

/// Returns a parsed request.
func parsed(_ text: String) throws -> Request {
  var parser = RequestParser()
  parser.receive(Array(text.utf8)[...])
  guard case .request = parser.next() else { throw WireConnection.Failure(description: "no complete request") }
  return parser.takeRequest()
}

/// Sends one request on a new connection and reads its response.
func exchange(_ server: MockServer, _ request: String, port: Int? = nil) throws -> WireResponse {
  let client = try WireConnection(port ?? server.port)
  try client.send(request)
  return try client.response(toHead: request.hasPrefix("HEAD "))
}

extension MockServer {
  /// Begins to stop the server, as `stop()` does, without waiting for the end.
  func beginStopping() { jobs.post { loop in loop.stop { _ in } } }

  /// Returns the number of open connections.
  func connectionCount() async -> Int { await ask { $0.connections.count } ?? 0 }

  /// Returns the number of bytes that all connections have yet to send.
  func unsentBytes() async -> Int { await ask { $0.connections.unsentBytes } ?? 0 }

  /// Returns true as soon as the condition holds after a turn of the loop, and false if it does not hold within the time
  /// limit.
  func becomes(_ condition: @escaping @Sendable (borrowing EventLoop) -> Bool) async -> Bool {
    let holds = Observed(false)
    jobs.post { loop in
      loop.addTurnObserver { loop in
        guard condition(loop) else { return false }
        holds.withLock { $0 = true }
        return true
      }
    }
    return await holds.becomes { $0 }
  }

  /// Returns true as soon as the condition holds for the entries of requests in the journal of the default sandbox, in
  /// the order of their arrival, and false if it does not hold within the time limit.
  func journalBecomes(_ condition: @escaping @Sendable ([Entry]) -> Bool) async -> Bool {
    await becomes { loop in
      let entries = loop.application.state.sandboxes[nil]?.traffic.journal.entries(after: 0, limit: .max) ?? []
      return condition(entries.filter { $0.outcome != .event }.sorted { $0.id < $1.id })
    }
  }
}
