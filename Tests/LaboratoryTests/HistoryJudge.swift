/// A history of reads and writes of registers, and the search for an order that explains what was read (Wing and Gong 1993,
/// with the memory of Lowe 2017).
struct HistoryJudge {
  /// One operation on one register.
  struct Operation {
    let isWrite: Bool
    let value: String
    let start: Int64
    /// Nil if the operation may take effect at any later time, or never.
    let end: Int64?
  }

  private struct State: Hashable {
    let done: [Bool]
    let value: String?
  }

  private var registers: [String: [Operation]] = [:]

  /// The number of operations.
  var count: Int { registers.values.reduce(0) { $0 + $1.count } }

  mutating func add(_ operation: Operation, on register: String) { registers[register, default: []].append(operation) }

  /// Returns the names of the registers for which no order explains what was read.
  func unexplained() -> [String] {
    registers.filter { !Self.hasOrder($0.value) }.map(\.key).sorted()
  }

  private static func hasOrder(_ all: [Operation]) -> Bool {
    let read = Set(all.filter { !$0.isWrite }.map(\.value))
    // An unknown write whose value was never read may as well not have happened.
    let operations = all.filter { $0.end != nil || read.contains($0.value) }.sorted { $0.start < $1.start }
    let first = State(done: Array(repeating: false, count: operations.count), value: nil)
    var seen: Set<State> = [first]
    var open = [first]
    while let state = open.popLast() {
      let left = operations.indices.filter { !state.done[$0] }
      guard let bound = left.compactMap({ operations[$0].end }).min() else { return true }
      for index in left where operations[index].start <= bound {
        let next = operations[index]
        // The value before the first write is unknown: the first read tells it.
        guard next.isWrite || state.value == nil || state.value == next.value else { continue }
        var done = state.done
        done[index] = true
        let follower = State(done: done, value: next.value)
        if seen.insert(follower).inserted { open.append(follower) }
      }
    }
    return false
  }
}
