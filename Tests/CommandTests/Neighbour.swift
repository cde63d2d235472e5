import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A port of this machine that is not a server of ours, held for as long as the test lasts.
final class Neighbour: @unchecked Sendable {
  let port: Int
  private let descriptor: Int32

  /// - Parameter listening: Whether connections are taken; else they are refused.
  init(listening: Bool) throws {
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
    guard isBound, !listening || listen(descriptor, 4) == 0 else {
      throw Program.Failure(description: "no port could be had")
    }
    port = Int(in_port_t(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// Takes one connection on a thread of its own, reads what comes first, answers, and closes.
  func answerOnce(_ text: String) {
    // It holds the neighbour, whose descriptor's number would else be free for another's connections.
    Thread.detachNewThread { [self] in
      let client = accept(descriptor, nil, nil)
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = unsafe read(client, &buffer, buffer.count)
      let bytes = Array(text.utf8)
      _ = unsafe write(client, bytes, bytes.count)
      close(client)
    }
  }
}
