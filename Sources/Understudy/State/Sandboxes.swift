import Contract

/// All sandboxes of a server, by name. `default` always exists.
struct Sandboxes {
  static let defaultName = "default"
  /// More are refused with 507: each holds a copy of all data.
  static let capacity = 10_000

  private let standard: Sandbox
  private let journalMemory = JournalMemory()
  private var named: [String: Sandbox] = [:]
  /// The same in any order, each at its `place`, to go round them piece by piece.
  private var ring: [Sandbox]
  /// Where the round goes on.
  private var nextPlace = 0
  /// Those whose journals give up entries, the one that was used last in front.
  private var evicted: [Sandbox] = []
  /// The highest number that was given to a sandbox without a name.
  private(set) var lastNumber: Int

  init(_ standard: Sandbox, lastNumber: Int = 0) {
    self.standard = standard
    ring = [standard]
    standard.place = 0
    self.lastNumber = lastNumber
    standard.count(in: journalMemory)
  }

  /// The sandbox of this name; without a name, the default one.
  subscript(name: String?) -> Sandbox? {
    guard let name, name != Self.defaultName else { return standard }
    return named[name]
  }

  var all: [Sandbox] { [standard] + named.values.sorted { $0.name < $1.name } }
  /// All of them, the default one first.
  var inAnyOrder: [Sandbox] { ring }
  var count: Int { named.count + 1 }

  mutating func add(_ sandbox: Sandbox) {
    named[sandbox.name] = sandbox
    sandbox.place = ring.count
    ring.append(sandbox)
    sandbox.count(in: journalMemory)
  }

  /// What all journals weigh.
  var journalBytes: Int { journalMemory.byteCount }
  /// The number of entries that all journals hold.
  var journalEntryCount: Int { ring.reduce(0) { $0 + $1.journal.count } }

  var isEvicting: Bool { !evicted.isEmpty }

  /// When the journals weigh too much, has those of the sandboxes that were used longest ago forget what is old: who
  /// tests now keeps all that a journal can hold.
  ///
  /// - Parameter count: How many halves of journals to give up at most; the next call goes on.
  mutating func boundJournals(to most: Int = JournalMemory.mostBytes, evicting count: Int = .max) {
    guard isEvicting || journalMemory.byteCount > most else { return }
    // Somewhat below the bound, so that this is seldom.
    let goal = most / 8 * 7
    if evicted.isEmpty { evicted = ring.sorted { $0.lastUse > $1.lastUse } }
    var remaining = count
    while journalMemory.byteCount > goal, let sandbox = evicted.last {
      guard remaining > 0 else { return }
      if sandbox.journal.shed() { remaining -= 1 } else { evicted.removeLast() }
    }
    evicted = []
  }

  mutating func remove(_ name: String) -> Sandbox? {
    guard let sandbox = named.removeValue(forKey: name) else { return nil }
    let last = ring.removeLast()
    if last !== sandbox {
      ring[sandbox.place] = last
      last.place = sandbox.place
    }
    nextPlace = min(nextPlace, ring.count)
    return sandbox
  }

  /// True between two rounds of `nextOfRound`.
  var isRoundBeginning: Bool { nextPlace == 0 }

  /// The next sandboxes of a round that comes by each of them; one that is moved meanwhile is met in the next round.
  mutating func nextOfRound(atMost count: Int) -> [Sandbox] {
    let end = count < ring.count - nextPlace ? nextPlace + count : ring.count
    defer { nextPlace = end == ring.count ? 0 : end }
    return Array(ring[nextPlace..<end])
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
