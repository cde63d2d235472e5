import JSON

/// A parsed `Prefer` field (RFC 7240), which does not depend on a particular request. Its rules replace those of the scenario.
///
/// A preference is applied as a whole or not at all, and `Preference-Applied` names the applied ones. If a name is
/// repeated, only the first preference counts. Preferences of other specifications are ignored (RFC 7240 §2). One that
/// belongs to this server and cannot be applied is reported, so that a typing error is not mistaken for a fault without
/// an effect.
package final class PreferenceField: Sendable {
  package let text: [UInt8]
  /// True if the field was parsed for a write.
  package let changes: Bool
  /// One rule for each preference that is applied.
  private let rules: [CompiledRule]
  /// The value of `Preference-Applied`.
  package let applied: String?
  /// The value of `Preference-Applied` if the fault of the plan cannot be applied to the response.
  package let appliedBesidesFault: String?
  /// The preferences of this server that were not applied, each with the reason: printable ASCII, at most 250 bytes.
  package let notUnderstood: String?
  /// A longer field is not parsed: all meaningful preferences here are shorter.
  package static let maximumLength = 4 << 10

  /// Parses the field's combined value.
  package init(_ field: String, changes: Bool, seed: UInt64) {
    text = Array(field.utf8)
    self.changes = changes
    guard text.count <= Self.maximumLength else {
      (rules, applied, appliedBesidesFault) = ([], nil, nil)
      notUnderstood = "a field of \(text.count) bytes (at most \(Self.maximumLength) are read)"
      return
    }
    var rules: [Rule] = []
    var applied: [String] = []
    var fault: String?
    var errors: [PreferenceError] = []
    /// The name by which each preference was given first. A repetition by this name is ignored (RFC 7240 section 2).
    var names: [String: String] = [:]
    for element in Preference.list(field) where element.preference.map({ names[$0.identity] != $0.name }) ?? true {
      do throws(PreferenceError) {
        guard let preference = element.preference else { throw PreferenceError(malformed: element) }
        if let name = names[preference.identity] {
          throw PreferenceError(preference, Self.synonym(preference.name, of: name))
        }
        names[preference.identity] = preference.name
        let requested = try preference.fault(changes: changes)
        if requested.effect.body is any FaultActionEffect {
          if let fault { throw PreferenceError(preference, "only one fault is possible, and \(fault) is the first") }
          fault = preference.text
        }
        // Its decisions depend on the name, which plans do not show.
        rules.append(Rule("Prefer: " + preference.identity, phase: requested.phase, effect: requested.effect))
        applied.append(preference.text)
        errors += requested.unused.map { PreferenceError($0, of: preference) }
      } catch {
        if !error.isForeign { errors.append(error) }
      }
    }
    // A parameter without a preference was probably meant for another one in the field, which must not be applied
    // without it.
    if errors.contains(where: \.isStray) { applied = [] }
    self.rules = applied.isEmpty ? [] : rules.map { CompiledRule($0, seed: seed, shownAs: "") }
    self.applied = applied.isEmpty ? nil : applied.joined(separator: ", ")
    let others = applied.filter { $0 != fault }
    appliedBesidesFault = others.isEmpty ? nil : others.joined(separator: ", ")
    notUnderstood = errors.isEmpty ? nil : PreferenceError.text(of: errors)
  }

  /// Returns the reason why a word cannot be given beside another one.
  fileprivate static func synonym(_ word: String, of first: String) -> String {
    "\(word) is another word for \(first), which is given"
  }

  /// Returns the preferences in a field that belong to other specifications, in their order; nil if there is none.
  package static func foreignPart(of field: String) -> String? {
    let foreign = Preference.list(field).filter { !PreferenceError.names.contains($0.name) }
    return foreign.isEmpty ? nil : foreign.map(\.text).joined(separator: ", ")
  }

  /// True if no preference in it belongs to this server.
  package var isForeign: Bool { applied == nil && notUnderstood == nil }

  /// Returns the plan of a request; nil if no preference can be applied. Then the scenario decides.
  package func plan(for context: RequestContext) -> Plan? {
    guard !rules.isEmpty else { return nil }
    var plan = PlanDraft(context.position)
    var counters = RuleCounters()
    for rule in rules {
      rule.add(to: &plan, context, rule.hash.folding(context.stream, context.position), &counters)
    }
    return Plan(plan)
  }
}

extension Preference {
  /// The name, or the other word for its effect: both words make the same decisions.
  fileprivate var identity: String { Effect.Kind.preferred(name)?.alias ?? name }

  /// A requested effect, and the parameters that it does not have.
  fileprivate struct RequestedFault {
    let effect: Effect
    let phase: Phase
    let unused: [String]
  }

  /// Returns the requested fault.
  ///
  /// - Parameter changes: True for a write.
  fileprivate func fault(changes: Bool) throws(PreferenceError) -> RequestedFault {
    let effect: Effect
    var keys = ["phase"]
    switch Effect.Kind.preferred(name) {
    case Status.kind?:
      keys += Self.waits
      let wait =
        Self.waits.compactMap { parameters[$0] }.first.map { [JSONValue.Member("retryAfter", .string($0))] } ?? []
      effect = try self.effect([JSONValue.Member("status", Int(value).map(JSONValue.int) ?? .string(value))] + wait)
    case Latency.kind?: effect = try self.effect([JSONValue.Member("latency", .string(value))])
    case nil where name == Effect.Kind.faultWord:
      guard let kind = Effect.Kind.named(value), kind.isFault else { throw PreferenceError(fault: self) }
      let names = kind.parameters.map(\.name)
      keys += names
      let further = names.compactMap { key in
        parameters[key].map { text in JSONValue.Member(key, Int(text).map(JSONValue.int) ?? .string(text)) }
      }
      effect = try self.effect([JSONValue.Member("fault", .string(value))] + further)
    default: throw PreferenceError(name: self)
    }
    let unknown = parameters.keys.sorted().filter { !keys.contains($0) }
    if let key = unknown.first(where: { !PreferenceError.parameters.contains($0) }) {
      throw PreferenceError(self, advice(on: key, keys))
    }
    let waits = Self.waits.filter { parameters[$0] != nil && keys.contains($0) }
    if waits.count > 1 { throw PreferenceError(self, PreferenceField.synonym(waits[1], of: Self.spelled(waits[0]))) }
    return RequestedFault(
      effect: effect, phase: try phase(of: effect, changes: changes),
      unused: unknown.filter { PreferenceError.parameters.contains($0) })
  }

  /// Returns what to do about a parameter that does not exist.
  ///
  /// - Parameter keys: The parameters of this preference.
  private func advice(on key: String, _ keys: [String]) -> String {
    let kind = Effect.Kind.preferred(key)
    if let kind, kind === Effect.Kind.preferred(name) { return PreferenceField.synonym(key, of: name) }
    if kind != nil || key == Effect.Kind.faultWord { return "\(key) is a preference of its own, after a comma" }
    if let near = Spelling.nearest(to: key, among: keys, within: 1) {
      return "\(key): did you mean \(Self.spelled(near))?"
    }
    let known = keys.filter { $0 != Self.waits.last }.map(Self.spelled)
    return "\(key): expected " + (known.count > 1 ? "one of " : "") + known.joined(separator: ", ")
  }

  /// Returns a parameter as the pages spell it; names of parameters are case-insensitive.
  private static func spelled(_ parameter: String) -> String {
    Effect.Kind.parameterAliases.keys.first { $0.lowercased() == parameter } ?? parameter
  }

  /// The names of the parameter for `Retry-After`, in lower case.
  private static let waits = ["retryafter", "retry-after"]

  private func effect(_ members: [JSONValue.Member]) throws(PreferenceError) -> Effect {
    do throws(ValidationError) {
      return try Effect(json: .object(JSONValue.Object(members)))
    } catch {
      let key = String(error.pointer.description.dropFirst())
      let parameter = key == "retryAfter" ? Self.waits.first { parameters[$0] != nil } ?? key : key
      throw PreferenceError(self, parameters[parameter] == nil ? error.detail : "\(parameter): \(error.advised.detail)")
    }
  }

  private func phase(of effect: Effect, changes: Bool) throws(PreferenceError) -> Phase {
    guard let text = parameters["phase"] else { return .before }
    guard let phase = Phase(rawValue: text) else { throw PreferenceError(self, "phase: expected before or after") }
    guard phase == .after else { return phase }
    if let reason = effect.kind.onlyBeforeReason {
      throw PreferenceError(self, "expected phase=before: \(reason)")
    }
    guard changes else { throw PreferenceError(self, "expected phase=before: the request changes no state") }
    return phase
  }
}
