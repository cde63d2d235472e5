import HTTP1
import Report

/// The properties of a connection that its exchanges refer to. One object serves them all.
final class Link {
  /// The connection's number, counted from the server's start.
  let number: Int
  /// The client's address, and its hash.
  let peer: (name: String, hash: UInt64)
  /// The labels of the port at which the connection arrived.
  let port: Labels
  /// The number of the current request's field section. Most requests have that of the request before.
  private var section = 0
  /// The host that the field section names; nil if it is not known yet.
  var host: Host?
  /// The client that the field section identifies; nil if it is not known yet. It may be that of another sandbox's log:
  /// they agree in all values.
  var client: Entry.Client?
  /// The route and the address of the last request with the field section; nil if its route is not cached.
  var last: (route: RouteCache.CachedRoute, address: Address)?

  init(number: Int, peer: String, port: Labels) {
    self.number = number
    self.peer = (peer, Observation.hash(peer))
    self.port = port
  }

  /// Forgets host, client and address, unless the field section is that of the request before.
  func begin(section new: Int) {
    guard new == 0 || new != section else { return }
    section = new
    (host, client, last) = (nil, nil, nil)
  }
}
