import Foundation
package import Platform

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A listening socket on a port of this machine.
package final class BoundListener: Sendable {
  package let port: Int
  private let socket: Socket

  /// Binds a port.
  ///
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - isOpen: True to listen. A port that is bound but not listening refuses connections.
  package init(port: Int = 0, isOpen: Bool = true) throws(SystemError) {
    let address = SocketAddress.resolve("127.0.0.1", port: port)[0]
    let socket = try Socket(for: address)
    try socket.bind(to: address)
    if isOpen { try socket.listen() }
    self.port = socket.port
    self.socket = socket
  }

  /// Returns the next connection; nil if the listener is shut.
  package func next() -> Link? {
    guard case .connection(let accepted, _) = socket.accept() else { return nil }
    return Link(accepted)
  }

  /// Handles each connection on a thread of its own, until the listener is shut.
  package func serve(_ handle: @escaping @Sendable (Link) -> Void) {
    Thread.detachNewThread { [self] in
      while let link = next() {
        let handed = Handed(link: link)
        Thread.detachNewThread { handle(handed.link) }
      }
    }
  }

  /// Passes a link to the thread that will use it.
  private struct Handed: @unchecked Sendable {
    let link: Link
  }

  /// Ends a pending `next`. The thread in `next` closes the descriptor, so that its number is not reused too early.
  package func shut() { socket.shutDown() }
}

/// One end of a connection on this machine. Its calls block for at most `Patience.limit`.
package final class Link {
  private let socket: ClientSocket
  package private(set) var received: [UInt8] = []
  package private(set) var hasEnded = false

  fileprivate init(_ socket: consuming Socket) { self.socket = ClientSocket(socket) }

  /// Nil if no process listens.
  package init?(to port: Int) {
    let addresses = SocketAddress.resolve("127.0.0.1", port: port)
    guard let socket = try? ClientSocket.connected(toFirstOf: addresses, until: .now + Patience.limit) else {
      return nil
    }
    self.socket = socket
  }

  /// Returns true if the kernel accepted all bytes.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool { socket.send(bytes, until: .now + Patience.limit) }

  /// Waits for more bytes; returns false if no more will arrive.
  @discardableResult
  package func receive() -> Bool {
    guard case .bytes(let bytes) = socket.receive(until: .now + Patience.limit) else {
      hasEnded = true
      return false
    }
    received += bytes
    return true
  }

  package func drop(_ count: Int) { received.removeFirst(count) }

  /// Sends FIN, and can still read.
  package func finishWriting() { socket.finishWriting() }

  /// Sends FIN, and stops reading.
  package func shut() { socket.socket.shutDown() }

  /// Makes the connection end with RST when the link is deinitialized.
  package func resetAtEnd() { socket.socket.resetOnClose() }

  /// Returns the links with bytes or an end to read; empty if there are none in time.
  package static func ready(_ links: [Link]) -> [Link] {
    var entries = links.map { pollfd(fd: $0.socket.socket.descriptor, events: Int16(POLLIN), revents: 0) }
    _ = Descriptor.poll(&entries, atMost: Int64(Patience.seconds) * 1_000_000_000)
    return zip(links, entries).filter { $0.1.revents != 0 }.map(\.0)
  }
}
