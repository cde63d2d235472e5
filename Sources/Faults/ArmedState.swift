/// What the rules that depend on arrival remember: a value, so that snapshot and reset are assignments.
package struct ArmedState: Sendable, Equatable {
  /// One for each rule, in the scenario's order.
  var memories: [Memory]

  package init(_ armed: ArmedScenario) {
    memories = Array(repeating: Memory(), count: armed.scenario.rules.count)
  }
}

/// What one rule remembers; each effect that does says what the parts mean to it.
package struct Memory: Sendable, Equatable {
  var since: Duration?
  var until: Duration?
  var count = 0
}
