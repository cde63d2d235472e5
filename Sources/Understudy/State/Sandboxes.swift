import Contract
import Report

/// All sandboxes of a server, by name. `default` always exists.
final class Sandboxes {
  static let defaultName = "default"
  /// The maximum number besides the default one; further ones get 507, because each contains a copy of all data.
  static let capacity = 1_000

  private let standard: Sandbox
  /// The maximum number of bytes of all journals, enough for about twenty full ones. Above it, the least recently used journals
  /// evict their older entries.
  static let maximumJournalBytes = 256 << 20
  private var named: [String: Sandbox] = [:]
  /// All sandboxes in the order in which they were made, the default one first.
  private(set) var inOrderOfMaking: [Sandbox]
  /// The counts of exchanges that no journal stores, and those collected from sandboxes.
  var counts = ExchangeCounts()
  /// The highest number in a generated name.
  var lastNumber = 0

  init(_ standard: Sandbox) {
    self.standard = standard
    inOrderOfMaking = [standard]
    standard.isListed = true
  }

  /// The sandbox of this name; without a name, the default one.
  subscript(name: String?) -> Sandbox? {
    guard let name, name != Self.defaultName else { return standard }
    return named[name]
  }

  /// All sandboxes: the default one, then the others by name.
  var all: [Sandbox] { [standard] + named.values.sorted { $0.name < $1.name } }
  var count: Int { inOrderOfMaking.count }

  func add(_ sandbox: Sandbox) {
    named[sandbox.name] = sandbox
    inOrderOfMaking.append(sandbox)
    sandbox.isListed = true
  }

  func remove(_ name: String) -> Sandbox? {
    guard let sandbox = named.removeValue(forKey: name) else { return nil }
    inOrderOfMaking.removeAll { $0 === sandbox }
    sandbox.isListed = false
    sandbox.traffic.exchangeLog.moveCounts(to: &counts)
    return sandbox
  }

  /// The size of all journals, in bytes.
  var journalBytes: Int { inOrderOfMaking.reduce(0) { $0 + $1.traffic.journal.byteCount } }
  /// The number of entries that all journals hold.
  var journalEntryCount: Int { inOrderOfMaking.reduce(0) { $0 + $1.traffic.journal.count } }

  /// If the journals are too large, evicts old entries of the least recently used sandboxes. Sandboxes in use keep
  /// everything that a journal can hold.
  ///
  /// - Parameter count: The number of entries after which no further journal loses any, so that the time is bounded.
  func boundJournals(to maximum: Int = maximumJournalBytes, evicting count: Int = .max) {
    var excess = journalBytes - maximum
    guard excess > 0 else { return }
    var remaining = count
    for sandbox in inOrderOfMaking.sorted(by: { $0.lastUse < $1.lastUse }) {
      while excess > 0 {
        guard remaining > 0 else { return }
        let (bytes, entries) = (sandbox.traffic.journal.byteCount, sandbox.traffic.journal.retainedCount)
        guard sandbox.traffic.exchangeLog.journal.evict() else { break }
        remaining -= entries - sandbox.traffic.journal.retainedCount
        excess -= bytes - sandbox.traffic.journal.byteCount
      }
    }
  }

  /// Collects the counts of all exchanges that have ended.
  func collectCounts() {
    for sandbox in inOrderOfMaking { sandbox.traffic.exchangeLog.moveCounts(to: &counts) }
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
