#if canImport(Glibc)
  import CEpoll
  import Glibc
#else
  import Darwin
#endif

/// A socket that takes connections at one address.
package struct Listener: ~Copyable {
  private let socket: Socket
  package let port: Int

  package var descriptor: Int32 { socket.descriptor }

  /// Binds to a host and a port, and begins to listen.
  ///
  /// - Parameters:
  ///   - host: A name or an IP address.
  ///   - port: 0 asks the system for a free one.
  package init(host: String, port: Int) throws(SystemError) {
    socket = try Self.bound(to: host, port: port)
    self.port = Self.boundPort(of: socket.descriptor)
  }

  private static func bound(to host: String, port: Int) throws(SystemError) -> Socket {
    var candidate = try resolve(host: host, port: port)
    let descriptor = open(family: Int32(candidate.address.ss_family))
    guard descriptor >= 0 else { throw SystemError("socket") }
    let socket = Socket(adopting: descriptor)
    socket.makeNonBlocking()
    socket.setOption(SOL_SOCKET, SO_REUSEADDR, Int32(1))
    let status = unsafe withUnsafePointer(to: &candidate.address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, candidate.length)
      }
    }
    guard status == 0 else { throw SystemError("bind") }
    guard listen(descriptor, 4_096) == 0 else { throw SystemError("listen") }
    return socket
  }

  package enum Accepted: ~Copyable {
    case connection(Socket, peer: String)
    /// Nobody waits any more.
    case none
    /// The process has no descriptor left; those who wait must wait on.
    case exhausted
  }

  package borrowing func accept() -> Accepted {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let descriptor = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
        unsafe Self.accept(self.descriptor, peer, &length)
      }
    }
    guard descriptor >= 0 else {
      return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM ? .exhausted : .none
    }
    let accepted = Socket(adopting: descriptor)
    #if !os(Linux)
      accepted.makeNonBlocking()
      accepted.setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
    #endif
    // A reply in two segments would otherwise wait for the acknowledgement of the first.
    accepted.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    return .connection(accepted, peer: Self.name(of: address, length: length))
  }

  private static func accept(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
  ) -> Int32 {
    #if os(Linux)
      unsafe accept4(descriptor, address, length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    #else
      unsafe Darwin.accept(descriptor, address, length)
    #endif
  }

  private static func open(family: Int32) -> Int32 {
    #if os(Linux)
      Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      Darwin.socket(family, SOCK_STREAM, 0)
    #endif
  }

  private static func resolve(
    host: String, port: Int
  ) throws(SystemError) -> (address: sockaddr_storage, length: socklen_t) {
    var hints = unsafe addrinfo()
    #if os(Linux)
      unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      unsafe hints.ai_socktype = SOCK_STREAM
    #endif
    unsafe hints.ai_flags = AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard status == 0, let first = unsafe list else {
      errno = EADDRNOTAVAIL
      throw SystemError("no address is known for the host «\(host)»")
    }
    defer { unsafe freeaddrinfo(list) }
    var address = sockaddr_storage()
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe bytes.copyMemory(
        from: UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen)))
    }
    return (address, unsafe first.pointee.ai_addrlen)
  }

  private static func boundPort(of descriptor: Int32) -> Int {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
        unsafe getsockname(descriptor, bound, &length)
      }
    }
    // The port stands at the same place, in network order, for both families.
    return unsafe withUnsafeBytes(of: address) { bytes in Int(unsafe bytes[2]) << 8 | Int(unsafe bytes[3]) }
  }

  private static func name(of address: sockaddr_storage, length: socklen_t) -> String {
    var address = address
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
        unsafe getnameinfo(peer, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
      }
    }
    guard status == 0 else { return "?" }
    return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
