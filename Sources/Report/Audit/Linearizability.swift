import Contract
import Primitives

/// A test for an order of the operations on one register that explains every read and contradicts no clock (Herlihy and
/// Wing 1990).
///
/// The order in which the server performed them is mostly such an order, and a single pass tells. Otherwise one is searched
/// for, as by Wing and Gong (1993). The history is split at instants without an operation in progress, so that only overlaps
/// are expensive. A piece of more than 64 operations, or one that takes too many steps, is not checked, and its result counts
/// as unknown.
enum Linearizability {
  struct Operation: Sendable {
    let id: Int
    let isWrite: Bool
    let value: String
    let start: MonotonicInstant
    /// The instant at which it ended; nil if it may still take effect, or never will.
    let end: MonotonicInstant?
  }

  enum Outcome: Sendable, Equatable {
    /// - `unchecked`: The number of operations that were not judged.
    case linearizable(unchecked: Int)
    /// The ids of the piece that has no order.
    case violated([Int])
  }

  /// The steps that a piece may take: each one that took too many leaves half to those after it, but enough for the few
  /// operations that overlap by chance.
  static let maximumSteps = 20_000
  private static let minimumSteps = 100

  /// Checks a history.
  ///
  /// - Parameters:
  ///   - operations: The operations in the order in which the server says that it performed them.
  ///   - initial: The initial value of the register; nil if it is unknown.
  static func check(_ operations: [Operation], initial: String? = nil) -> Outcome {
    if isExplained(by: operations, initial: initial) { return .linearizable(unchecked: 0) }
    var states: Set<String?> = [initial]
    var unchecked = 0
    var steps = maximumSteps
    for piece in pieces(operations) {
      guard piece.count <= 64, let ends = finals(piece, from: states, atMost: steps) else {
        unchecked += piece.count
        states = [nil]
        steps = max(minimumSteps, steps / 2)
        continue
      }
      if ends.isEmpty { return .violated(piece.map(\.id)) }
      states = ends
    }
    return .linearizable(unchecked: unchecked)
  }

  /// Returns true if operations in this order explain every read and contradict no clock.
  private static func isExplained(by order: [Operation], initial: String?) -> Bool {
    var state = initial
    var latestStart = MonotonicInstant(nanoseconds: .min)
    for operation in order {
      if let end = operation.end, end < latestStart { return false }
      latestStart = max(latestStart, operation.start)
      if !operation.isWrite, let state, state != operation.value { return false }
      state = operation.value
    }
    return true
  }

  private static func pieces(_ operations: [Operation]) -> [[Operation]] {
    var pieces: [[Operation]] = []
    var end = MonotonicInstant(nanoseconds: .min)
    for operation in operations.sorted(by: { $0.start < $1.start }) {
      if operation.start > end || pieces.isEmpty {
        pieces.append([operation])
      } else {
        pieces[pieces.count - 1].append(operation)
      }
      end = max(end, operation.end ?? .distantFuture)
    }
    return pieces
  }

  /// The operations ordered so far, as bits, and the resulting value of the register.
  private struct Step: Hashable {
    let done: UInt64
    let state: String?
  }

  /// Returns all possible values of the register after a piece: none if no order explains it, nil if the search takes
  /// too long.
  private static func finals(
    _ piece: [Operation], from states: Set<String?>, atMost maximumSteps: Int
  ) -> Set<String?>? {
    let required = piece.indices.reduce(UInt64(0)) { piece[$1].end == nil ? $0 : $0 | 1 << UInt64($1) }
    var seen = Set(states.map { Step(done: 0, state: $0) })
    var open = Array(seen)
    var finals: Set<String?> = []
    while let step = open.popLast() {
      if step.done & required == required { finals.insert(step.state) }
      guard seen.count < maximumSteps else { return nil }
      for next in followers(of: step, piece) where seen.insert(next).inserted { open.append(next) }
    }
    return finals
  }

  /// Returns the next steps: the operations that began before any other remaining one had ended.
  private static func followers(of step: Step, _ piece: [Operation]) -> [Step] {
    let left = piece.indices.filter { step.done & 1 << UInt64($0) == 0 }
    let first = left.compactMap { piece[$0].end }.min() ?? .distantFuture
    return left.compactMap { index in
      let operation = piece[index]
      guard operation.start <= first else { return nil }
      let done = step.done | 1 << UInt64(index)
      if operation.isWrite { return Step(done: done, state: operation.value) }
      guard step.state == nil || step.state == operation.value else { return nil }
      return Step(done: done, state: operation.value)
    }
  }
}
