import JSON
import Primitives

/// A scenario and a seed, prepared for many requests. It decides the plan of each exchange.
///
/// It is immutable, and shared by all requests.
package final class ArmedScenario: Sendable {
  package let scenario: Scenario
  package let seed: UInt64
  private let rules: [CompiledRule]
  private let gates: [RuleGate]
  private let windows: [TimeWindow]
  private let table: RuleTable
  /// The outages and their schedules.
  private let outages: [(outage: Outage, when: Trigger, window: TimeWindow)]
  private let rivalIndices: [Int]
  /// The rules that count all requests that they match.
  private let countingIndices: [Int]
  /// The maximum number of older states that the rules may use.
  package let depth: Int

  package init(_ scenario: Scenario, seed: UInt64) {
    self.scenario = scenario
    self.seed = seed
    let rules = scenario.rules.map { CompiledRule($0, seed: seed) }
    self.rules = rules
    gates = rules.map(RuleGate.init)
    // The actions of rivals have their own times: those of the past may still be due.
    windows = rules.map { TimeWindow($0.rivals == nil ? $0.when : Trigger()) }
    table = RuleTable(scenario.rules)
    outages = scenario.rules.compactMap { rule in
      (rule.effect.body as? Offline).map { ($0.outage, rule.when, TimeWindow(rule.when)) }
    }
    rivalIndices = rules.indices.filter { rules[$0].rivals != nil }
    countingIndices = rules.indices.filter { rules[$0].when.countsByRule }
    depth = scenario.rules.map(\.effect.body.depth).max() ?? 0
  }

  /// Returns the indices of the rules that may apply to a stream, for `plan`: they are the same for all of its
  /// requests.
  package func rules(about stream: RequestKey) -> [Int] {
    let indices = table.indices(stream)
    guard indices.contains(where: { rules[$0].looksIntoStream }) else { return indices }
    let path = SplitPath(stream.path)
    return indices.filter { rules[$0].matches(stream, path) }
  }

  /// True if the scenario has no rules.
  package var isEmpty: Bool { rules.isEmpty }

  /// Returns the plan of one exchange.
  ///
  /// - Parameters:
  ///   - indices: The result of `rules(about:)` for the stream, if known.
  ///   - earlier: The plan by rules that precede those of the scenario, if there are some.
  ///
  /// Counters with another number of rules belong to another scenario, and are replaced by new ones. `header` returns a
  /// field's combined value by its name in any case; it is called last, and only for rules that name a field.
  package func plan(
    for context: RequestContext, among indices: [Int]? = nil, after earlier: Plan? = nil, state: inout ScenarioCounters,
    header: (String) -> String? = { _ in nil }
  ) -> Plan {
    guard !rules.isEmpty else { return earlier ?? Plan(context.position) }
    var plan = earlier?.draft ?? PlanDraft(context.position)
    if state.counters.count != rules.count { state = ScenarioCounters(self) }
    var rivalIndices: [Int] = []
    var fields = RequestFields()
    let elapsed = max(0, context.$elapsed.nanoseconds)
    let indices = indices ?? rules(about: context.stream)
    count(context, among: indices, &state, &fields, header)
    for index in indices {
      guard windows[index].contains(elapsed), concerns(index, context, &fields, header) else { continue }
      if gates[index].isOfRivals {
        rivalIndices.append(index)
        continue
      }
      let n = gates[index].countsByRule ? state.counters[index].ordinal(of: context) : context.position.n
      guard let hash = gates[index].chosen(context, n) else { continue }
      rules[index].add(to: &plan, context, hash, &state.counters[index])
    }
    if !rivalIndices.isEmpty { plan.add(moves(ofRulesAt: rivalIndices, upTo: context.elapsed, &state)) }
    return Plan(plan)
  }

  /// Counts a request that gets another plan than the scenario's, so that the rules that count all requests that they match
  /// go on.
  package func count(
    _ context: RequestContext, among indices: [Int]? = nil, state: inout ScenarioCounters,
    header: (String) -> String? = { _ in nil }
  ) {
    guard !countingIndices.isEmpty else { return }
    if state.counters.count != rules.count { state = ScenarioCounters(self) }
    var fields = RequestFields()
    count(context, among: indices ?? rules(about: context.stream), &state, &fields, header)
  }

  private func count(
    _ context: borrowing RequestContext, among indices: [Int], _ state: inout ScenarioCounters,
    _ fields: inout RequestFields, _ header: (String) -> String?
  ) {
    guard !countingIndices.isEmpty, context.isCounted else { return }
    for index in countingIndices where indices.contains(index) && concerns(index, context, &fields, header) {
      state.counters[index].requests += 1
    }
  }

  /// Returns true if a rule about the stream matches a request; the cheapest comparison comes first.
  private func concerns(
    _ index: Int, _ context: borrowing RequestContext, _ fields: inout RequestFields, _ header: (String) -> String?
  ) -> Bool {
    guard gates[index].concerns(context) else { return false }
    return !gates[index].hasHeaderConditions || rules[index].matches(&fields, header)
  }

  /// Returns the plan of a stream's n-th request, as far as it follows from n alone.
  ///
  /// It contains the effects of the rules that depend on nothing else, and lists the rules that may also apply.
  ///
  /// - Parameter earlier: The plan to which the effects are added; nil for none.
  package func preview(
    _ context: RequestContext, after earlier: Plan? = nil, header: (String) -> String? = { _ in nil }
  ) -> PlanPreview {
    var plan = earlier?.draft ?? PlanDraft(context.position)
    var possible: [PlanPreview.Possibility] = []
    var none = RuleCounters()
    var fields = RequestFields()
    for index in rules(about: context.stream) where concerns(index, context, &fields, header) {
      let gate = gates[index]
      let hash = gate.countsByRule ? gate.drawn(context) : gate.chosen(context, context.position.n)
      let rule = rules[index]
      guard hash != nil || rule.rivals != nil else { continue }
      if let dependence = rule.dependence {
        possible.append(
          PlanPreview.Possibility(
            rule: rule.identity, dependence: dependence, description: rule.rule.possibleDescription))
      } else if let hash {
        rule.add(to: &plan, context, hash, &none)
      }
    }
    return PlanPreview(plan: Plan(plan), possible: possible)
  }
}

extension ArmedScenario {
  /// Returns the actions of all rivals that are due, independent of requests.
  package func rivals(upTo elapsed: Duration, state: inout ScenarioCounters) -> [Rivals.Move] {
    if state.counters.count != rules.count { state = ScenarioCounters(self) }
    return moves(ofRulesAt: rivalIndices, upTo: elapsed, &state)
  }

  /// Returns the actions of some rules' rivals, rule by rule; if too many are due, the newest of them.
  private func moves(ofRulesAt indices: [Int], upTo elapsed: Duration, _ state: inout ScenarioCounters) -> [Rivals.Move]
  {
    let start = startOfBacklog(ofRulesAt: indices, upTo: elapsed, state)
    var moves: [Rivals.Move] = []
    for index in indices {
      rules[index].rivals?
        .appendMoves(of: rules[index], after: start, upTo: elapsed, &state.counters[index], to: &moves)
    }
    return moves
  }

  /// Returns the time after which at most `Rivals.maximumAtOnce` actions are due. It is found by bisection, so that the
  /// backlog is never enumerated. If a single instant has more, it is just before that instant.
  private func startOfBacklog(ofRulesAt indices: [Int], upTo elapsed: Duration, _ state: ScenarioCounters) -> Duration {
    let backlogs = indices.compactMap { index in
      rules[index].rivals?.backlog(after: state.counters[index].count, upTo: elapsed)
    }
    func movesDue(after start: Int64) -> Int {
      var sum = 0
      for backlog in backlogs { sum += backlog.moves(after: start) }
      return sum
    }
    guard movesDue(after: 0) > Rivals.maximumAtOnce else { return .zero }
    var (early, late) = (Int64(0), elapsed.nanoseconds)
    while late - early > 1 {
      let middle = early + (late - early) / 2
      if movesDue(after: middle) > Rivals.maximumAtOnce { early = middle } else { late = middle }
    }
    return .nanoseconds(movesDue(after: late) > 0 ? late : early)
  }

  /// Returns the outage at a time, independent of requests: of several, that of the first rule.
  package func outage(at elapsed: Duration) -> Outage? {
    outages.first { $0.window.contains(max(0, elapsed.nanoseconds)) }?.outage
  }

  /// True if a rule acts by the clock alone, without a request.
  package var actsByItself: Bool { hasOutages || !rivalIndices.isEmpty }

  /// True if a schedule ever takes the sandbox offline.
  package var hasOutages: Bool { !outages.isEmpty }

  /// Returns the offline time up to `elapsed`; times of two rules count twice.
  package func timeOffline(until elapsed: Duration) -> Duration {
    outages.reduce(.zero) { $0 + $1.when.openTime(until: elapsed) }
  }

  /// Returns the time at which `outage(at:)` may change; nil if it never does.
  package func nextOutageChange(after elapsed: Duration) -> Duration? {
    outages.compactMap { $0.when.nextChange(after: elapsed) }.min()
  }
}

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
  /// The number of requests that the rule has matched, if its ordinals count these.
  var requests = 0

  /// Returns the ordinal of a request that was counted last; nil if it is not counted.
  func ordinal(of context: borrowing RequestContext) -> Int? { context.isCounted ? requests : nil }
}
