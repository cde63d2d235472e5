#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An address of a host, in the form that system calls take.
package struct SocketAddress: Sendable, Equatable {
  package let family: Int32
  package let bytes: [UInt8]

  /// Returns the addresses of a host, in the order in which to try them.
  ///
  /// - Parameters:
  ///   - host: A name or an IP address.
  ///   - port: 0 leaves the port open.
  ///   - isPassive: True for addresses to listen at.
  package static func resolve(_ host: String, port: Int, isPassive: Bool = false) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    #if canImport(Glibc)
      unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      unsafe hints.ai_socktype = SOCK_STREAM
    #endif
    if isPassive { unsafe hints.ai_flags = AI_PASSIVE }
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = unsafe list
    while let info = unsafe next?.pointee {
      if let address = unsafe info.ai_addr {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
        let address = SocketAddress(family: unsafe info.ai_family, bytes: bytes)
        if !found.contains(address) { found.append(address) }
      }
      unsafe next = info.ai_next
    }
    return found
  }
}
