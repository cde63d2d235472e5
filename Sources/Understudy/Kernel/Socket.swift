import Sockets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A TCP socket with one owner. It never blocks, and is closed when its owner is destroyed.
struct Socket: ~Copyable {
  let descriptor: Int32

  init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  enum Received: Sendable, Equatable {
    case bytes(Int)
    /// The peer has sent FIN: no more bytes will arrive.
    case finished
    case nothingYet
    /// The connection has failed, for example by RST.
    case broken
  }

  enum Sent: Sendable, Equatable {
    case bytes(Int)
    case full
    case broken
  }

  /// Reads available bytes to the front of `buffer`, at most as many as it holds.
  borrowing func receive(into buffer: inout [UInt8]) -> Received {
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    if count > 0 { return .bytes(count) }
    if count == 0 { return .finished }
    return errno == EAGAIN || errno == EINTR ? .nothingYet : .broken
  }

  /// Writes as many of `bytes` in `offset..<end` as the kernel accepts.
  borrowing func send(_ bytes: [UInt8], from offset: Int, to end: Int) -> Sent {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe SocketCalls.send(descriptor, UnsafeRawBufferPointer(rebasing: buffer[offset..<end]))
    }
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EINTR ? .full : .broken
  }

  /// Sends FIN; reading continues.
  borrowing func finishWriting() { SocketCalls.finishWriting(descriptor) }

  /// Makes the next close send RST and discard the kernel's unsent bytes.
  borrowing func resetOnClose() {
    setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
  }

  borrowing func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
  }

  borrowing func makeNonBlocking() {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
}
