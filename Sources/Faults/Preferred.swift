import JSON

/// A plan that the client asked for itself, by `Prefer` (RFC 7240); it takes the place of the scenario's.
///
/// What is unknown, malformed or out of range is ignored, as RFC 7240 section 2 has it: a preference is honoured as a
/// whole or not at all, and `Preference-Applied` says which were. Of preferences with one name only the first counts.
package struct Preferred: Sendable, Equatable {
  package let plan: Plan
  /// The value of `Preference-Applied`.
  package let applied: String

  /// Nil when nothing in the field's combined value can be honoured.
  package init?(_ field: String, for facts: Facts, seed: UInt64) {
    var plan = Plan(facts.position)
    var memory = Memory()
    var applied: [String] = []
    var seen: Set<String> = []
    for preference in Preference.list(field) where seen.insert(preference.name).inserted {
      guard let effect = preference.effect, let phase = preference.phase else { continue }
      let dice = Dice(seed: seed).folding("Prefer: " + preference.name).folding(facts.stream, facts.position)
      let bite = Bite(rule: "", phase: phase, changes: facts.changes, elapsed: facts.elapsed, dice: dice)
      effect.body.add(to: &plan, bite, &memory)
      applied.append(preference.text)
    }
    guard !applied.isEmpty else { return nil }
    self.plan = plan
    self.applied = applied.joined(separator: ", ")
  }
}

extension Preference {
  /// Nil when it is none of ours, or not as a scenario would have it.
  fileprivate var effect: Effect? {
    switch name {
    case "code":
      guard let status = Int(value) else { return nil }
      var members = [JSON.Member("status", .int(status))]
      if let wait = parameters["retry-after"] { members.append(JSON.Member("retryAfter", .string(wait))) }
      return Self.effect(members)
    case "delay": return Self.effect([JSON.Member("latency", .string(value))])
    case "fault":
      guard let kind = Effect.Kind(rawValue: value), kind.isFault else { return nil }
      let further = kind.body.furtherKeys.compactMap { key in
        parameters[key].map { text in JSON.Member(key, Int(text).map(JSON.int) ?? .string(text)) }
      }
      return Self.effect([JSON.Member("fault", .string(value))] + further)
    default: return nil
    }
  }

  private static func effect(_ members: [JSON.Member]) -> Effect? {
    try? Effect(json: .object(JSON.Object(members)))
  }

  fileprivate var phase: Phase? {
    guard let text = parameters["phase"] else { return .before }
    return Phase(rawValue: text)
  }
}
