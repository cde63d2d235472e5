import Contract
import Report

/// All sandboxes of a server, by name. `default` always exists.
final class Sandboxes {
  static let defaultName = "default"
  /// The maximum number; further ones get 507, because each contains a copy of all data.
  static let capacity = 10_000

  private let standard: Sandbox
  private let journalBudget = JournalBudget()
  private var named: [String: Sandbox] = [:]
  /// The same sandboxes, each at its `index`, for maintenance in rounds.
  private var ring: [Sandbox]
  /// The index at which the round continues.
  private var nextIndex = 0
  /// The sandboxes whose journals evict entries, the most recently used first.
  private var evicted: [Sandbox] = []
  /// True if journals have to evict further entries.
  private(set) var isEvicting = false
  /// The counts of exchanges that no journal stores, and those collected from sandboxes.
  var counts = ExchangeCounts()
  /// The sandboxes in which exchanges have ended whose counts are not collected yet.
  private var uncollected: [Sandbox] = []
  /// Their maximum number, so that collecting all counts takes a part of a turn.
  private static let maximumUncollected = 256
  /// The highest number in a generated name.
  private(set) var lastNumber: Int

  init(_ standard: Sandbox, lastNumber: Int = 0) {
    self.standard = standard
    ring = [standard]
    standard.index = 0
    self.lastNumber = lastNumber
    standard.traffic.count(in: journalBudget)
  }

  /// The sandbox of this name; without a name, the default one.
  subscript(name: String?) -> Sandbox? {
    guard let name, name != Self.defaultName else { return standard }
    return named[name]
  }

  /// Returns true unless a sandbox was deleted, even if there is a new one of its name.
  func has(_ sandbox: Sandbox) -> Bool { sandbox.index != nil }

  var all: [Sandbox] { [standard] + named.values.sorted { $0.name < $1.name } }
  /// All sandboxes, the default one first.
  var inAnyOrder: [Sandbox] { ring }
  var count: Int { named.count + 1 }

  func add(_ sandbox: Sandbox) {
    named[sandbox.name] = sandbox
    sandbox.index = ring.count
    ring.append(sandbox)
    sandbox.traffic.count(in: journalBudget)
  }

  /// The size of all journals, in bytes.
  var journalBytes: Int { journalBudget.byteCount }
  /// The number of entries that all journals hold.
  var journalEntryCount: Int { ring.reduce(0) { $0 + $1.traffic.journal.count } }

  /// If the journals are too large, evicts old entries of the least recently used sandboxes. Sandboxes in use keep
  /// everything that a journal can hold.
  ///
  /// - Parameter count: The maximum number of evictions, each of half a journal; the next call continues.
  func boundJournals(to maximum: Int = JournalBudget.maximumBytes, evicting count: Int = .max) {
    guard isEvicting || journalBudget.byteCount > maximum else { return }
    // Somewhat below the limit, so that this is rare.
    let goal = maximum / 8 * 7
    if !isEvicting { evicted = ring.sorted { $0.lastUse > $1.lastUse } }
    isEvicting = true
    var remaining = count
    while journalBudget.byteCount > goal, let sandbox = evicted.last {
      guard remaining > 0 else { return }
      if sandbox.traffic.exchangeLog.evict() { remaining -= 1 } else { evicted.removeLast() }
      sandbox.traffic.updateJournalSize()
    }
    evicted = []
    isEvicting = false
  }

  func remove(_ name: String) -> Sandbox? {
    guard let sandbox = named.removeValue(forKey: name) else { return nil }
    guard let index = sandbox.index else { preconditionFailure("a named sandbox has an index") }
    let last = ring.removeLast()
    if last !== sandbox {
      ring[index] = last
      last.index = index
    }
    if nextIndex >= ring.count { nextIndex = 0 }
    sandbox.index = nil
    uncollected.removeAll { $0 === sandbox }
    collectCounts(of: sandbox)
    return sandbox
  }

  /// Adds a sandbox in which an exchange has ended to those whose counts are to be collected. Those of a removed one are
  /// collected at once, so that it can be freed.
  ///
  /// - Parameter log: The sandbox's own, which its caller accesses exclusively.
  func addUncollected(_ sandbox: Sandbox, log: inout ExchangeLog) {
    guard !log.awaitsCollection else { return }
    guard sandbox.index != nil else { return log.moveCounts(to: &counts) }
    log.awaitsCollection = true
    uncollected.append(sandbox)
    // The first one is another: this one was not among them.
    if uncollected.count > Self.maximumUncollected { collectCounts(of: uncollected.removeFirst()) }
  }

  /// Collects the counts of all exchanges that have ended.
  func collectCounts() {
    for sandbox in uncollected { collectCounts(of: sandbox) }
    uncollected.removeAll(keepingCapacity: true)
  }

  private func collectCounts(of sandbox: Sandbox) {
    sandbox.traffic.exchangeLog.awaitsCollection = false
    sandbox.traffic.exchangeLog.moveCounts(to: &counts)
  }

  /// True between two rounds of `nextOfRound`.
  var isRoundBeginning: Bool { nextIndex == 0 }

  /// Returns the next sandbox of a round over all of them. One that is moved during the round is visited in the next
  /// round.
  func nextOfRound() -> Sandbox {
    defer { nextIndex = nextIndex + 1 < ring.count ? nextIndex + 1 : 0 }
    return ring[nextIndex]
  }

  /// Returns a name that no sandbox has and that was never generated before: a client of a deleted sandbox must not
  /// find another one under its name.
  func makeName() -> String {
    repeat { lastNumber += 1 } while named[Self.name(lastNumber)] != nil
    return Self.name(lastNumber)
  }

  private static func name(_ number: Int) -> String { "sandbox-\(number)" }

  /// Returns the number in a name that may have been generated; nil for others, and for numbers that are never reached.
  static func number(in name: String) -> Int? {
    let prefix = "sandbox-"
    guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)), self.name(number) == name else {
      return nil
    }
    return numbers.contains(number) ? number : nil
  }

  /// A range that clients cannot exhaust.
  static let numbers = 0...Int(Int32.max)
}
