import Contract

/// Whether there is an order of the operations on one register that explains every read and that no one could prove
/// wrong by their clock (Herlihy and Wing 1990), searched as Wing and Gong do (1993).
///
/// Where nothing is under way the history falls into pieces, so that only the overlap costs: a piece of more than 64
/// operations, or one that takes too many steps, is not judged, and what it leaves behind counts as unknown.
enum Linearizability {
  struct Operation: Sendable {
    let id: Int
    let isWrite: Bool
    let value: String
    let start: Tick
    /// When it was over; an operation that may still take effect, or never, has none.
    let end: Tick?
  }

  enum Outcome: Sendable, Equatable {
    /// - `tangled`: The number of operations that were not judged.
    case linearizable(tangled: Int)
    /// The ids of the piece that has no order.
    case violated([Int])
  }

  static let mostSteps = 20_000

  /// - Parameter initial: What the register held before; nil where nobody knows.
  static func check(_ operations: [Operation], initial: String? = nil) -> Outcome {
    var states: Set<String?> = [initial]
    var tangled = 0
    for piece in pieces(operations) {
      guard piece.count <= 64, let ends = finals(piece, from: states) else {
        tangled += piece.count
        states = [nil]
        continue
      }
      if ends.isEmpty { return .violated(piece.map(\.id)) }
      states = ends
    }
    return .linearizable(tangled: tangled)
  }

  private static func pieces(_ operations: [Operation]) -> [[Operation]] {
    var pieces: [[Operation]] = []
    var end = Tick(nanoseconds: .min)
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

  /// What has been put in order so far, as bits, and what the register then holds.
  private struct Step: Hashable {
    let done: UInt64
    let state: String?
  }

  /// Everything that the register may hold after a piece: nothing when no order explains it, nil when it takes too
  /// long.
  private static func finals(_ piece: [Operation], from states: Set<String?>) -> Set<String?>? {
    let owed = piece.indices.reduce(UInt64(0)) { piece[$1].end == nil ? $0 : $0 | 1 << UInt64($1) }
    var seen = Set(states.map { Step(done: 0, state: $0) })
    var open = Array(seen)
    var finals: Set<String?> = []
    while let step = open.popLast() {
      if step.done & owed == owed { finals.insert(step.state) }
      guard seen.count < mostSteps else { return nil }
      for next in followers(of: step, piece) where seen.insert(next).inserted { open.append(next) }
    }
    return finals
  }

  /// The steps that an operation may take which began before any other that is left had ended.
  private static func followers(of step: Step, _ piece: [Operation]) -> [Step] {
    let left = piece.indices.filter { step.done & 1 << UInt64($0) == 0 }
    let first = left.compactMap { piece[$0].end }.min() ?? .distantFuture
    return left.compactMap { place in
      let operation = piece[place]
      guard operation.start <= first else { return nil }
      let done = step.done | 1 << UInt64(place)
      if operation.isWrite { return Step(done: done, state: operation.value) }
      guard step.state == nil || step.state == operation.value else { return nil }
      return Step(done: done, state: operation.value)
    }
  }
}
