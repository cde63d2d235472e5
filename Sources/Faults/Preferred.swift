import JSON

/// The plan that a client requested by `Prefer` (RFC 7240); it replaces the scenario's.
///
/// A preference is applied as a whole or not at all, and `Preference-Applied` names the applied ones. Of preferences
/// with one name only the first counts. Preferences of other specifications are ignored (RFC 7240 §2). One that belongs
/// to this server and cannot be applied is reported, so that a typing error is not mistaken for a fault without an
/// effect.
package struct Preferred: Sendable, Equatable {
  /// Nil if no preference can be applied; then the scenario decides.
  package let plan: Plan?
  /// The value of `Preference-Applied`.
  package let applied: String?
  /// The preferences of this server that were not applied, each with the reason: printable ASCII, at most 250 bytes.
  package let notUnderstood: String?
  /// A longer field is not parsed: all meaningful preferences here are shorter.
  package static let maximumLength = 4 << 10

  /// Returns nil if nothing in the field's combined value belongs to this server.
  package init?(_ field: String, for facts: RequestContext, seed: UInt64) {
    let length = field.utf8.count
    guard length <= Self.maximumLength else {
      (plan, applied) = (nil, nil)
      notUnderstood = "a field of \(length) bytes (at most \(Self.maximumLength) are read)"
      return
    }
    var plan = Plan(facts.position)
    var memory = RuleCounters()
    var applied: [String] = []
    var slips: [PreferenceSlip] = []
    var seen: Set<String> = []
    for element in Preference.list(field) where element.preference.map({ seen.insert($0.name).inserted }) ?? true {
      do throws(PreferenceSlip) {
        guard let preference = element.preference else { throw PreferenceSlip(malformed: element) }
        let wanted = try preference.fault(for: facts)
        let hash = SeededHash(seed: seed).folding("Prefer: " + preference.name).folding(facts.stream, facts.position)
        let ruleMatch = RuleMatch(
          rule: "", phase: wanted.phase, changes: facts.changes, elapsed: facts.elapsed, hash: hash)
        wanted.effect.body.add(to: &plan, ruleMatch, &memory)
        applied.append(preference.text)
        slips += wanted.unused.map { PreferenceSlip($0, of: preference) }
      } catch {
        if !error.isForeign { slips.append(error) }
      }
    }
    // A parameter on its own was meant for a preference beside it, which has another meaning without it.
    if slips.contains(where: \.isStray) { applied = [] }
    guard !applied.isEmpty || !slips.isEmpty else { return nil }
    self.plan = applied.isEmpty ? nil : plan
    self.applied = applied.isEmpty ? nil : applied.joined(separator: ", ")
    notUnderstood = slips.isEmpty ? nil : PreferenceSlip.words(slips)
  }
}

extension Preference {
  /// A requested effect, and the parameters that it does not have.
  fileprivate struct Wanted {
    let effect: Effect
    let phase: Phase
    let unused: [String]
  }

  /// Returns the requested fault.
  fileprivate func fault(for facts: RequestContext) throws(PreferenceSlip) -> Wanted {
    let effect: Effect
    var keys = ["phase"]
    switch name {
    case "code":
      keys.append("retry-after")
      let wait = parameters["retry-after"].map { [JSONValue.Member("retryAfter", .string($0))] } ?? []
      effect = try self.effect([JSONValue.Member("status", Int(value).map(JSONValue.int) ?? .string(value))] + wait)
    case "delay": effect = try self.effect([JSONValue.Member("latency", .string(value))])
    case "fault":
      guard let kind = Effect.Kind.named(value), kind.isFault else { throw PreferenceSlip(fault: self) }
      let names = kind.parameters.map(\.name)
      keys += names
      let further = names.compactMap { key in
        parameters[key].map { text in JSONValue.Member(key, Int(text).map(JSONValue.int) ?? .string(text)) }
      }
      effect = try self.effect([JSONValue.Member("fault", .string(value))] + further)
    default: throw PreferenceSlip(name: self)
    }
    let unknown = parameters.keys.sorted().filter { !keys.contains($0) }
    for key in unknown where !PreferenceSlip.parameters.contains(key) {
      if let near = Spelling.nearest(to: key, among: keys, within: 1) {
        throw PreferenceSlip(self, "\(key): did you mean \(near)?")
      }
    }
    return Wanted(
      effect: effect, phase: try phase(of: effect, facts),
      unused: unknown.filter { PreferenceSlip.parameters.contains($0) })
  }

  private func effect(_ members: [JSONValue.Member]) throws(PreferenceSlip) -> Effect {
    do throws(ValidationError) {
      return try Effect(json: .object(JSONValue.Object(members)))
    } catch {
      let key = String(error.pointer.description.dropFirst())
      let parameter = key == "retryAfter" ? "retry-after" : key
      throw PreferenceSlip(self, parameters[parameter] == nil ? error.detail : "\(parameter): \(error.detail)")
    }
  }

  private func phase(of effect: Effect, _ facts: RequestContext) throws(PreferenceSlip) -> Phase {
    guard let text = parameters["phase"] else { return .before }
    guard let phase = Phase(rawValue: text) else { throw PreferenceSlip(self, "phase: expected before or after") }
    guard phase == .after else { return phase }
    if let reason = effect.kind.whyOnlyBefore {
      throw PreferenceSlip(self, "expected phase=before: \(reason)")
    }
    guard facts.changes else { throw PreferenceSlip(self, "expected phase=before: the request changes no state") }
    return phase
  }
}
