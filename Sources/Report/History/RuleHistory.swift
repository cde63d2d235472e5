import Contract
import Faults

/// The number of times that each rule of the scenario took effect, and the APIs that were used.
struct RuleHistory: Sendable {
  struct Tally: Sendable {
    let rule: ArmedRule
    /// The index of the API that it is about; nil for all.
    let api: Int?
    fileprivate(set) var delivered = 0
    fileprivate(set) var undeliverable = 0
    fileprivate(set) var evidence = Evidence()
  }

  private(set) var rules: [Tally] = []
  /// True if the scenario has rules that apply.
  var hasRules: Bool { !rules.isEmpty }
  /// The rules that never took effect, although other requests could have met them, each with the requests that it chooses.
  var missed: [String] {
    rules.filter { $0.delivered == 0 }.compactMap { tally in
      tally.rule.choice.map { "\(tally.rule.title) (\(tally.rule.matches)) strikes \($0)" }
    }
  }
  /// The names of the scenario's rules that do not apply to the backend.
  private(set) var inapplicable: [String] = []
  private var indices: [String: Int] = [:]
  private(set) var exchanges = 0
  /// For each API, true if it was used.
  private var used = Array(repeating: false, count: API.all.count)

  /// True if a rule could have taken effect: its API was used.
  func isRelevant(_ rule: Tally) -> Bool { rule.api.map { used[$0] } ?? true }

  mutating func record(_ event: SandboxEvent) {
    switch event {
    case .refused(let identities):
      exchanges += 1
      deliver(identities)
    case .rival(let identities): deliver(identities)
    case .armed(let armed, let inapplicable):
      self = RuleHistory()
      self.inapplicable = inapplicable
      for rule in armed where indices[rule.identity] == nil {
        indices[rule.identity] = rules.count
        rules.append(Tally(rule: rule, api: API.all.firstIndex { $0.name == rule.api }))
      }
    case .streamEnded, .replaced: break
    }
  }

  private mutating func deliver(_ identities: [String]) {
    for index in identities.compactMap({ indices[$0] }) { rules[index].delivered += 1 }
  }

  mutating func observe(_ seen: Observation) {
    guard !rules.isEmpty else { return }
    exchanges += 1
    if let api = seen.api, API.isDeclared(api) { used[api] = true }
    for identity in seen.plan.rules {
      guard let index = indices[identity] else { continue }
      if seen.outcome == .notDeliverable, seen.plan.fault?.rule == identity {
        rules[index].undeliverable += 1
        rules[index].evidence.add(seen.id)
      } else {
        rules[index].delivered += 1
      }
    }
  }
}
