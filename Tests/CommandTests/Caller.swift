import Foundation
import LiveTesting

/// A blocking client for its own thread: one connection, one request after the other, until the server has ended.
final class Caller {
  struct Response {
    let status: Int
    let body: String
  }

  fileprivate let link: Link

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
    let blank = Array("\r\n\r\n".utf8)
    while true {
      if let end = link.received.firstRange(of: blank)?.upperBound { return response(head: end) }
      guard link.receive() else { return nil }
    }
  }

  private func response(head end: Int) -> Response? {
    let lines = String(decoding: link.received[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
    while link.received.count < end + length { guard link.receive() else { return nil } }
    let body = String(decoding: link.received[end..<end + length], as: UTF8.self)
    link.drop(end + length)
    guard let status = Int(lines[0].components(separatedBy: " ")[1]) else { return nil }
    return Response(status: status, body: body)
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
