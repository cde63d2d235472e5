/// The counters of rules that depend on earlier requests: a value, so that snapshot and reset are assignments.
package struct ScenarioCounters: Sendable, Equatable {
  /// One value for each rule, in the scenario's order.
  var counters: [RuleCounters]

  package init(_ armed: ArmedScenario) {
    counters = Array(repeating: RuleCounters(), count: armed.scenario.rules.count)
  }
}

/// The counters of one rule; each effect that uses them documents their meaning.
package struct RuleCounters: Sendable, Equatable {
  var since: Duration?
  var until: Duration?
  var count = 0
}
