import JSON

/// A dotted path into a user, such as `address.geo.lat`, parsed once for all users.
struct UserPath: Hashable {
  let names: [String]

  init(_ text: some StringProtocol) {
    names = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
  }

  /// All paths that exist in any user; a lookup takes the same time for any number of users.
  struct Tree: Sendable {
    private var nodes: [[String: Int]] = [[:]]

    init(of users: [JSONValue]) {
      for user in users { add(user, below: 0) }
    }

    private mutating func add(_ value: JSONValue, below parent: Int) {
      for member in value.object?.members ?? [] {
        let node: Int
        if let known = nodes[parent][member.name] {
          node = known
        } else {
          node = nodes.count
          nodes[parent][member.name] = node
          nodes.append([:])
        }
        add(member.value, below: node)
      }
    }

    func contains(_ path: UserPath) -> Bool {
      var node = 0
      for name in path.names {
        guard let next = nodes[node][name] else { return false }
        node = next
      }
      return true
    }
  }
}
