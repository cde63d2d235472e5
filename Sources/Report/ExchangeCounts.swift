package import Faults

/// The numbers of finished exchanges, by operation and status and by planned fault.
///
/// They do not depend on the order in which they are counted. Counting allocates only for an operation, a status or
/// a fault that was not counted before.
package struct ExchangeCounts: Sendable {
  /// The number of exchanges with one operation and one status.
  package struct Tally: Sendable, Equatable {
    fileprivate let key: UInt64
    package fileprivate(set) var count: Int
  }

  /// The number of planned faults of one kind in one phase.
  package struct FaultTally: Sendable, Equatable {
    package let kind: Effect.Kind
    package let phase: Phase
    package let count: Int
  }

  /// The last counted tally. Most exchanges repeat it, so it is kept apart from the sorted ones.
  private var last = Tally(key: 0, count: 0)
  /// The other tallies, in ascending order of their keys.
  private var others: [Tally] = []
  /// The number of each kind of fault in each phase; empty until there is a fault.
  private var faults: [Int] = []
  /// The number of faults that could not be applied to a response.
  package private(set) var undeliverableFaults = 0

  private static let kinds = Effect.Kind.allCases

  package init() {}

  package var isEmpty: Bool { last.count == 0 }

  /// Counts a finished exchange.
  package mutating func count(_ entry: borrowing Entry) {
    add(1, to: entry.tallyKey)
    if let plan = entry.plan { countFaults(of: entry, plan: plan) }
  }

  private mutating func countFaults(of entry: borrowing Entry, plan: Plan) {
    if entry.outcome == .notDeliverable {
      undeliverableFaults += 1
    } else if let fault = plan.fault {
      addFault(fault.action.kind, in: fault.phase)
    }
    plan.forEachSlowdown { kind, phase in addFault(kind, in: phase) }
  }

  /// Adds other counts.
  package mutating func add(_ other: ExchangeCounts) {
    guard !other.isEmpty else { return }
    for tally in other.others { add(tally.count, to: tally.key) }
    add(other.last.count, to: other.last.key)
    if faults.isEmpty {
      faults = other.faults
    } else {
      for index in other.faults.indices { faults[index] += other.faults[index] }
    }
    undeliverableFaults += other.undeliverableFaults
  }

  private mutating func add(_ count: Int, to key: UInt64) {
    if last.key == key { return last.count += count }
    if last.count > 0 { others.add(last) }
    last = Tally(key: key, count: count)
  }

  /// In the order of APIs, operations and statuses: requests without an API or an operation come last, exchanges
  /// without a status come first.
  package var tallies: [Tally] {
    var all = others
    if last.count > 0 { all.add(last) }
    return all
  }

  private mutating func addFault(_ kind: Effect.Kind, in phase: Phase) {
    // The first kinds are the most frequent, and hashing costs more than a few comparisons.
    guard let index = Self.kinds.firstIndex(of: kind) else { preconditionFailure("every kind is registered") }
    if faults.isEmpty { faults = Array(repeating: 0, count: Self.kinds.count * 2) }
    faults[index * 2 + (phase == .before ? 0 : 1)] += 1
  }

  /// The faults that were counted, in the order of their kinds.
  package var faultTallies: [FaultTally] {
    faults.indices.filter { faults[$0] > 0 }.map { index in
      FaultTally(kind: Self.kinds[index / 2], phase: index % 2 == 0 ? .before : .after, count: faults[index])
    }
  }
}

extension ExchangeCounts.Tally {
  /// The API's index among those of the server, the control API included; nil for unknown paths.
  package var api: Int? { Self.index(key >> 32) }
  /// The operation's index in its API; nil if the request matches none.
  package var operation: Int? { Self.index(key >> 16) }
  /// The status whose line was sent; nil if none was.
  package var status: Int? { key & 0xFFFF == 0 ? nil : Int(key & 0xFFFF) }

  private static func index(_ bits: UInt64) -> Int? {
    let index = Int16(truncatingIfNeeded: bits)
    return index < 0 ? nil : Int(index)
  }
}

extension [ExchangeCounts.Tally] {
  /// Adds a tally in ascending order of their keys.
  fileprivate mutating func add(_ tally: Element) {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if self[middle].key < tally.key { lower = middle + 1 } else { upper = middle }
    }
    if lower < count, self[lower].key == tally.key {
      self[lower].count += tally.count
    } else {
      insert(tally, at: lower)
    }
  }
}

extension Entry {
  /// API, operation and status as one number, whose order is that of the tallies: a missing index is the highest one.
  fileprivate var tallyKey: UInt64 {
    let route = UInt64(UInt16(bitPattern: apiIndex)) << 16 | UInt64(UInt16(bitPattern: operationIndex))
    return route << 16 | UInt64(max(0, statusCode))
  }
}
