import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A client that blocks, for a thread of its own: one connection, one request after the other, until the server is gone.
final class Caller {
  struct Reply {
    let status: Int
    let body: String
  }

  fileprivate let descriptor: Int32
  private var received: [UInt8] = []

  /// Nil when nobody listens.
  init?(port: Int) {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { return nil }
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The reply as far as it came whole; nil when the server is gone before that.
  func ask(_ method: String, _ target: String, key: String? = nil, token: String? = nil, _ body: String = "") -> Reply?
  {
    var request = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n"
    if let key { request += "Idempotency-Key: \(key)\r\n" }
    if let token { request += "Authorization: Bearer \(token)\r\n" }
    guard send(Array((request + "\r\n" + body).utf8)) else { return nil }
    let blank = Array("\r\n\r\n".utf8)
    while true {
      if let end = received.firstRange(of: blank)?.upperBound { return reply(head: end) }
      guard receive() else { return nil }
    }
  }

  private func reply(head end: Int) -> Reply? {
    let lines = String(decoding: received[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
    while received.count < end + length { guard receive() else { return nil } }
    let body = String(decoding: received[end..<end + length], as: UTF8.self)
    received.removeSubrange(..<(end + length))
    guard let status = Int(lines[0].components(separatedBy: " ")[1]) else { return nil }
    return Reply(status: status, body: body)
  }

  fileprivate func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
        let count = unsafe rest.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
      #else
        let count = unsafe rest.withUnsafeBytes { unsafe Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
      #endif
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  fileprivate func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { received += buffer[..<count] }
    return count > 0
  }
}

extension Caller {
  /// How somebody leaves who does not wait for an answer.
  enum Leaving: CaseIterable, Sendable {
    /// FIN in both directions at once.
    case closes
    /// FIN, and what comes is still read to its end.
    case halfCloses
    case resets
  }

  func leave(after bytes: String, by leaving: Leaving) {
    _ = send(Array(bytes.utf8))
    switch leaving {
    case .closes: _ = shutdown(descriptor, Int32(SHUT_RDWR))
    case .halfCloses:
      _ = shutdown(descriptor, Int32(SHUT_WR))
      while receive() {}
    case .resets:
      var option = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }
}
