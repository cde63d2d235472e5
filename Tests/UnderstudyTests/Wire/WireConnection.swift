import LiveTesting
import Platform

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A client that sends exactly the given bytes, and distinguishes FIN, RST and silence.
///
/// It blocks, but every call has a timeout, so that no test can hang.
final class WireConnection {
  /// Nil after the connection was closed at this end.
  private var socket: ClientSocket?
  /// The bytes that were received and not consumed yet.
  private var received: [UInt8] = []

  /// An unexpected event on the network.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Connects to this machine.
  ///
  /// - Parameters:
  ///   - receiveBuffer: The size of the kernel's receive buffer in bytes, so that the peer's output soon blocks.
  ///   - isV6: True to connect to `::1` instead of `127.0.0.1`.
  init(_ port: Int, receiveBuffer: Int32? = nil, isV6: Bool = false) throws(Failure) {
    let address = SocketAddress.resolve(isV6 ? "::1" : "127.0.0.1", port: port)[0]
    do throws(SystemError) {
      let socket = try Socket(for: address)
      if let receiveBuffer { socket.setOption(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
      try socket.connect(to: address, until: .now + Patience.limit)
      self.socket = ClientSocket(socket)
    } catch {
      throw Failure(description: "port \(port): \(error)")
    }
  }

  /// True if this machine has an IPv6 loopback address.
  static let hasV6 = SocketAddress.resolve("::1", port: 0).contains { address in
    (try? Socket(for: address).bind(to: address)) != nil
  }
}

extension WireConnection {
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    guard let socket, socket.send(bytes, until: .now + Patience.limit) else {
      throw Failure(description: "the peer does not accept \(bytes.count) bytes")
    }
  }

  /// Sends the bytes that the kernel accepts without waiting, and returns their number.
  func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
    guard case .bytes(let count) = socket?.socket.send(bytes, from: 0, to: bytes.count) else { return 0 }
    return count
  }

  /// Sends FIN; the other direction stays open.
  func finishWriting() { socket?.finishWriting() }

  /// Closes with RST.
  func reset() {
    socket?.socket.resetOnClose()
    hangUp()
  }

  func hangUp() { socket = nil }
}

extension WireConnection {
  /// The end of a connection.
  enum End: Equatable {
    /// FIN, after these bytes.
    case finished(String)
    case reset
    /// No byte arrived before the timeout.
    case silence
  }

  /// Reads until the connection ends, and returns how it ended.
  func end() -> End {
    let (text, end) = rest()
    guard end == .finished("") else { return end }
    received = []
    return .finished(text)
  }

  /// Reads until the connection ends, and returns the text before the end, and the end.
  func rest() -> (text: String, end: End) {
    let deadline = ContinuousClock.now + Patience.limit
    while true {
      let end: End
      switch receive(until: deadline) {
      case .bytes: continue
      case .finished: end = .finished("")
      case .silence, .unread: end = .silence
      case .reset: end = .reset
      }
      return (String(decoding: received, as: UTF8.self), end)
    }
  }

  /// Reads until the condition holds for the text that was not consumed yet, and returns the text; nil if it does not
  /// hold before the end of the connection, or in time.
  func text(until condition: (String) -> Bool) -> String? {
    let deadline = ContinuousClock.now + Patience.limit
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if condition(text) { return text }
      guard case .bytes = receive(until: deadline) else { return nil }
    }
  }

  /// Returns the received bytes that were not consumed yet, without waiting for more.
  func available() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while case .bytes(let count) = socket?.socket.receive(into: &buffer) { received += buffer[..<count] }
    return received
  }

  /// Reads exactly one response, which may be an interim one.
  ///
  /// - Parameter isHead: True if it is a response to HEAD, which has no body whatever its fields say.
  func response(toHead isHead: Bool = false) throws -> WireResponse {
    let blank = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let end = received[searched...].firstRange(of: blank)?.upperBound {
        var response = WireResponse(head: String(decoding: received[..<end], as: UTF8.self))
        received.removeSubrange(..<end)
        response.body = try take(isHead ? 0 : response.bodyLength)
        return response
      }
      searched = max(0, received.count - 3)
      try receiveMore()
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while received.count < count { try receiveMore() }
    defer { received.removeSubrange(..<count) }
    return Array(received[..<count])
  }

  private func receiveMore() throws {
    let event = receive()
    guard case .bytes = event else {
      throw Failure(description: "\(event) after «\(String(decoding: received.suffix(200), as: UTF8.self))»")
    }
  }

  private func receive(until deadline: Deadline = .now + Patience.limit) -> ClientSocket.Received {
    let event = socket?.receive(until: deadline) ?? .reset
    if case .bytes(let bytes) = event { received += bytes }
    return event
  }
}
