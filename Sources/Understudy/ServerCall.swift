package import HTTP1
package import Platform

/// A request to a server on a connection of its own.
///
/// It is HTTP/1.0, so that the response ends with the connection.
package struct ServerCall: Sendable {
  private let host: String
  private let port: Int
  private let request: [UInt8]

  /// - Parameters:
  ///   - target: The path and the query.
  ///   - host: The name or the address to connect to.
  ///   - fields: The fields of the head, each as a line, with `Host` and without the length of the content.
  package init(
    _ method: String, _ target: String, at host: String, port: Int, fields: [String], content: [UInt8]? = nil
  ) {
    let length = content.map { ["Content-Length: \($0.count)"] } ?? []
    let head = ["\(method) \(target) HTTP/1.0"] + fields + length + ["", ""]
    self.host = host
    self.port = port
    request = Array(head.joined(separator: "\r\n").utf8) + (content ?? [])
  }

  /// The reason for which there is no response.
  package enum Failure: Error {
    /// The host has no address.
    case unknownHost
    /// No address of the host accepted a connection, so nothing was sent.
    case refused(SystemError)
    /// The server reset the connection.
    case reset
    /// The connection had not ended at the deadline.
    case late
    /// The bytes that the connection brought are no complete response.
    case malformed(ResponseError, [UInt8])
  }

  /// Sends the request, and returns the response of a server that closes the connection within the limit.
  ///
  /// - Parameter maximum: The number of bytes after which no more are read.
  package func response(within limit: Duration, atMost maximum: Int) throws(Failure) -> ReceivedResponse {
    let deadline = Deadline.now + limit
    return try begin(until: deadline).response(until: deadline, atMost: maximum)
  }

  /// Connects to the server and sends the request.
  package func begin(until deadline: Deadline) throws(Failure) -> ClientSocket {
    let addresses = SocketAddress.resolve(host, port: port)
    guard !addresses.isEmpty else { throw .unknownHost }
    do throws(SystemError) {
      let socket = try ClientSocket.connected(toFirstOf: addresses, until: deadline)
      // If the server does not accept the request, reading tells why, or finds the response that came before its end.
      _ = socket.send(request, until: deadline)
      return socket
    } catch {
      throw .refused(error)
    }
  }
}

extension ClientSocket {
  /// Returns the next bytes of a response; nil if the server has sent its last one.
  package func next(until deadline: Deadline) throws(ServerCall.Failure) -> [UInt8]? {
    switch receive(until: deadline) {
    case .bytes(let bytes): bytes
    case .finished: nil
    case .reset: throw .reset
    case .silence, .unread: throw .late
    }
  }

  /// Returns the response in all bytes until the end of the connection.
  package func response(until deadline: Deadline, atMost maximum: Int) throws(ServerCall.Failure) -> ReceivedResponse {
    var bytes: [UInt8] = []
    while bytes.count < maximum, let part = try next(until: deadline) { bytes += part }
    do throws(ResponseError) {
      return try ReceivedResponse(bytes)
    } catch {
      throw .malformed(error, bytes)
    }
  }
}
