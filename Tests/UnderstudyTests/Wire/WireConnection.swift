import LiveTesting

#if canImport(Glibc)
  import CEpoll
  import Glibc
#else
  import Darwin
#endif

/// A client that sends exactly the given bytes, and distinguishes FIN, RST and silence.
///
/// It blocks, but every call has a timeout, so that no test can hang.
@safe final class WireConnection {
  private let descriptor: Int32
  /// The bytes that were received and not consumed yet.
  private var received: [UInt8] = []
  private var isClosed = false

  /// An unexpected event on the network.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Connects to this machine.
  ///
  /// - Parameters:
  ///   - receiveBuffer: The size of the kernel's receive buffer in bytes, so that the peer's output soon blocks.
  ///   - isV6: True to connect to `::1` instead of `127.0.0.1`.
  init(_ port: Int, receiveBuffer: Int32? = nil, isV6: Bool = false) throws {
    descriptor = Self.open(isV6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] { set(option, timeval(tv_sec: Patience.seconds, tv_usec: 0)) }
    if let receiveBuffer { set(SO_RCVBUF, receiveBuffer) }
    #if !canImport(Glibc)
      set(SO_NOSIGPIPE, Int32(1))
    #endif
    let status = isV6 ? connect(Self.v6(port)) : connect(Self.v4(port))
    guard status == 0 else {
      let code = errno
      _ = close(descriptor)
      isClosed = true
      throw Failure(description: "connect to \(port): \(code)")
    }
  }

  deinit { if !isClosed { _ = close(descriptor) } }

  /// True if this machine has an IPv6 loopback address.
  static let hasV6: Bool = {
    let descriptor = open(AF_INET6)
    guard descriptor >= 0 else { return false }
    defer { _ = close(descriptor) }
    var address = v6(0)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    } == 0
  }()

  private static func open(_ family: Int32) -> Int32 {
    #if canImport(Glibc)
      socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(family, SOCK_STREAM, 0)
    #endif
  }

  private static func v4(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  private static func v6(_ port: Int) -> sockaddr_in6 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = in_port_t(port).bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in unsafe bytes[15] = 1 }
    return address
  }

  private func connect<Address>(_ address: Address) -> Int32 {
    var address = address
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #if canImport(Glibc)
          unsafe Glibc.connect(descriptor, address, socklen_t(MemoryLayout<Address>.size))
        #else
          unsafe Darwin.connect(descriptor, address, socklen_t(MemoryLayout<Address>.size))
        #endif
      }
    }
  }

  private func set<Value: BitwiseCopyable>(_ option: Int32, _ value: Value) {
    var value = value
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Value>.size))
  }
}

extension WireConnection {
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = transmit(rest, flags: 0)
      guard count > 0 else { throw Failure(description: "send: \(errno) with \(rest.count) bytes to go") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends the bytes that the kernel accepts without waiting, and returns their number.
  func sendWithoutWaiting(_ bytes: [UInt8]) -> Int { max(0, transmit(bytes[...], flags: Int32(MSG_DONTWAIT.bits))) }

  private func transmit(_ bytes: ArraySlice<UInt8>, flags: Int32) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      #if canImport(Glibc)
        unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags | Int32(MSG_NOSIGNAL.bits))
      #else
        unsafe Darwin.send(descriptor, buffer.baseAddress, buffer.count, flags)
      #endif
    }
  }

  /// Sends FIN; the other direction stays open.
  func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR.bits)) }

  /// Closes with RST.
  func reset() {
    set(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    hangUp()
  }

  func hangUp() {
    guard !isClosed else { return }
    isClosed = true
    _ = close(descriptor)
  }
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
    while true {
      switch receive() {
      case 1...: continue
      case 0:
        defer { received = [] }
        return .finished(String(decoding: received, as: UTF8.self))
      default: return errno == EAGAIN || errno == EWOULDBLOCK ? .silence : .reset
      }
    }
  }

  /// Reads until the connection ends, and returns the text before the end, and the end.
  func rest() -> (text: String, end: End) {
    while true {
      switch receive() {
      case 1...: continue
      case 0: return (String(decoding: received, as: UTF8.self), .finished(""))
      default:
        let isSilent = errno == EAGAIN || errno == EWOULDBLOCK
        return (String(decoding: received, as: UTF8.self), isSilent ? .silence : .reset)
      }
    }
  }

  /// Reads until the condition holds for the text that was not consumed yet, and returns the text; nil if it does not
  /// hold before the end of the connection.
  func text(until condition: (String) -> Bool) -> String? {
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if condition(text) { return text }
      guard receive() > 0 else { return nil }
    }
  }

  /// Returns the received bytes that were not consumed yet, without waiting for more.
  func available() -> [UInt8] {
    while receive(flags: Int32(MSG_DONTWAIT.bits)) > 0 {}
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
    let count = receive()
    guard count > 0 else {
      let reason = count == 0 ? "FIN" : "\(errno)"
      throw Failure(description: "\(reason) after «\(String(decoding: received.suffix(200), as: UTF8.self))»")
    }
  }

  private func receive(flags: Int32 = 0) -> Int {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe recv(descriptor, &buffer, buffer.count, flags)
    if count > 0 { received += buffer[..<count] }
    return count
  }
}

extension BinaryInteger {
  /// The constant as a number, for Glibc imports some as enumerations and Darwin all as integers.
  fileprivate var bits: Int { Int(self) }
}

#if canImport(Glibc)
  extension RawRepresentable where RawValue: BinaryInteger {
    fileprivate var bits: Int { Int(rawValue) }
  }
#endif
