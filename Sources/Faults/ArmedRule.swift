/// A rule that is armed by itself, beside the scenario of a sandbox, with its counters.
package struct ArmedRule: Sendable {
  private let armed: ArmedScenario
  private var counters: ScenarioCounters

  /// The number of older states that it may need.
  package var depth: Int { armed.depth }

  package init(_ rule: Rule, seed: UInt64) {
    armed = ArmedScenario(Scenario(name: "", rules: [rule]), seed: seed)
    counters = ScenarioCounters(armed)
  }

  /// Returns the plan of a request by this rule alone; nil if it does not apply.
  ///
  /// - Parameter header: Returns a field's combined value by its name in any case.
  package mutating func plan(for context: RequestContext, header: (String) -> String? = { _ in nil }) -> Plan? {
    let plan = armed.plan(for: context, state: &counters, header: header)
    return plan.hasRules ? plan : nil
  }
}
