#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connected TCP socket.
struct Socket: Sendable {
  let descriptor: Int32

  /// Connects to the first of a host's addresses that accepts the connection; the calling thread waits.
  init(connectingTo host: String, port: Int) throws(BackendError) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Self.streamType
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else {
      throw .unreachable("No address is known for \(host).")
    }
    defer { unsafe freeaddrinfo(list) }
    var next = unsafe list
    var code: Int32 = 0
    while let info = unsafe next?.pointee {
      let descriptor = unsafe socket(info.ai_family, Self.streamType, 0)
      if descriptor >= 0 {
        if unsafe connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 {
          self.descriptor = descriptor
          prepare()
          return
        }
        code = errno
        _ = close(descriptor)
      }
      unsafe next = info.ai_next
    }
    throw .unreachable("No server answers at \(host):\(port): \(Self.text(of: code)).")
  }

  /// Sends all of it; the calling thread waits. A peer that has gone is noticed by who reads.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        #if canImport(Darwin)
          unsafe Darwin.send(descriptor, buffer.baseAddress, buffer.count, 0)
        #elseif canImport(Musl)
          unsafe Musl.send(descriptor, buffer.baseAddress, buffer.count, MSG_NOSIGNAL)
        #else
          unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        #endif
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// A program that the test starts must not keep the connection open, and none may be ended by a signal.
  private func prepare() {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var flag: Int32 = 1
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &flag, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = SOCK_STREAM
  #endif
}
