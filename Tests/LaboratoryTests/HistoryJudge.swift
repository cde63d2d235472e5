import JSON

/// A judge of exported histories that shares nothing with the report: it reads the lines of `/_mock/history` as an external
/// checker would, and searches each register for an order of its operations (Wing and Gong 1993, with the memory of Lowe
/// 2017).
struct HistoryJudge {
  /// One operation on one register.
  private struct Operation {
    let isWrite: Bool
    let value: String
    let start: Int
    /// Nil if the operation may take effect at any later time, or never.
    let end: Int?
  }

  private struct State: Hashable {
    let done: [Bool]
    let value: String?
  }

  struct UnreadableError: Error {
    let line: String
  }

  private let registers: [String: [Operation]]

  /// The number of operations.
  var count: Int { registers.values.reduce(0) { $0 + $1.count } }

  /// Reads a history.
  ///
  /// - Parameter lines: JSON values with line feeds between them.
  init(_ lines: String) throws {
    var begun: [String: JSONValue] = [:]
    var registers: [String: [Operation]] = [:]
    for line in lines.split(separator: "\n") {
      guard let event = try? JSONValue(parsing: Array(line.utf8)), let key = event["key"]?.string,
        let type = event["type"]?.string, let function = event["f"]?.string, let process = event["process"]?.int,
        let time = event["time"]?.int
      else { throw UnreadableError(line: String(line)) }
      // A process does one thing at a time, and a restore writes each register once.
      let slot = "\(process) \(key)"
      if type == "invoke" {
        begun[slot] = event
        continue
      }
      guard let start = begun.removeValue(forKey: slot)?["time"]?.int else { throw UnreadableError(line: String(line)) }
      let isWrite = function == "write"
      // Bookings have no value, a refused write none that counts, and a read that failed saw nothing.
      guard isWrite || function == "read", type == "ok" || type == "info" && isWrite else { continue }
      registers[key, default: []].append(
        Operation(
          isWrite: isWrite, value: event["value"]?.text ?? "null", start: start, end: type == "ok" ? time : nil))
    }
    self.registers = registers
  }

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
