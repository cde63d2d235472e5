/// The properties of a connection that its exchanges refer to. One object serves them all.
final class Link: Sendable {
  /// The connection's number, counted from the server's start.
  let number: Int
  /// The client's address.
  let peer: String
  /// The labels of the port at which the connection arrived.
  let port: Labels

  init(number: Int, peer: String, port: Labels) {
    self.number = number
    self.peer = peer
    self.port = port
  }
}
