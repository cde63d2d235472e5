import HTTP1
import Platform
import Primitives

/// A GET request of this program to a server, on a connection of its own and with one deadline for everything.
struct ServerCall {
  let host: String
  let port: Int
  /// The host and the port for messages.
  let authority: String
  /// The time limit from the first attempt to connect to the last byte of the response.
  let limit: Duration
  /// The maximum number of bytes of the response. A longer one comes from another program.
  let maximumBytes: Int

  /// The reason why there is no response, as a sentence.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The bytes that the server sent until it closed the connection.
  struct Answer {
    fileprivate let bytes: [UInt8]

    /// The response; nil if the bytes are no complete one.
    var response: ReceivedResponse? { try? ReceivedResponse(bytes) }

    /// The first line, whatever it is.
    var firstLine: String {
      String(decoding: bytes.prefix { $0 != Byte.carriageReturn && $0 != Byte.lineFeed }, as: UTF8.self)
    }
  }

  /// - Parameter fields: The fields of the request, each as a line, with `Host`.
  func get(_ target: String, _ fields: [String]) throws(Failure) -> Answer {
    let deadline = Deadline.now + limit
    let addresses = SocketAddress.resolve(host, port: port)
    guard let socket = try? ClientSocket.connected(toFirstOf: addresses, until: deadline) else {
      throw Failure(description: "no server accepts connections at \(authority)")
    }
    // After a response to HTTP/1.0 the server closes the connection.
    let lines = ["GET \(target) HTTP/1.0"] + fields + ["", ""]
    guard socket.send(Array(lines.joined(separator: "\r\n").utf8), until: deadline),
      let bytes = receive(on: socket, until: deadline)
    else { throw Failure(description: "the server at \(authority) did not respond") }
    return Answer(bytes: bytes)
  }

  /// Reads until the server closes the connection; nil if it breaks or the time is over.
  private func receive(on socket: ClientSocket, until deadline: Deadline) -> [UInt8]? {
    var received: [UInt8] = []
    while received.count < maximumBytes {
      switch socket.receive(until: deadline) {
      case .bytes(let bytes): received += bytes
      case .finished: return received.isEmpty ? nil : received
      case .reset, .silence, .unread: return nil
      }
    }
    return received
  }
}
