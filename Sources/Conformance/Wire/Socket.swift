#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The time at which an operation gives up.
typealias Deadline = ContinuousClock.Instant

/// An address of a host, in the form that system calls take.
struct SocketAddress: Sendable {
  fileprivate let family: Int32
  fileprivate let bytes: [UInt8]

  /// Returns all addresses of a host, in the order in which to try them.
  static func resolve(_ host: String, port: Int) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    #if canImport(Glibc)
      unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      unsafe hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = unsafe list
    while let info = unsafe next?.pointee {
      if let address = unsafe info.ai_addr {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
        found.append(SocketAddress(family: unsafe info.ai_family, bytes: bytes))
      }
      unsafe next = info.ai_next
    }
    return found
  }
}

/// A TCP connection that hides nothing: it sends exactly the given bytes, and distinguishes FIN, RST and silence.
///
/// No call lasts beyond its deadline, so that no server can block this program.
final class Socket {
  private let descriptor: Int32

  enum Received: Equatable {
    case bytes([UInt8])
    /// FIN.
    case finished
    case reset
    /// No byte arrived before the deadline.
    case silence
    /// The deadline has passed, and unread bytes remain.
    case unread
  }

  /// Connects; nil on failure.
  init?(to address: SocketAddress, until deadline: Deadline) {
    #if canImport(Glibc)
      descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(address.family, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
    guard connect(to: address) == 0 || errno == EINPROGRESS else { return nil }
    guard wait(for: Int16(POLLOUT), until: deadline), lastError == 0 else { return nil }
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

extension Socket {
  /// Sends all bytes; false if the peer does not accept them in time.
  func send(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = transmit(rest)
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

  private func transmit(_ bytes: ArraySlice<UInt8>) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      #if canImport(Glibc)
        unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      #elseif canImport(Musl)
        unsafe Musl.send(descriptor, buffer.baseAddress, buffer.count, MSG_NOSIGNAL)
      #else
        unsafe Darwin.send(descriptor, buffer.baseAddress, buffer.count, 0)
      #endif
    }
  }

  /// Returns the next event.
  func receive(until deadline: Deadline) -> Received {
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
  func finishWriting() {
    #if canImport(Glibc)
      _ = shutdown(descriptor, Int32(SHUT_WR))
    #else
      _ = shutdown(descriptor, SHUT_WR)
    #endif
  }
}
