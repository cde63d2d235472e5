import Contract
import Faults

/// Checks that each rule of the scenario was applied: a fault that no client met proves nothing.
struct FaultsDelivered: Check {
  static let id = "faults-delivered"

  private var rules: [Tally] = []
  private var indices: [String: Int] = [:]
  private var exchanges = 0
  /// For each API, true if it was asked.
  private var asked = Array(repeating: false, count: API.all.count)

  fileprivate struct Tally: Sendable {
    let name: String
    /// The index of the API that it is about; nil for all.
    let api: Int?
    var delivered = 0
    var undeliverable = 0
    var evidence = Evidence()
  }

  mutating func record(_ event: SandboxEvent) {
    if case .refused(let identities) = event {
      exchanges += 1
      for index in identities.compactMap({ indices[$0] }) { rules[index].delivered += 1 }
    }
    if case .rival(let identities) = event {
      for index in identities.compactMap({ indices[$0] }) { rules[index].delivered += 1 }
    }
    guard case .armed(let armed) = event else { return }
    self = FaultsDelivered()
    for rule in armed where indices[rule.identity] == nil {
      indices[rule.identity] = rules.count
      rules.append(Tally(name: rule.identity, api: API.all.firstIndex { $0.name == rule.api }))
    }
  }

  /// The exchanges to which rules applied; all exchanges until the API of each rule was used.
  var interest: Traits {
    let isWaiting = exchanges == 0 || rules.contains { rule in rule.api.map { !asked[$0] } ?? false }
    return rules.isEmpty ? [] : isWaiting ? .any : .planned
  }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    exchanges += 1
    if let api = seen.api { asked[api] = true }
    guard !seen.plan.rules.isEmpty else { return }
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

  func finding(_ context: CheckContext) -> Finding {
    guard !rules.isEmpty else { return Finding(.notExercised, "The scenario plans no faults.") }
    guard exchanges > 0 else { return Finding(.notExercised, "No request came.") }
    let unmet = rules.filter { $0.delivered == 0 && $0.api.map { asked[$0] } ?? true }
    guard unmet.isEmpty else {
      var evidence = Evidence()
      for rule in unmet { for id in rule.evidence.ids { evidence.add(id) } }
      let names = unmet.prefix(5).map(\.description).joined(separator: ", ")
      let more = unmet.count > 5 ? " and \(unmet.count - 5) more" : ""
      return Finding(
        .warn,
        "\(unmet.count) of \(ReportText.count(rules.count, "rule")) never took effect, so the run did not test them: "
          + "\(names)\(more). Let the run last longer, or send the requests that they match.", evidence)
    }
    let hits = rules.reduce(0) { $0 + $1.delivered }
    let idle = rules.count { $0.delivered == 0 }
    let rest = idle > 0 ? " \(ReportText.count(idle, "more is", "more are")) about APIs that were not used." : ""
    let met = rules.count - idle
    return Finding(
      .pass,
      "\(met == 1 ? "The one rule" : "Each of \(met) rules") took effect, \(ReportText.count(hits, "time")) in all."
        + rest)
  }
}

extension FaultsDelivered.Tally {
  fileprivate var description: String {
    let shown = name.hasPrefix("{") ? String(name.prefix(60)) : "“\(name)”"
    return undeliverable > 0 ? "\(shown) (not deliverable \(ReportText.count(undeliverable, "time")))" : shown
  }
}
