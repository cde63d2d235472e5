package import JSON

/// A changed part of an API's state, small enough to be logged for every change.
///
/// It contains the new value and not the step, so that applying it repeatedly has the same result.
package enum Delta: Sendable, Equatable {
  /// The record at an index of a table.
  case record(Int, JSONValue.Object)
  /// All records of a table, if they have changed.
  case records([JSONValue])
  case fixture(room: Int, fixture: Int, isOn: Bool)
  /// The number of free spots of the room at an index.
  case spots(Int, Int)
  case several([Delta])

  /// The error of a delta that belongs to another state.
  package struct MismatchError: Error {
    package let expectation: String
  }
}

extension Delta {
  /// The records in the delta.
  package var records: [JSONValue] {
    switch self {
    case .record(_, let object): [.object(object)]
    case .records(let elements): elements
    case .several(let deltas): deltas.flatMap(\.records)
    case .fixture, .spots: []
    }
  }

  package var json: JSONValue {
    switch self {
    case .record(let index, let object): .array(["record", .int(index), .object(object)])
    case .records(let elements): .array(["records", .array(elements)])
    case .fixture(let room, let fixture, let isOn): .array(["fixture", .int(room), .int(fixture), .bool(isOn)])
    case .spots(let index, let count): .array(["spots", .int(index), .int(count)])
    case .several(let deltas): .array(["several"] + deltas.map(\.json))
    }
  }

  /// Parses the result of `json`; nil for anything else.
  package init?(json: JSONValue) {
    guard let parts = json.array, let kind = parts.first?.string else { return nil }
    switch (kind, parts.count) {
    case ("record", 3):
      guard let index = parts[1].int, let object = parts[2].object else { return nil }
      self = .record(index, object)
    case ("records", 2):
      guard let elements = parts[1].array else { return nil }
      self = .records(elements)
    case ("fixture", 4):
      guard let room = parts[1].int, let fixture = parts[2].int, let isOn = parts[3].bool else { return nil }
      self = .fixture(room: room, fixture: fixture, isOn: isOn)
    case ("spots", 3):
      guard let index = parts[1].int, let count = parts[2].int else { return nil }
      self = .spots(index, count)
    case ("several", _):
      let deltas = parts.dropFirst().map { Delta(json: $0) }
      guard deltas.allSatisfy({ $0 != nil }) else { return nil }
      self = .several(deltas.compactMap(\.self))
    default: return nil
    }
  }
}
