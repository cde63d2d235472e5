#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A TCP socket that is owned once, never blocks, and is closed when its owner goes.
struct Socket: ~Copyable {
  let descriptor: Int32

  init(adopting descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  enum Received: Sendable, Equatable {
    case bytes(Int)
    /// The peer has sent FIN: no byte will come any more.
    case finished
    case nothingYet
    /// The connection is gone, by RST for instance.
    case broken
  }

  enum Sent: Sendable, Equatable {
    case bytes(Int)
    case full
    case broken
  }

  /// Reads what has come, at most as much as `buffer` holds, to its front.
  borrowing func receive(into buffer: inout [UInt8]) -> Received {
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    if count > 0 { return .bytes(count) }
    if count == 0 { return .finished }
    return errno == EAGAIN || errno == EINTR ? .nothingYet : .broken
  }

  /// Writes as much of `bytes` from `offset` on, below `end`, as the kernel takes.
  borrowing func send(_ bytes: [UInt8], from offset: Int, to end: Int) -> Sent {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe transmit(UnsafeRawBufferPointer(rebasing: buffer[offset..<end]))
    }
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EINTR ? .full : .broken
  }

  private borrowing func transmit(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #elseif canImport(Musl)
      unsafe Musl.send(descriptor, bytes.baseAddress, bytes.count, MSG_NOSIGNAL)
    #else
      unsafe Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
  }

  /// Sends FIN; reading goes on.
  borrowing func finishWriting() {
    #if canImport(Glibc)
      _ = shutdown(descriptor, Int32(SHUT_WR))
    #else
      _ = shutdown(descriptor, SHUT_WR)
    #endif
  }

  /// Makes the coming close send RST, and drop what the kernel still holds.
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
