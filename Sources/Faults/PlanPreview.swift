package import JSON

/// The plan of a future request, and the rules that may apply in addition.
package struct PlanPreview: Sendable, Equatable {
  package let plan: Plan
  package let possible: [Possibility]

  /// A rule whose application depends on the clock or on earlier requests.
  package struct Possibility: Sendable, Equatable {
    package let rule: String
    package let dependence: Dependence
    package let words: String
  }

  /// The plan's JSON; `possible` lists rules that depend on time or arrival.
  package var json: JSONValue {
    guard !possible.isEmpty, var item = plan.json.object else { return plan.json }
    item["possible"] = .array(
      possible.map { ["rule": .string($0.rule), "on": .string($0.dependence.rawValue), "words": .string($0.words)] })
    return .object(item)
  }
}

extension Rule {
  /// The effect and its window: `offline from 50s until 1m, every 90s`.
  package var possibilityWords: String {
    var words = effect.words
    if let from = when.from { words += " from \(DurationText.text(from))" }
    if let until = when.until { words += " until \(DurationText.text(until))" }
    if let every = when.every { words += ", every \(DurationText.text(every))" }
    return words
  }
}
