#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The time at which an operation gives up.
package typealias Deadline = ContinuousClock.Instant

/// A TCP connection that hides nothing: it sends exactly the given bytes, and distinguishes FIN, RST and silence.
///
/// No call lasts beyond its deadline, so that no server can block this program.
package final class ClientSocket: Sendable {
  package let descriptor: Int32

  /// The reason for which there is no connection.
  package struct Failure: Error {
    /// The value of `errno`.
    package let code: Int32

    package init(code: Int32) { self.code = code }

    package var text: String { unsafe String(cString: strerror(code)) }
  }

  package enum Received: Equatable {
    case bytes([UInt8])
    /// FIN.
    case finished
    case reset
    /// No byte arrived before the deadline.
    case silence
    /// The deadline has passed, and unread bytes remain.
    case unread
  }

  /// Connects to the first of these addresses that accepts the connection.
  package static func connected(
    toFirstOf addresses: [SocketAddress], until deadline: Deadline
  ) throws(Failure) -> ClientSocket {
    var failure = Failure(code: EADDRNOTAVAIL)
    for address in addresses {
      do {
        return try ClientSocket(to: address, until: deadline)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private init(to address: SocketAddress, until deadline: Deadline) throws(Failure) {
    #if canImport(Glibc)
      descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(address.family, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failure(code: errno) }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
    guard connect(to: address) == 0 || errno == EINPROGRESS else { throw Failure(code: errno) }
    guard wait(for: Int16(POLLOUT), until: deadline) else { throw Failure(code: ETIMEDOUT) }
    let code = lastError
    guard code == 0 else { throw Failure(code: code) }
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  private func connect(to address: SocketAddress) -> Int32 {
    unsafe address.bytes.withUnsafeBytes { buffer in
      guard let pointer = unsafe buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      #if canImport(Glibc)
        return unsafe Glibc.connect(descriptor, pointer, socklen_t(buffer.count))
      #elseif canImport(Musl)
        return unsafe Musl.connect(descriptor, pointer, socklen_t(buffer.count))
      #else
        return unsafe Darwin.connect(descriptor, pointer, socklen_t(buffer.count))
      #endif
    }
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private var lastError: Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    return code
  }

  /// Returns true if the socket became ready before the deadline.
  private func wait(for events: Int16, until deadline: Deadline) -> Bool {
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return false }
      let (seconds, attoseconds) = left.components
      let milliseconds = Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
      let count = ready(for: events, within: milliseconds)
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }

  private func ready(for events: Int16, within milliseconds: Int32) -> Int32 {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    return unsafe poll(&entry, 1, milliseconds)
  }
}

extension ClientSocket {
  /// Sends all bytes; false if the peer does not accept them in time.
  package func send(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe SocketCalls.send(descriptor, $0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EINTR {
        guard wait(for: Int16(POLLOUT), until: deadline) else { return false }
      } else {
        return false
      }
    }
    return true
  }

  /// Returns the next event.
  package func receive(until deadline: Deadline) -> Received {
    while true {
      let isInTime = wait(for: Int16(POLLIN), until: deadline)
      guard isInTime || ready(for: Int16(POLLIN), within: 0) > 0 else { return .silence }
      var buffer = [UInt8](repeating: 0, count: 32 << 10)
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      // A FIN counts even if it is read after the deadline.
      if count > 0 { return isInTime ? .bytes(Array(buffer[..<count])) : .unread }
      if count == 0 { return .finished }
      if errno != EAGAIN, errno != EINTR { return .reset }
    }
  }

  /// Sends FIN; the other direction stays open.
  package func finishWriting() { SocketCalls.finishWriting(descriptor) }
}
