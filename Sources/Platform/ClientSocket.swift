#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A TCP connection that hides nothing: it sends exactly the given bytes, and distinguishes FIN, RST and silence.
///
/// No call lasts beyond its deadline, so that no server can block this program.
package final class ClientSocket: Sendable {
  package let socket: Socket

  package enum Received: Equatable {
    case bytes([UInt8])
    /// FIN.
    case finished
    case reset
    /// No byte arrived before the deadline.
    case silence
    /// The deadline has passed, and unread bytes remain.
    case unread
  }

  /// Takes a connected socket that does not block.
  package init(_ socket: consuming Socket) { self.socket = socket }

  /// Connects to the first of these addresses that accepts the connection.
  package static func connected(
    toFirstOf addresses: [SocketAddress], until deadline: Deadline
  ) throws(SystemError) -> ClientSocket {
    var failure = SystemError("connect", code: SystemError.noAddress)
    for address in addresses {
      do throws(SystemError) {
        let socket = try Socket(for: address)
        socket.sendWithoutDelay()
        try socket.connect(to: address, until: deadline)
        return ClientSocket(socket)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Sends all bytes; false if the peer does not accept them in time.
  package func send(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
    var count = 0
    while count < bytes.count {
      switch socket.send(bytes, from: count, to: bytes.count) {
      case .bytes(let accepted): count += accepted
      case .full: guard socket.wait(for: Int16(POLLOUT), until: deadline) else { return false }
      case .broken: return false
      }
    }
    return true
  }

  /// Returns the next event.
  package func receive(until deadline: Deadline) -> Received {
    var buffer = [UInt8](repeating: 0, count: 32 << 10)
    while true {
      let isInTime = socket.wait(for: Int16(POLLIN), until: deadline)
      switch socket.receive(into: &buffer) {
      // A FIN counts even if it is read after the deadline.
      case .bytes(let count): return isInTime ? .bytes(Array(buffer[..<count])) : .unread
      case .finished: return .finished
      case .nothingYet: if !isInTime { return .silence }
      case .broken: return .reset
      }
    }
  }

  /// Sends FIN; the other direction stays open.
  package func finishWriting() { socket.finishWriting() }
}
