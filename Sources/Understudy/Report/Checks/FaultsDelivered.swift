import Contract
import Faults

/// Checks that each rule of the scenario was applied: a fault that no client met proves nothing.
struct FaultsDelivered: Check {
  static let id = "faults-delivered"
  static let rank = 130

  private var rules: [Tally] = []
  private var places: [String: Int] = [:]
  private var exchanges = 0
  /// The names of the APIs that were asked.
  private var asked: Set<Int> = []

  fileprivate struct Tally: Sendable {
    let name: String
    /// The place of the API that it is about; nil for all.
    let api: Int?
    var delivered = 0
    var undeliverable = 0
    var evidence = Evidence()
  }

  mutating func note(_ event: SandboxEvent) {
    if case .refused(let identities) = event {
      exchanges += 1
      for place in identities.compactMap({ places[$0] }) { rules[place].delivered += 1 }
    }
    if case .rival(_, _, let identities) = event {
      for place in identities.compactMap({ places[$0] }) { rules[place].delivered += 1 }
    }
    guard case .armed(let armed) = event else { return }
    self = FaultsDelivered()
    for rule in armed where places[rule.identity] == nil {
      places[rule.identity] = rules.count
      rules.append(Tally(name: rule.identity, api: API.all.firstIndex { $0.name == rule.api }))
    }
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    exchanges += 1
    if let api = seen.api, !asked.contains(api) { asked.insert(api) }
    guard !seen.plan.rules.isEmpty else { return }
    for identity in seen.plan.rules {
      guard let place = places[identity] else { continue }
      if seen.outcome == .notDeliverable, seen.plan.fault?.rule == identity {
        rules[place].undeliverable += 1
        rules[place].evidence.add(seen.id)
      } else {
        rules[place].delivered += 1
      }
    }
  }

  func finding(_ moment: CheckContext) -> Finding {
    guard !rules.isEmpty else { return Finding(.notExercised, "The scenario plans no faults.") }
    guard exchanges > 0 else { return Finding(.notExercised, "No request came.") }
    let unmet = rules.filter { $0.delivered == 0 && $0.api.map(asked.contains) ?? true }
    guard unmet.isEmpty else {
      var evidence = Evidence()
      for rule in unmet { for id in rule.evidence.ids { evidence.add(id) } }
      let names = unmet.prefix(5).map(\.words).joined(separator: ", ")
      let more = unmet.count > 5 ? " and \(unmet.count - 5) more" : ""
      return Finding(
        .warn,
        "\(unmet.count) of \(Words.count(rules.count, "rule")) never struck, and so proved nothing: "
          + "\(names)\(more).", evidence)
    }
    let hits = rules.reduce(0) { $0 + $1.delivered }
    let idle = rules.count { $0.delivered == 0 }
    let rest = idle > 0 ? " \(Words.count(idle, "more is", "more are")) about APIs that were not used." : ""
    return Finding(
      .pass, "Each of \(Words.count(rules.count - idle, "rule")) was met, \(Words.count(hits, "time")) in all.\(rest)")
  }
}

extension FaultsDelivered.Tally {
  fileprivate var words: String {
    let shown = name.hasPrefix("{") ? String(name.prefix(60)) : "“\(name)”"
    return undeliverable > 0 ? "\(shown) (not deliverable \(Words.count(undeliverable, "time")))" : shown
  }
}
