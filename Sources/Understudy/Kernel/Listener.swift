import Sockets

#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// A socket that accepts connections at one address.
final class Listener {
  /// Nil if the port could not stay bound when the listener was suspended.
  private var socket: Socket?
  private let address: SocketAddress
  let port: Int
  private(set) var isSuspended = false

  var descriptor: Int32 { socket?.descriptor ?? -1 }

  /// Listens at every address of a host, because a client may try any of them: `localhost` is `127.0.0.1` and `::1`.
  ///
  /// Addresses that this machine does not have, such as IPv6 addresses without IPv6, are skipped.
  ///
  /// - Parameters:
  ///   - host: A name or an IP address.
  ///   - port: 0 asks the system for a free port, the same for all addresses.
  static func all(host: String, port: Int) throws(SystemError) -> [Listener] {
    // A port that is free at one address may be in use at the next; another attempt gets another port.
    for _ in 0..<8 where port == 0 {
      do {
        return try listeners(host: host, port: port)
      } catch {
        guard error.isAddressInUse else { throw error }
      }
    }
    return try listeners(host: host, port: port)
  }

  private static func listeners(host: String, port: Int) throws(SystemError) -> [Listener] {
    var listeners: [Listener] = []
    var refusal: SystemError?
    for address in try addresses(of: host) {
      do {
        listeners.append(try Listener(at: address, port: listeners.first?.port ?? port))
      } catch {
        guard !error.isAddressInUse else { throw error }
        refusal = refusal ?? error
      }
    }
    if let refusal, listeners.isEmpty { throw refusal }
    return listeners
  }

  private init(at address: SocketAddress, port: Int) throws(SystemError) {
    let socket = try Self.bound(to: address, port: port)
    try Self.listen(socket)
    self.port = Self.boundPort(of: socket.descriptor)
    self.address = address
    self.socket = consume socket
  }

  /// Refuses connections. The port stays bound, so that the system does not assign it to another program.
  func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    socket = nil
    socket = try? Self.bound(to: address, port: port)
  }

  /// Listens again after `suspend()`.
  func resume() throws(SystemError) {
    guard isSuspended else { return }
    let reserved = socket.take()
    let bound = if let reserved { reserved } else { try Self.bound(to: address, port: port) }
    try Self.listen(bound)
    socket = consume bound
    isSuspended = false
  }

  private static func listen(_ socket: borrowing Socket) throws(SystemError) {
    guard Self.listen(socket.descriptor) == 0 else { throw SystemError("listen") }
  }

  private static func listen(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.listen(descriptor, 4_096)
    #elseif canImport(Musl)
      Musl.listen(descriptor, 4_096)
    #else
      Darwin.listen(descriptor, 4_096)
    #endif
  }

  private static func bound(to address: SocketAddress, port: Int) throws(SystemError) -> Socket {
    let descriptor = open(family: address.family)
    guard descriptor >= 0 else { throw SystemError("socket") }
    let socket = Socket(adopting: descriptor)
    socket.makeNonBlocking()
    socket.setOption(SOL_SOCKET, SO_REUSEADDR, Int32(1))
    var bytes = address.bytes
    // Both families have the port at the same offset, in network order.
    bytes[2] = UInt8(port >> 8)
    bytes[3] = UInt8(port & 0xFF)
    let status = unsafe bytes.withUnsafeBytes { buffer -> Int32 in
      guard let base = buffer.baseAddress else { return -1 }
      return unsafe bind(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
    }
    guard status == 0 else { throw SystemError("bind") }
    return socket
  }

  enum Accepted: ~Copyable {
    case connection(Socket, peer: String)
    /// No connection is pending.
    case none
    /// The process has no free descriptor; pending connections must wait.
    case exhausted
  }

  func accept() -> Accepted {
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
    // Otherwise the second segment of a response would wait for the acknowledgement of the first.
    accepted.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    return .connection(accepted, peer: Self.name(of: address, length: length))
  }

  private static func accept(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
  ) -> Int32 {
    #if canImport(Glibc)
      unsafe accept4(descriptor, address, length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    #elseif canImport(Musl)
      unsafe accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC)
    #else
      unsafe Darwin.accept(descriptor, address, length)
    #endif
  }

  private static func open(family: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #elseif canImport(Musl)
      Musl.socket(family, SOCK_STREAM, 0)
    #else
      Darwin.socket(family, SOCK_STREAM, 0)
    #endif
  }

  private static func addresses(of host: String) throws(SystemError) -> [SocketAddress] {
    let found = SocketAddress.resolve(host, port: 0, isPassive: true).filter { $0.bytes.count >= 4 }
    guard found.isEmpty else { return found }
    errno = EADDRNOTAVAIL
    throw SystemError("the host \(host) has no address")
  }

  private static func boundPort(of descriptor: Int32) -> Int {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
        unsafe getsockname(descriptor, bound, &length)
      }
    }
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
