import Faults
import JSON

extension Stream {
  static let patch = Stream(api: "devices", method: "PATCH", path: "/devices/WWM-0001-12")
  static let list = Stream(api: "devices", method: "GET", path: "/devices")
}

extension Facts {
  static func patch(_ n: Int, elapsed: Duration = .zero) -> Facts {
    Facts(stream: .patch, position: .ordinal(n), changes: true, elapsed: elapsed)
  }

  static func list(_ n: Int, elapsed: Duration = .zero) -> Facts {
    Facts(stream: .list, position: .ordinal(n), changes: false, elapsed: elapsed)
  }
}

extension Effect {
  static let reset = Effect(.ending(.reset))
}

extension Scenario {
  init(_ rules: Rule...) { self.init(name: "test", rules: rules) }

  init(parsing text: String, operations: [OperationFacts] = []) throws {
    try self.init(json: JSON(parsing: text), operations: operations)
  }
}

extension ArmedScenario {
  /// Returns the plan of a first request.
  func fresh(_ facts: Facts, header: (String) -> String? = { _ in nil }) -> Plan {
    var state = ArmedState(self)
    return plan(for: facts, state: &state, header: header)
  }
}

extension OperationFacts {
  static let sample = [
    OperationFacts(api: "devices", method: "GET", path: "/devices", changes: false),
    OperationFacts(api: "devices", method: "PATCH", path: "/devices/{id}", changes: true),
    OperationFacts(api: "house", method: "GET", path: "/{room}/{fixture}/on", changes: true),
    OperationFacts(api: "house", method: "GET", path: "/weather/cold", changes: false),
  ]
}

/// Draws that have nothing to do with each other, for tests that need many.
func draws(_ count: Int) -> [UInt64] {
  let dice = Dice(seed: 99)
  return (0..<count).map { dice.folding(UInt64($0)).draw(.latency) }
}
