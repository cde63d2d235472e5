import HTTP1
import Report

/// The properties of a connection that its exchanges refer to. One object serves them all.
final class Link {
  /// The connection's number, counted from the server's start.
  let number: Int
  /// The client's address.
  let peer: String
  /// The labels of the port at which the connection arrived.
  let port: Labels
  /// The number of the current request's field section. Most requests have that of the request before.
  private var section = 0
  /// The host that the field section names; nil if it is not known yet.
  var host: Host?
  /// The client that the field section identifies; nil if it is not known yet.
  var client: Observation.Client?

  init(number: Int, peer: String, port: Labels) {
    self.number = number
    self.peer = peer
    self.port = port
  }

  /// Forgets host and client, unless the field section is that of the request before.
  func begin(section new: Int) {
    guard new == 0 || new != section else { return }
    section = new
    (host, client) = (nil, nil)
  }
}
