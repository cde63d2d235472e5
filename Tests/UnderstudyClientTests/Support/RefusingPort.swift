import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A port of this machine that refuses every connection: it is taken, so nobody else can have it, and it does not listen.
final class RefusingPort {
  let number: Int
  private let descriptor: Int32

  struct Failure: Error {}

  init() throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isBound else { throw Failure() }
    number = Int(in_port_t(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }
}
