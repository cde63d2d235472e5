import Contract

/// All sandboxes of a server, by name. `default` always exists.
struct Sandboxes {
  static let defaultName = "default"
  /// More are refused with 507: each holds a copy of all data.
  static let capacity = 10_000

  private let standard: Sandbox
  private var named: [String: Sandbox] = [:]

  init(_ standard: Sandbox) { self.standard = standard }

  /// The sandbox of this name; without a name, the default one.
  subscript(name: String?) -> Sandbox? {
    guard let name, name != Self.defaultName else { return standard }
    return named[name]
  }

  var all: [Sandbox] { [standard] + named.values.sorted { $0.name < $1.name } }
  var count: Int { named.count + 1 }

  mutating func add(_ sandbox: Sandbox) { named[sandbox.name] = sandbox }

  mutating func remove(_ name: String) -> Sandbox? { named.removeValue(forKey: name) }

  /// Those whose time to live has passed since their last use.
  func expired(at tick: Tick) -> [Sandbox] {
    named.values.filter { sandbox in
      guard let limit = sandbox.timeToLive else { return false }
      return tick - sandbox.lastUse > limit
    }
  }

  /// A name that no sandbox has yet.
  func freeName() -> String {
    var number = named.count + 1
    while named["sandbox-\(number)"] != nil { number += 1 }
    return "sandbox-\(number)"
  }
}
