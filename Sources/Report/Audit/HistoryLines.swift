import Contract
import JSON
import Primitives

/// The history as checkers such as Knossos and Porcupine read it: one event a line, each operation invoked and
/// completed.
///
/// A process has one operation at a time and none after an `info`, as Jepsen wants it; so a process is no client.
/// Writes and reads name their register as `key`, bookings their counter. What restores records, a reset or a snapshot,
/// stands in it as one write for each register of theirs that the history has. A stored response that was sent again under
/// its key is no further write.
extension History {
  private struct Event {
    let time: MonotonicInstant
    let isInvocation: Bool
    let operation: Operation
    let process: Int
  }

  package var lines: [UInt8] {
    var output: [UInt8] = []
    let registers = Set(retained.flatMap { $0.values.map(\.register) }).sorted { $0.name < $1.name }
    for event in events {
      let type = event.isInvocation ? "invoke" : event.operation.type.rawValue
      for (key, value) in event.operation.entries(among: registers) {
        let isUnread = !event.operation.isWrite && (event.isInvocation || event.operation.type != .ok)
        let line: JSONValue = [
          "process": .int(event.process), "type": .string(type), "f": .string(event.operation.function),
          "key": .string(key), "value": isUnread ? .null : value, "time": .int(Int(event.time.nanoseconds)),
          "id": .int(event.operation.id),
        ]
        line.write(to: &output)
        output.append(UInt8(ascii: "\n"))
      }
    }
    return output
  }

  private var events: [Event] {
    /// The time at which each process is free again; never after an unknown outcome.
    var free: [MonotonicInstant] = []
    var events: [Event] = []
    for operation in retained.filter({ !$0.isStoredResponse }).sorted(by: { $0.arrival < $1.arrival }) {
      let process = free.firstIndex { $0 < operation.arrival } ?? free.count
      if process == free.count { free.append(operation.arrival) }
      free[process] = operation.type == .info ? .distantFuture : operation.end
      events.append(Event(time: operation.arrival, isInvocation: true, operation: operation, process: process))
      events.append(Event(time: operation.end, isInvocation: false, operation: operation, process: process))
    }
    return events.sorted { left, right in
      if left.time != right.time { return left.time < right.time }
      if left.isInvocation != right.isInvocation { return left.isInvocation }
      return left.operation.id < right.operation.id
    }
  }
}

extension History.Operation {
  /// True if its response was stored under its key before, so that it did nothing.
  fileprivate var isStoredResponse: Bool {
    if case .restore = effect { false } else { isWrite && type == .ok && !counts }
  }

  fileprivate var function: String {
    switch effect {
    case .read: "read"
    case .decrement: "book"
    case .none, .write, .restore: "write"
    }
  }

  fileprivate func entries(among registers: [Register]) -> [(key: String, value: JSONValue)] {
    switch effect {
    case .decrement(let counter): return [(counter.name, -1)]
    case .restore(let api, let initial):
      return registers.filter { api.isEmpty || $0.record.api == api }.compactMap { register in
        initial(register).map { (register.name, Self.json($0)) }
      }
    default: return values.map { ($0.register.name, Self.json($0.text)) }
    }
  }

  private static func json(_ text: String) -> JSONValue { (try? JSONValue(parsing: text)) ?? .string(text) }
}
