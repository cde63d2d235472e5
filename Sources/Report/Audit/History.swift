import Contract
import JSON
import Primitives

/// The newest writes and reads of audited records, within limits, for the linearizability check and for export.
package struct History: Sendable {
  static let maximumOperations = 10_000
  static let maximumBytes = 4 << 20
  /// Each restored state is kept for the values that it brought; what lies before the oldest of them is forgotten.
  static let maximumRestored = 4

  /// One exchange with an audited record.
  struct Operation: Sendable {
    let id: Int
    fileprivate(set) var effect: Observation.Effect
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    let type: Completion
    /// True if it took effect, or returned a state that existed.
    let counts: Bool
    /// The version of the state at which it was performed.
    let version: Int
    /// True if it changed that version.
    let isApplied: Bool
    let bytes: Int
  }

  /// The completion of an operation, by Jepsen's names.
  enum Completion: String, Sendable {
    case ok, fail, info
  }

  /// The operations. Discarded ones at the front still occupy an index, without content.
  private(set) var operations: [Operation] = []
  private var oldest = 0
  private var bytes = 0
  /// Operations before these versions concern another state: of all APIs, and of each.
  private var floor = 0
  private var floors: [String: Int] = [:]

  mutating func observe(_ seen: Observation) {
    let effect = seen.effect
    if case .restore(let api, _) = effect {
      guard seen.isApplied, let versions = seen.versions else { return }
      floors[api] = max(floors[api] ?? 0, versions.upperBound)
    }
    guard let size = effect.size else { return }
    let type: Completion
    if case .read = effect {
      type = seen.isSuccess ? .ok : .fail
    } else {
      type = seen.isAcknowledged ? .ok : seen.isCertainlyRefused ? .fail : .info
    }
    let isStored = seen.key != nil && !seen.isApplied
    operations.append(
      Operation(
        id: seen.id, effect: consume effect, arrival: seen.arrival, end: seen.end, type: type,
        counts: seen.isApplied || (type == .ok && !isStored), version: seen.versions?.lowerBound ?? -1,
        isApplied: seen.isApplied, bytes: size))
    bytes += size
    if isOverfull { trim() }
  }

  private var isOverfull: Bool { operations.count - oldest > Self.maximumOperations || bytes > Self.maximumBytes }

  private mutating func trim() {
    while isOverfull { discardOldest() }
    compact()
  }

  private mutating func discardOldest() {
    bytes -= operations[oldest].bytes
    operations[oldest].effect = .none
    oldest += 1
  }

  /// Removes the discarded operations, so rarely that the cost per added operation is constant.
  private mutating func compact() {
    guard oldest * 2 > operations.count else { return }
    operations.removeFirst(oldest)
    oldest = 0
  }

  /// Records that the state was replaced: operations before and after it are unrelated.
  mutating func replace(with state: CheckContext.State, at now: MonotonicInstant) {
    floor = max(floor, state.version)
    guard oldest < operations.count else { return }
    let size = MemoryLayout<Operation>.stride
    operations.append(
      Operation(
        id: 0, effect: .restore(api: "", initial: state.value), arrival: now, end: now, type: .ok, counts: false,
        version: state.version, isApplied: false, bytes: size))
    bytes += size
    trim()
    let restored = retained.indices.filter { retained[$0].id == 0 }
    guard restored.count > Self.maximumRestored else { return }
    while oldest < restored[1] { discardOldest() }
    compact()
  }

  var retained: ArraySlice<Operation> { operations[oldest...] }
}

extension History {
  struct Judged: Sendable {
    /// The operations that stand in one order.
    var operations = 0
    /// Those for which no order was searched, because too many of them overlap.
    var unchecked = 0
    var violation: (register: String, ids: [Int])?
  }

  /// Searches for an order of the operations on each register.
  var judged: Judged {
    var registers: [Register: [Linearizability.Operation]] = [:]
    let counted = retained.filter { $0.counts && $0.version >= floor }
    for operation in counted.sorted(by: { $0.isPerformed(before: $1) }) {
      for value in operation.values {
        if operation.version < floors[value.register.record.api] ?? 0 { continue }
        registers[value.register, default: []].append(
          Linearizability.Operation(
            id: operation.id, isWrite: operation.isWrite, value: value.text, start: operation.arrival,
            end: operation.end))
      }
    }
    var judged = Judged()
    for (register, operations) in registers.sorted(by: { $0.key.name < $1.key.name }) {
      switch Linearizability.check(operations) {
      case .linearizable(let unchecked):
        judged.operations += operations.count - unchecked
        judged.unchecked += unchecked
      case .violated(let ids):
        judged.violation = (register.name, ids)
        return judged
      }
    }
    return judged
  }
}

extension History.Operation {
  var isWrite: Bool { if case .read = effect { false } else { true } }

  /// True if the server performed it before another one, by its versions: what showed a version came before what changed it.
  fileprivate func isPerformed(before other: History.Operation) -> Bool {
    (version, isApplied ? 1 : 0, id) < (other.version, other.isApplied ? 1 : 0, other.id)
  }

  /// The values written to registers or read from them.
  var values: [Register.Value] {
    switch effect {
    case .none, .decrement, .restore: []
    case .write(let values): Array(values)
    case .read(let record, let body): (try? JSONValue(parsing: body)).map { Register.values(of: record, in: $0) } ?? []
    }
  }
}

extension Observation.Effect {
  /// The number of bytes in use; nil if there is nothing to audit.
  fileprivate var size: Int? {
    let own = MemoryLayout<History.Operation>.stride
    return switch self {
    case .none: nil
    case .write(let values): own + values.byteCount
    case .decrement(let counter): own + counter.record.id.utf8.count
    case .restore: own
    case .read(let record, let body): own + record.id.utf8.count + body.count
    }
  }
}

extension Register.Values {
  /// The size of the members and of the texts that come from clients.
  fileprivate var byteCount: Int {
    var count = members.capacity * MemoryLayout<JSONValue.Member>.stride + record.id.utf8.count
    for index in members.indices {
      count += members[index].name.utf8.count
      if case .string(let text) = members[index].value {
        count += text.utf8.count
      } else {
        count += members[index].value.text.utf8.count
      }
    }
    return count
  }
}
