#if canImport(Glibc)
  import CEpoll
  import Glibc
#elseif canImport(Musl)
  import CEpoll
  import Musl
#else
  import Darwin
#endif

/// An address of a socket, in the form that system calls take.
package struct SocketAddress: Sendable, Equatable {
  private var bytes: [UInt8]

  /// Returns the addresses of a host, in the order in which to try them.
  ///
  /// - Parameters:
  ///   - host: A name or an IP address.
  ///   - port: 0 leaves the port open.
  ///   - isPassive: True for addresses to listen at.
  package static func resolve(_ host: String, port: Int, isPassive: Bool = false) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Socket.stream
    if isPassive { unsafe hints.ai_flags = AI_PASSIVE }
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = unsafe list
    while let info = unsafe next?.pointee {
      if let address = unsafe info.ai_addr {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
        let address = SocketAddress(bytes: bytes)
        if !found.contains(address) { found.append(address) }
      }
      unsafe next = info.ai_next
    }
    return found
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  var family: Int32 { withPointer { address, _ in unsafe Int32(address.pointee.sa_family) } }

  /// The port of an Internet address. Both families have it at the same offset, in network order.
  package var port: Int {
    get { Int(bytes[2]) << 8 | Int(bytes[3]) }
    set {
      bytes[2] = UInt8(newValue >> 8)
      bytes[3] = UInt8(newValue & 0xFF)
    }
  }

  /// Returns true if a connection to this address reaches a socket that listens at another one, whatever the ports are.
  package func reaches(_ listener: SocketAddress) -> Bool {
    guard listener.isWildcard else {
      // A connection to a wildcard address is one to the loopback address.
      let target = isWildcard ? isIPv4 ? Self.loopback4 : Self.loopback6 : ip
      return target == listener.ip
    }
    let isAccepted = isIPv4 == listener.isIPv4 || isIPv4 && listener.acceptsIPv4
    return isAccepted && (isWildcard || isOfThisMachine)
  }

  /// The bytes of the IP address. An IPv4 address in the form of an IPv6 one is that address (RFC 4291 section 2.5.5.2).
  private var ip: ArraySlice<UInt8> {
    guard family != AF_INET else { return bytes[4..<8] }
    let isMapped = bytes[8..<20].elementsEqual(Self.mappedPrefix)
    return isMapped ? bytes[20..<24] : bytes[8..<24]
  }

  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  private var isIPv4: Bool { ip.count == 4 }

  /// True if the system lets a socket that listens at this IPv6 address accept IPv4 connections, too.
  private var acceptsIPv4: Bool {
    guard let socket = try? Socket(for: self) else { return false }
    return !socket.isForIPv6Only
  }

  private static let loopback4: ArraySlice<UInt8> = [127, 0, 0, 1]
  private static let loopback6: ArraySlice<UInt8> = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

  /// True for 0.0.0.0 and ::.
  private var isWildcard: Bool { ip.allSatisfy { $0 == 0 } }

  /// True if the machine has the address: otherwise no socket can be bound to it.
  private var isOfThisMachine: Bool {
    var local = self
    local.port = 0
    return (try? Socket(for: local).bind(to: local)) != nil
  }

  /// The IP address as text.
  var host: String {
    // `getnameinfo` takes three times as long.
    if family == AF_INET { return "\(bytes[4]).\(bytes[5]).\(bytes[6]).\(bytes[7])" }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { host in
      let status = withPointer { address, count in
        unsafe getnameinfo(address, count, host.baseAddress, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
      }
      guard status == 0, let text = host.baseAddress else { return "?" }
      return unsafe String(cString: text)
    }
  }

  /// Calls a function with the address and its number of bytes.
  @safe func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an address has bytes") }
      return unsafe body(base.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
    }
  }

  /// Calls a function that fills in an address, and returns its result, too.
  @safe static func filled(
    by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> (result: Int32, address: SocketAddress) {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
    var count = socklen_t(bytes.count)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("the buffer has bytes") }
      return unsafe call(base.assumingMemoryBound(to: sockaddr.self), &count)
    }
    bytes.removeLast(max(0, bytes.count - Int(count)))
    return (result, SocketAddress(bytes: bytes))
  }
}
