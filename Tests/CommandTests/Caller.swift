import HTTP1
import LiveTesting

/// A blocking client for its own thread: one connection, one request after the other, until the server has ended.
final class Caller {
  struct Response {
    let status: Int
    let body: String
  }

  fileprivate let link: Link
  private var parser = ResponseParser()

  /// Nil if the server does not listen.
  init?(port: Int) {
    guard let link = Link(to: port) else { return nil }
    self.link = link
  }

  /// Returns the response; nil if the server ended before it was complete.
  func ask(_ method: String, _ target: String, key: String? = nil, token: String? = nil, _ body: String = "")
    -> Response?
  {
    var request = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n"
    if let key { request += "Idempotency-Key: \(key)\r\n" }
    if let token { request += "Authorization: Bearer \(token)\r\n" }
    guard link.send(Array((request + "\r\n" + body).utf8)) else { return nil }
    parser.begin(toHead: false)
    var (status, content): (Int, [UInt8]) = (0, [])
    while true {
      switch try? parser.next() {
      case .needsMore:
        guard link.receive() else { return nil }
        parser.receive(link.received)
        link.drop(link.received.count)
      case .interim: continue
      case .head(let head): status = head.status
      case .content(let bytes): content += bytes
      case .end: return Response(status: status, body: String(decoding: content, as: UTF8.self))
      case nil: return nil
      }
    }
  }
}

extension Caller {
  /// The way in which a client ends its connection without waiting for the response.
  enum Leaving: CaseIterable, Sendable {
    /// FIN in both directions at once.
    case closes
    /// FIN; the response is still read to its end.
    case halfCloses
    case resets
  }

  func leave(after bytes: String, by leaving: Leaving) {
    link.send(Array(bytes.utf8))
    switch leaving {
    case .closes: link.shut()
    case .halfCloses:
      link.finishWriting()
      while link.receive() {}
    case .resets: link.resetAtEnd()
    }
  }
}
