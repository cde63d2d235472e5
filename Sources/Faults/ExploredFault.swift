import Primitives

/// The fault of one cell of `explore`: it strikes certain requests in the life of a server, whatever its scenarios do.
package struct ExploredFault: Sendable, Equatable {
  /// The sandbox whose requests count; nil for those of all sandboxes together.
  package let sandbox: String?
  /// The fault, whose ordinals count all requests that the rule matches.
  package let rule: Rule

  /// - Parameters:
  ///   - name: The rule's name in plans and reports.
  ///   - ordinals: The requests that it strikes, counted from 1 among those that match.
  package init(
    _ effect: Effect, _ phase: Phase, named name: String, for match: Match, in sandbox: String?,
    requests ordinals: ClosedRange<Int>
  ) {
    self.sandbox = sandbox
    let when = Trigger(
      requests: Trigger.Ordinals(lower: ordinals.lowerBound, upper: ordinals.upperBound), per: .rule)
    rule = Rule(name, match: match, when: when, phase: phase, effect: effect)
  }
}

/// An explored fault, armed once for the life of a server, with the count of the requests that it matches.
package struct ArmedExploredFault: Sendable {
  private let sandbox: String?
  private var armed: ArmedRule
  /// The number of older states that it may need.
  package var depth: Int { armed.depth }

  package init(_ fault: ExploredFault, seed: UInt64) {
    sandbox = fault.sandbox
    armed = ArmedRule(fault.rule, seed: seed)
  }

  /// Counts a request, and returns its plan if the fault strikes it.
  package mutating func takePlan(for context: RequestContext, in sandbox: String) -> Plan? {
    guard self.sandbox == nil || self.sandbox == sandbox else { return nil }
    var context = context
    // A request whose `Fault-Key` takes the place of its ordinal counts here.
    if context.position.n == nil { context.position = .ordinal(1) }
    return armed.plan(for: context)
  }
}
