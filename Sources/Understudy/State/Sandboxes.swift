import Contract

/// All sandboxes of a server, by name. `default` always exists.
struct Sandboxes {
  static let defaultName = "default"
  /// More are refused with 507: each holds a copy of all data.
  static let capacity = 10_000

  private let standard: Sandbox
  private var named: [String: Sandbox] = [:]
  /// The highest number that was given to a sandbox without a name.
  private var lastNumber = 0

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

  /// A name that no sandbox has, and that was never made up before: a client which still asks for a sandbox that was
  /// deleted must not find another one under its name.
  mutating func makeName() -> String {
    repeat { lastNumber += 1 } while named["sandbox-\(lastNumber)"] != nil
    return "sandbox-\(lastNumber)"
  }
}
