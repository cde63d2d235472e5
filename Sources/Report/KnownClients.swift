/// The clients seen last, by their hashes; exchanges of one client share its identification.
package struct KnownClients: Sendable {
  private var clients = RecentTable<Entry.Client>(capacity: 1_024)

  package init() {}

  /// Returns a client.
  ///
  /// - Parameters:
  ///   - text: The client's own identification; nil if there is none.
  ///   - peer: The client's address, and its hash.
  package mutating func client(
    _ text: ArraySlice<UInt8>?, isNamed: Bool, at peer: (name: String, hash: UInt64)
  ) -> Entry.Client {
    var hash = text.map { Observation.hash($0) } ?? 0
    if !isNamed { hash = peer.hash.mixed(with: hash) }
    if let index = clients.index(of: hash) { return clients.values[index] }
    let new = Entry.Client(hash, text ?? [], isNamed: isNamed, at: peer.name)
    clients[hash] = new
    return new
  }
}
