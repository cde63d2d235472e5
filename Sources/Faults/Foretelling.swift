package import JSON

/// The fate of a request to come, and what may come on top of it.
package struct Foretelling: Sendable, Equatable {
  package let plan: Plan
  package let possible: [Possibility]

  /// A rule that will bite if the clock, or what came before, is so.
  package struct Possibility: Sendable, Equatable {
    package let rule: String
    package let dependence: Dependence
    package let words: String
  }

  /// The plan's item; where something depends on time or arrival, `possible` lists it.
  package var json: JSON {
    guard !possible.isEmpty, var item = plan.json.object else { return plan.json }
    item["possible"] = .array(
      possible.map { ["rule": .string($0.rule), "on": .string($0.dependence.rawValue), "words": .string($0.words)] })
    return .object(item)
  }
}

extension Rule {
  /// The effect and the window in which it bites: `offline from 50s until 1m, every 90s`.
  package var possibilityWords: String {
    var words = effect.words
    if let from = when.from { words += " from \(DurationText.text(from))" }
    if let until = when.until { words += " until \(DurationText.text(until))" }
    if let every = when.every { words += ", every \(DurationText.text(every))" }
    return words
  }
}
