import Foundation
import LiveTesting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A listening socket on a free port of this machine.
package final class BoundListener: Sendable {
  package let port: Int
  private let descriptor: Int32

  package struct Failure: Error {}

  /// Binds a free port.
  ///
  /// - Parameter isOpen: True to listen. A port that is bound but not listening refuses connections.
  package init(isOpen: Bool = true) throws {
    descriptor = Link.socket()
    var address = Link.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, size) == 0 && (!isOpen || listen(descriptor, 128) == 0)
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isBound else { throw Failure() }
    port = Int(in_port_t(bigEndian: address.sin_port))
  }

  /// Returns the next connection; nil if the listener is shut.
  package func next() -> Link? {
    let accepted = accept(descriptor, nil, nil)
    return accepted < 0 ? nil : Link(accepted)
  }

  /// Ends a pending `next`. The thread in `next` closes the descriptor, so that its number is not reused too early.
  package func shut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  deinit { _ = close(descriptor) }
}

/// One end of a connection on this machine. Its calls block for at most `Patience.limit`.
package final class Link {
  private let descriptor: Int32
  package private(set) var received: [UInt8] = []
  package private(set) var hasEnded = false

  fileprivate init(_ descriptor: Int32) {
    self.descriptor = descriptor
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      var patience = timeval(tv_sec: Patience.seconds, tv_usec: 0)
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    var flag: Int32 = 1
    _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &flag, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Nil if no process listens.
  package convenience init?(to port: Int) {
    self.init(Self.socket())
    var address = Self.loopback(port)
    let descriptor = descriptor
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { return nil }
  }

  deinit { _ = close(descriptor) }

  fileprivate static func socket() -> Int32 {
    #if canImport(Glibc)
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  fileprivate static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  /// Returns true if the kernel accepted all bytes.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        #else
          unsafe Darwin.send(descriptor, buffer.baseAddress, buffer.count, 0)
        #endif
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Waits for more bytes; returns false if no more will arrive.
  @discardableResult
  package func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { received += buffer[..<count] } else { hasEnded = true }
    return count > 0
  }

  package func drop(_ count: Int) { received.removeFirst(count) }

  /// Sends FIN, and can still read.
  package func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends FIN, and stops reading.
  package func shut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Makes the connection end with RST when the link is deinitialized.
  package func resetAtEnd() {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Returns the links with bytes or an end to read; empty if there are none in time.
  package static func ready(_ links: [Link]) -> [Link] {
    var entries = links.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&entries, nfds_t(entries.count), Int32(Patience.seconds * 1_000))
    return zip(links, entries).filter { $0.1.revents != 0 }.map(\.0)
  }
}
