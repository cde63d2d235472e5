import Faults

/// Checks that each rule of the scenario was applied: a fault that no client met proves nothing.
struct FaultsDelivered: Check {
  static let id = "faults-delivered"

  private var rules: [Tally] = []
  private var places: [String: Int] = [:]
  private var exchanges = 0

  fileprivate struct Tally: Sendable {
    let name: String
    var delivered = 0
    var undeliverable = 0
    var evidence = Evidence()
  }

  mutating func note(_ event: SandboxEvent) {
    if case .refused(let identities) = event {
      exchanges += 1
      for place in identities.compactMap({ places[$0] }) { rules[place].delivered += 1 }
    }
    guard case .armed(let identities) = event else { return }
    self = FaultsDelivered()
    for identity in identities where places[identity] == nil {
      places[identity] = rules.count
      rules.append(Tally(name: identity))
    }
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    exchanges += 1
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

  func finding(_ moment: Judgement) -> Finding {
    guard !rules.isEmpty else { return Finding(.notExercised, "The scenario plans no faults.") }
    guard exchanges > 0 else { return Finding(.notExercised, "No request came.") }
    let unmet = rules.filter { $0.delivered == 0 }
    guard unmet.isEmpty else {
      var evidence = Evidence()
      for rule in unmet { for id in rule.evidence.ids { evidence.add(id) } }
      let names = unmet.prefix(5).map(\.words).joined(separator: ", ")
      let more = unmet.count > 5 ? " and \(unmet.count - 5) more" : ""
      return Finding(
        .warn,
        "\(unmet.count) of \(Words.count(rules.count, "rule")) never hit anybody, and so proved nothing: "
          + "\(names)\(more).", evidence)
    }
    let hits = rules.reduce(0) { $0 + $1.delivered }
    return Finding(.pass, "Each of \(Words.count(rules.count, "rule")) was met, \(Words.count(hits, "time")) in all.")
  }
}

extension FaultsDelivered.Tally {
  fileprivate var words: String {
    let shown = name.hasPrefix("{") ? String(name.prefix(60)) : "“\(name)”"
    return undeliverable > 0 ? "\(shown) (not deliverable \(Words.count(undeliverable, "time")))" : shown
  }
}
