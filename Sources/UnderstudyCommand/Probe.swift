import HTTP1
import Platform
import Primitives

/// `understudy health`: sends one request to a server, like a container's health check.
struct Probe {
  /// The server's host as in its options; for a wildcard address the probe uses loopback.
  let host: String
  let port: Int

  /// The timeout of each step: connect, send, each read.
  private static let patience: Duration = .seconds(5)
  /// A longer response comes from another server.
  private static let maximumBytes = 64 << 10

  /// Returns the error as a sentence; nil if the server is healthy.
  func complaint() -> String? {
    let addresses = SocketAddress.resolve(address, port: port)
    guard let socket = try? ClientSocket.connected(toFirstOf: addresses, until: .now + Self.patience) else {
      return "no server accepts connections at \(address):\(port)"
    }
    let request = "GET /_mock/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    guard let bytes = bytes(after: request, on: socket) else {
      return "the server at \(address):\(port) did not respond"
    }
    let response = try? ReceivedResponse(bytes)
    guard response?.status == 200, let content = response?.content,
      String(decoding: content, as: UTF8.self).contains("\"status\":\"ok\"")
    else {
      let line = String(decoding: bytes.prefix { $0 != Byte.carriageReturn && $0 != Byte.lineFeed }, as: UTF8.self)
      return "the server at \(address):\(port) is not a healthy understudy: \(Self.shown(line))"
    }
    return nil
  }

  /// Returns a line of an unknown server for a terminal: shortened, and without control characters.
  private static func shown(_ line: String) -> String {
    String(String.UnicodeScalarView(line.unicodeScalars.prefix(120).map { (" "..."~").contains($0) ? $0 : "\u{FFFD}" }))
  }

  private var address: String {
    switch host {
    case "0.0.0.0", "*": "127.0.0.1"
    case "::", "[::]": "::1"
    default: host
    }
  }

  /// Sends the request, and reads until the server closes the connection; nil if it breaks or times out.
  private func bytes(after request: String, on socket: ClientSocket) -> [UInt8]? {
    guard socket.send(Array(request.utf8), until: .now + Self.patience) else { return nil }
    var received: [UInt8] = []
    while received.count < Self.maximumBytes {
      switch socket.receive(until: .now + Self.patience) {
      case .bytes(let bytes): received += bytes
      case .finished: return received.isEmpty ? nil : received
      case .reset, .silence, .unread: return nil
      }
    }
    return received
  }
}
