package import JSON
import Primitives

/// A match, a trigger and an effect: which fault occurs, where and when.
public struct Rule: Sendable, Equatable {
  package var name: String?
  package var about: String?
  package var match: Match
  package var when: Trigger
  package var phase: Phase
  package var effect: Effect

  package init(
    _ name: String? = nil, about: String? = nil, match: Match = Match(), when: Trigger = Trigger(),
    phase: Phase = .before,
    effect: Effect
  ) {
    self.name = name
    self.about = about
    self.match = match
    self.when = when
    self.phase = phase
    self.effect = effect
  }

  /// The rule's identity in decisions: its name, or else its content without `about`. Its index does not count, so that
  /// removing a rule does not change the decisions of the others.
  package var identity: String { name ?? content.text }

  private var content: JSONValue { .object(JSONValue.Object(members)) }

  private var members: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if let match = match.json { members.append(JSONValue.Member("match", match)) }
    if let when = when.json { members.append(JSONValue.Member("when", when)) }
    if phase != .before { members.append(JSONValue.Member("phase", .string(phase.rawValue))) }
    members.append(JSONValue.Member("effect", effect.json))
    return members
  }

  package var json: JSONValue {
    var header: [JSONValue.Member] = []
    if let name { header.append(JSONValue.Member("name", .string(name))) }
    if let about { header.append(JSONValue.Member("about", .string(about))) }
    return .object(JSONValue.Object(header + members))
  }

  /// The dependence of its effect on the clock or on earlier requests.
  package var dependence: Dependence? {
    if when.countsByRule { return .arrival }
    return effect.dependence ?? (when.isTimed ? .time : nil)
  }
}

extension Rule {
  package static let members = [
    name.member, about.member, match.member, when.member, phase.member, effect.member,
  ]

  private static let name = Key.text(
    "name", atMost: 100,
    "The name of the rule in journals and reports; it does not start with `{`. Random decisions depend on it, or on "
      + "the rule's content if it has no name.", isRuleName: true)
  private static let about = Key.text("about", atMost: 1_000, "A remark. No decision depends on it.")
  private static let match = Key<JSONValue>(
    "match", .object(Match.members), "The requests that the rule matches; by default all.", expectation: "an object"
  ) { $0 }
  private static let when = Key<JSONValue>(
    "when", .object(Trigger.members),
    "The conditions, all of which must hold. Without them, the rule applies to every request that it matches.",
    expectation: "an object"
  ) { $0 }
  private static let phase = Key<Phase>.choice(
    "phase", of: Phase.allCases,
    "`before`: the fault happens before the request is applied. `after`: the request is applied, and its response is "
      + "damaged or lost.",
    fallback: .before)
  private static let effect = Key<JSONValue>(
    "effect", .effect, "The effect of the rule.", isRequired: true, expectation: "an effect"
  ) { $0 }

  /// Parses a rule, or throws its first error.
  ///
  /// With `operations` it also throws for a rule that can never apply to any of them.
  package init(_ json: JSONValue, at pointer: JSONPointer, operations: [OperationContext]) throws(ValidationError) {
    let reader = try Reader(json, at: pointer, "a rule, as in {\"effect\": {\"latency\": \"200ms\"}}")
    try Self.checkPlaces(of: reader)
    try reader.allow(Self.members.map(\.name))
    let apis = operations.map(\.api).distinct()
    let name = try reader.optional(Self.name)
    guard name?.hasPrefix("{") != true else {
      throw reader.mismatch("name", "a name that does not start with {, as the content of nameless rules does")
    }
    self.init(
      name, about: try reader.optional(Self.about),
      match: try Match(reader.optional(Self.match) ?? [:], at: pointer / "match", apis: apis),
      when: try Trigger(reader.optional(Self.when) ?? [:], at: pointer / "when"),
      phase: try reader.value(Self.phase),
      effect: try Effect(json: reader.value(Self.effect), at: pointer / "effect"))
    try match.checkRoutes(operations, at: pointer / "match")
    try checkPhase(pointer, operations)
    try checkScope(pointer)
  }

  /// Throws for a member of a part of the rule that stands beside that part.
  private static func checkPlaces(of reader: Reader) throws(ValidationError) {
    for name in reader.object.members.map(\.name) where !members.contains(where: { $0.name == name }) {
      let part =
        Effect.isKeyword(name)
        ? Self.effect.name
        : Match.members.contains { $0.name == name }
          ? match.name : Trigger.members.contains { $0.name == name } ? when.name : nil
      if let part {
        throw ValidationError(
          reader.pointer / name, "move it into \"\(part)\", as in {\"\(part)\": {\"\(name)\": …}}")
      }
    }
  }

  private func checkPhase(_ pointer: JSONPointer, _ operations: [OperationContext]) throws(ValidationError) {
    guard phase == .after else { return }
    if let reason = effect.kind.onlyBeforeReason {
      throw ValidationError(pointer / "phase", "expected before with \(effect.kind.name): \(reason)")
    }
    let canWrite = operations.isEmpty || operations.contains { $0.changes != false && match.canMatch($0) }
    guard match.changes != false, canWrite else {
      throw ValidationError(pointer / "phase", "expected before: no operation that the rule matches is a write")
    }
  }

  /// Throws if an effect on the whole sandbox is limited to some requests.
  private func checkScope(_ pointer: JSONPointer) throws(ValidationError) {
    guard effect.kind.isOfSandbox else { return }
    guard match.isEverything else {
      throw ValidationError(pointer / "match", "expected none with \(effect.kind.name), which takes the whole sandbox")
    }
    if when.chance != nil || when.isOrdinal {
      throw ValidationError(pointer / "when", "expected only from, until and every with \(effect.kind.name)")
    }
  }
}

/// The side of the state change on which a fault occurs.
public enum Phase: String, Sendable, CaseIterable {
  /// The request was not applied.
  case before
  /// The state changed, and the response is damaged or lost.
  case after
}
