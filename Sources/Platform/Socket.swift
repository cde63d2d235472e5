#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// The time at which an operation gives up.
package typealias Deadline = ContinuousClock.Instant

/// A socket with one owner. It is closed when its owner is destroyed.
package struct Socket: ~Copyable, Sendable {
  package let descriptor: Int32

  /// The type of a TCP socket.
  static var stream: Int32 {
    #if canImport(Glibc)
      // Glibc declares the constants as an enumeration.
      Int32(SOCK_STREAM.rawValue)
    #else
      SOCK_STREAM
    #endif
  }

  package init(adopting descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a TCP socket for an address. Child processes do not inherit it.
  package init(for address: SocketAddress) throws(SystemError) {
    #if canImport(Glibc)
      let descriptor = socket(address.family, Self.stream | Int32(SOCK_CLOEXEC.rawValue), 0)
    #elseif canImport(Musl)
      let descriptor = socket(address.family, Self.stream | SOCK_CLOEXEC, 0)
    #else
      let descriptor = socket(address.family, Self.stream, 0)
    #endif
    guard descriptor >= 0 else { throw SystemError("socket") }
    self.init(adopting: descriptor)
    #if canImport(Darwin)
      prepare()
    #endif
  }

  deinit { _ = close(descriptor) }

  #if canImport(Darwin)
    private borrowing func prepare() {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    }
  #endif

  package borrowing func makeNonBlocking() {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  package borrowing func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
  }

  /// True if an IPv6 socket accepts no IPv4 connections.
  var isForIPv6Only: Bool {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    let status = unsafe getsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &value, &size)
    return status == 0 && value != 0
  }

  /// Allows to bind an address that closed connections still use.
  package borrowing func reuseAddress() { setOption(SOL_SOCKET, SO_REUSEADDR, Int32(1)) }

  /// Sends each write at once. Otherwise the second segment of a message would wait for the acknowledgement of the
  /// first.
  package borrowing func sendWithoutDelay() { setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1)) }

  /// Makes the next close send RST and discard the kernel's unsent bytes.
  package borrowing func resetOnClose() { setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

  /// Sends FIN; reading continues.
  package borrowing func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends FIN, and ends every wait for this socket.
  package borrowing func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits for an event, an error or a hang-up; returns false if there is none before the deadline.
  package borrowing func wait(for event: Int16, until deadline: Deadline) -> Bool {
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return false }
      // A longer wait than an hour is divided.
      let (seconds, attoseconds) = min(left, .seconds(3_600)).components
      let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
      guard let events = Descriptor.events(event, of: descriptor, atMost: nanoseconds) else { return false }
      if events != 0 { return true }
    }
  }
}

/// The bytes of a connection.
extension Socket {
  package enum Received: Sendable, Equatable {
    case bytes(Int)
    /// The peer has sent FIN: no more bytes will arrive.
    case finished
    case nothingYet
    /// The connection has failed, for example by RST.
    case broken
  }

  package enum Sent: Sendable, Equatable {
    case bytes(Int)
    case full
    case broken
  }

  /// Reads available bytes to the front of `buffer`, at most as many as it holds.
  package borrowing func receive(into buffer: inout [UInt8]) -> Received {
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    if count > 0 { return .bytes(count) }
    if count == 0 { return .finished }
    return errno == EAGAIN || errno == EINTR ? .nothingYet : .broken
  }

  /// Writes as many of `bytes` in `offset..<end` as the kernel accepts.
  package borrowing func send(_ bytes: [UInt8], from offset: Int, to end: Int) -> Sent {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: buffer[offset..<end]))
    }
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EINTR ? .full : .broken
  }
}

/// The addresses of the two ends.
extension Socket {
  /// Connects to an address. The socket does not block afterwards.
  package borrowing func connect(to address: SocketAddress, until deadline: Deadline) throws(SystemError) {
    try beginConnecting(to: address)
    guard wait(for: Int16(POLLOUT), until: deadline) else { throw SystemError("connect", code: ETIMEDOUT) }
    if let error = connectionError() { throw error }
  }

  /// Begins to connect to an address, without waiting: when the result is known, the socket becomes writable, and
  /// `connectionError()` tells it.
  package borrowing func beginConnecting(to address: SocketAddress) throws(SystemError) {
    makeNonBlocking()
    let status = address.withPointer { unsafe connectSocket(descriptor, $0, $1) }
    guard status == 0 || errno == EINPROGRESS else { throw SystemError("connect") }
  }

  /// The reason for which the connection failed; nil if it is established.
  package borrowing func connectionError() -> SystemError? {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    return code == 0 ? nil : SystemError("connect", code: code)
  }

  /// The fate of the bytes that were sent.
  package enum Receipt: Sendable {
    /// The peer's system has received those that could be sent so far, or does not tell.
    case received
    case unknown
    /// It has answered with RST, since its program has closed the connection.
    case refused
  }

  /// The fate of the bytes that were sent. It matters for a peer that has sent FIN: whether it still reads is known only when
  /// its system has answered them.
  package borrowing func receipt() -> Receipt {
    #if canImport(Darwin)
      return connectionError() == nil ? .received : .refused
    #else
      var info = tcp_info()
      var size = socklen_t(MemoryLayout<tcp_info>.size)
      guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return .unknown }
      if info.tcpi_state == Self.closedState { return .refused }
      return info.tcpi_unacked == 0 ? .received : .unknown
    #endif
  }

  #if !canImport(Darwin)
    /// `TCP_CLOSE` of the kernel: the connection has ended in both directions.
    private static let closedState: UInt8 = 7
  #endif

  package borrowing func bind(to address: SocketAddress) throws(SystemError) {
    guard address.withPointer({ unsafe bindSocket(descriptor, $0, $1) }) == 0 else { throw SystemError("bind") }
  }

  package borrowing func listen() throws(SystemError) {
    guard listenAtSocket(descriptor, 4_096) == 0 else { throw SystemError("listen") }
  }

  /// The port to which the socket is bound.
  package var port: Int { SocketAddress.filled { unsafe getsockname(descriptor, $0, $1) }.address.port }

  package enum Accepted: ~Copyable {
    /// A connection that does not block, and the peer's IP address.
    case connection(Socket, peer: String)
    /// No connection is pending.
    case none
    /// The process has no free descriptor; pending connections must wait.
    case exhausted
  }

  package borrowing func accept() -> Accepted {
    var code: Int32 = 0
    let (number, peer) = SocketAddress.filled { address, count in
      let number = unsafe acceptConnection(descriptor, address, count)
      // Whatever follows may change it.
      if number < 0 { code = errno }
      return number
    }
    guard number >= 0 else {
      return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM ? .exhausted : .none
    }
    let accepted = Socket(adopting: number)
    #if canImport(Darwin)
      accepted.prepare()
      accepted.makeNonBlocking()
    #endif
    accepted.sendWithoutDelay()
    return .connection(accepted, peer: peer.host)
  }
}

// The type's own methods hide the system's functions of the same names.

private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ count: socklen_t) -> Int32 {
  unsafe connect(descriptor, address, count)
}

private func bindSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ count: socklen_t) -> Int32 {
  unsafe bind(descriptor, address, count)
}

private func listenAtSocket(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func acceptConnection(
  _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ count: UnsafeMutablePointer<socklen_t>
) -> Int32 {
  #if canImport(Glibc)
    unsafe accept4(descriptor, address, count, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
  #elseif canImport(Musl)
    unsafe accept4(descriptor, address, count, SOCK_NONBLOCK | SOCK_CLOEXEC)
  #else
    unsafe accept(descriptor, address, count)
  #endif
}

/// Sends bytes, without a signal where the peer is gone.
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
    unsafe send(descriptor, bytes.baseAddress, bytes.count, 0)
  #else
    unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  #endif
}
