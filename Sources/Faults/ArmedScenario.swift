import JSON

/// A scenario and a seed, prepared for many requests: all decisions are made here.
///
/// It is immutable, and shared by all requests.
package final class ArmedScenario: Sendable {
  package let scenario: Scenario
  package let seed: UInt64
  private let rules: [CompiledRule]
  private let table: RuleTable
  private let offline: [Trigger]
  private let placesOfRivals: [Int]
  /// The maximum number of older states that the rules may use.
  package let depth: Int

  package init(_ scenario: Scenario, seed: UInt64) {
    self.scenario = scenario
    self.seed = seed
    rules = scenario.rules.map { CompiledRule($0, seed: seed) }
    table = RuleTable(scenario.rules)
    offline = scenario.rules.filter { $0.effect.kind == Offline.kind }.map(\.when)
    placesOfRivals = scenario.rules.indices.filter { scenario.rules[$0].effect.kind == Rivals.kind }
    depth = scenario.rules.map(\.effect.body.depth).max() ?? 0
  }

  /// Returns the indices of the rules about a stream, for `plan`: they are the same for all of its requests.
  package func rules(about stream: RequestKey) -> [Int] {
    table.indices(stream).filter { rules[$0].matches(stream) }
  }

  /// The rules' identities, in their order.
  package var identities: [String] { rules.map(\.identity) }

  /// Returns the plan of one exchange.
  ///
  /// - Parameter places: The indices of the rules about the stream, if known.
  ///
  /// The state of another scenario is replaced by a new one, so that an exchange of scenarios cannot go wrong. `header`
  /// returns a field's combined value by its name in any case; it is called last, and only for rules that name a field.
  package func plan(
    for facts: RequestContext, among indices: [Int]? = nil, state: inout ScenarioCounters,
    header: (String) -> String? = { _ in nil }
  ) -> Plan {
    var plan = Plan(facts.position)
    guard !rules.isEmpty else { return plan }
    if state.memories.count != rules.count { state = ScenarioCounters(self) }
    var placesOfRivals: [Int] = []
    var fields = RequestFields()
    for index in indices ?? rules(about: facts.stream) where rules[index].matches(facts, &fields, header) {
      let rule = rules[index]
      if rule.rivals != nil {
        placesOfRivals.append(index)
        continue
      }
      guard rule.when.holds(facts.position) else { continue }
      let isOpen = rule.when.holds(facts.elapsed)
      // If the window is closed, the chance only determines if the plan depends on time, which needs to be recorded
      // only once.
      guard isOpen || !plan.isTimed else { continue }
      let hash = rule.hash(facts)
      guard rule.when.holds(hash.draw(.chance)) else { continue }
      if rule.dependence != nil { plan.isTimed = true }
      guard isOpen else { continue }
      rule.body.add(to: &plan, rule.ruleMatch(facts, hash), &state.memories[index])
    }
    if !placesOfRivals.isEmpty { add(moves(ofRulesAt: placesOfRivals, upTo: facts.elapsed, &state), to: &plan) }
    return plan
  }

  /// Returns the plan of a stream's n-th request, as far as it follows from n alone.
  ///
  /// It is the plan of the rules that depend on nothing else, with a list of the rules that may also apply.
  package func preview(_ facts: RequestContext, header: (String) -> String? = { _ in nil }) -> PlanPreview {
    var plan = Plan(facts.position)
    var possible: [PlanPreview.Possibility] = []
    var none = RuleCounters()
    var fields = RequestFields()
    for index in rules(about: facts.stream) where rules[index].matches(facts, &fields, header) {
      let rule = rules[index]
      let hash = rule.hash(facts)
      let bites = rule.when.holds(facts.position) && rule.when.holds(hash.draw(.chance))
      guard bites || rule.rivals != nil else { continue }
      if let dependence = rule.dependence {
        possible.append(
          PlanPreview.Possibility(rule: rule.identity, dependence: dependence, words: rule.rule.possibilityWords))
      } else {
        rule.body.add(to: &plan, rule.ruleMatch(facts, hash), &none)
      }
    }
    plan.isTimed = !possible.isEmpty
    return PlanPreview(plan: plan, possible: possible)
  }

  private func add(_ moves: [Rivals.Move], to plan: inout Plan) {
    plan.isTimed = true
    plan.rivals += moves
    for move in moves where plan.rules.last != move.rule { plan.rules.append(move.rule) }
  }
}

extension ArmedScenario {
  /// Returns the actions of all rivals that are due, independent of requests.
  package func rivals(upTo elapsed: Duration, state: inout ScenarioCounters) -> [Rivals.Move] {
    if state.memories.count != rules.count { state = ScenarioCounters(self) }
    return moves(ofRulesAt: placesOfRivals, upTo: elapsed, &state)
  }

  /// Returns the actions of some rules' rivals, rule by rule; if too many are due, the newest of them.
  private func moves(ofRulesAt indices: [Int], upTo elapsed: Duration, _ state: inout ScenarioCounters) -> [Rivals.Move]
  {
    let start = startOfBacklog(ofRulesAt: indices, upTo: elapsed, state)
    var moves: [Rivals.Move] = []
    for index in indices {
      rules[index].rivals?
        .appendMoves(of: rules[index], after: start, upTo: elapsed, &state.memories[index], to: &moves)
    }
    return moves
  }

  /// Returns the time after which at most `Rivals.maximumAtOnce` actions are due, found by bisection, so that the backlog
  /// is never enumerated. If a single instant has more, it is just before that instant.
  private func startOfBacklog(ofRulesAt indices: [Int], upTo elapsed: Duration, _ state: ScenarioCounters) -> Duration {
    func movesDue(after start: Duration) -> Int {
      indices.reduce(0) { sum, index in
        guard let rivals = rules[index].rivals else { return sum }
        let done = max(state.memories[index].count, rivals.visits(by: start))
        return sum + max(0, min(rivals.visits(by: elapsed) - done, Int.max >> 32)) * rivals.books
      }
    }
    guard movesDue(after: .zero) > Rivals.maximumAtOnce else { return .zero }
    var (early, late) = (Int64(0), elapsed.nanoseconds)
    while late - early > 1 {
      let middle = early + (late - early) / 2
      if movesDue(after: .nanoseconds(middle)) > Rivals.maximumAtOnce { early = middle } else { late = middle }
    }
    return movesDue(after: .nanoseconds(late)) > 0 ? .nanoseconds(late) : .nanoseconds(early)
  }

  /// Returns true if the sandbox's connections must be reset, independent of requests.
  package func isOffline(at elapsed: Duration) -> Bool {
    offline.contains { $0.holds(elapsed) }
  }

  /// True if something happens by the clock alone, without a request.
  package var actsByItself: Bool { hasOutages || !placesOfRivals.isEmpty }

  /// True if a schedule ever resets connections.
  package var hasOutages: Bool { !offline.isEmpty }

  /// Returns the offline time up to `elapsed`; times of two rules count twice.
  package func timeOffline(until elapsed: Duration) -> Duration {
    offline.reduce(.zero) { $0 + $1.openTime(until: elapsed) }
  }

  /// Returns the time at which `isOffline` may change; nil if it never does.
  package func nextOfflineChange(after elapsed: Duration) -> Duration? {
    offline.compactMap { $0.nextChange(after: elapsed) }.min()
  }
}

extension CompiledRule {
  fileprivate func hash(_ facts: RequestContext) -> SeededHash { hash.folding(facts.stream, facts.position) }

  fileprivate func ruleMatch(_ facts: RequestContext, _ hash: SeededHash) -> RuleMatch {
    RuleMatch(rule: identity, phase: rule.phase, changes: facts.changes, elapsed: facts.elapsed, hash: hash)
  }
}
