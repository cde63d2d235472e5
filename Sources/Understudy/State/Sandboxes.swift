import Contract

/// All sandboxes of a server, by name. `default` always exists.
struct Sandboxes {
  static let defaultName = "default"
  /// More are refused with 507: each holds a copy of all data.
  static let capacity = 10_000

  private let standard: Sandbox
  private let journalMemory = JournalMemory()
  private var named: [String: Sandbox] = [:]
  /// The highest number that was given to a sandbox without a name.
  private(set) var lastNumber: Int

  init(_ standard: Sandbox, lastNumber: Int = 0) {
    self.standard = standard
    self.lastNumber = lastNumber
    standard.count(in: journalMemory)
  }

  /// The sandbox of this name; without a name, the default one.
  subscript(name: String?) -> Sandbox? {
    guard let name, name != Self.defaultName else { return standard }
    return named[name]
  }

  var all: [Sandbox] { [standard] + named.values.sorted { $0.name < $1.name } }
  var count: Int { named.count + 1 }

  mutating func add(_ sandbox: Sandbox) {
    named[sandbox.name] = sandbox
    sandbox.count(in: journalMemory)
  }

  /// What all journals weigh.
  var journalBytes: Int { journalMemory.byteCount }

  /// When the journals weigh too much, has those of the sandboxes that were used longest ago forget what is old: who
  /// tests now keeps all that a journal can hold.
  func boundJournals(to most: Int = JournalMemory.mostBytes) {
    guard journalMemory.byteCount > most else { return }
    // Somewhat below the bound, so that this is seldom.
    let goal = most / 8 * 7
    for sandbox in all.sorted(by: { $0.lastUse < $1.lastUse }) {
      while journalMemory.byteCount > goal { guard sandbox.journal.shed() else { break } }
    }
  }

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
    repeat { lastNumber += 1 } while named[Self.name(lastNumber)] != nil
    return Self.name(lastNumber)
  }

  private static func name(_ number: Int) -> String { "sandbox-\(number)" }

  /// The number of a name that may have been made up; nil for others, and for numbers that are never reached.
  static func number(in name: String) -> Int? {
    let prefix = "sandbox-"
    guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)), self.name(number) == name else {
      return nil
    }
    return numbers.contains(number) ? number : nil
  }

  /// So many that nobody comes to the end of them by asking.
  static let numbers = 0...Int(Int32.max)
}
