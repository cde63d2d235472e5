/// The clients seen last, by their hashes; exchanges of one client share its identification.
package struct KnownClients: Sendable {
  private var clients = RecentTable<Observation.Client>(capacity: 1_024)
  /// The last of them; it mostly sent the next exchange, too.
  private var last = Observation.Client(0, [], at: "")
  /// The address of the last unnamed client with its hash; it is mostly that of the next one too.
  private var lastPeer = (name: "", hash: Observation.hash(""))

  package init() {}

  /// Returns a client.
  ///
  /// - Parameters:
  ///   - text: The client's own identification; nil if there is none.
  ///   - peer: The client's address.
  package mutating func client(_ text: ArraySlice<UInt8>?, isNamed: Bool, at peer: String) -> Observation.Client {
    var hash = text.map { Observation.hash($0) } ?? 0
    if !isNamed {
      if peer != lastPeer.name { lastPeer = (peer, Observation.hash(peer)) }
      hash = lastPeer.hash.mixed(with: hash)
    }
    if hash == last.hash, isNamed == last.isNamed { return last }
    if let index = clients.index(of: hash) {
      last = clients.values[index]
    } else {
      last = Observation.Client(hash, text ?? [], isNamed: isNamed, at: peer)
      clients[hash] = last
    }
    return last
  }
}
