package import JSON

/// The plan of a future request, and the rules that may apply in addition.
package struct PlanPreview: Sendable, Equatable {
  package let plan: Plan
  package let possible: [Possibility]

  /// A rule whose application depends on the clock or on earlier requests.
  package struct Possibility: Sendable, Equatable {
    package let rule: String
    package let dependence: Dependence
    package let description: String
  }

  /// The plan's JSON, with the member `possible` if there are rules that may apply in addition.
  package var json: JSONValue {
    guard !possible.isEmpty, var item = plan.json.object else { return plan.json }
    item["possible"] = .array(
      possible.map {
        ["rule": .string($0.rule), "on": .string($0.dependence.rawValue), "words": .string($0.description)]
      })
    return .object(item)
  }
}

extension Rule {
  /// The effect and its window: `offline from 50s until 1m, every 90s`.
  package var possibleDescription: String {
    var text = effect.description
    if when.countsByRule { text += " of " + when.ordinalDescription }
    if let from = when.from { text += " from \(DurationText.text(from))" }
    if let until = when.until { text += " until \(DurationText.text(until))" }
    if let every = when.every { text += ", every \(DurationText.text(every))" }
    return text
  }
}
