package import JSON

/// Match + when + effect: what goes wrong, where and how often.
package struct Rule: Sendable, Equatable {
  package var name: String?
  package var about: String?
  package var match: Match
  package var when: When
  package var phase: Phase
  package var effect: Effect

  package init(
    _ name: String? = nil, about: String? = nil, match: Match = Match(), when: When = When(), phase: Phase = .before,
    effect: Effect
  ) {
    self.name = name
    self.about = about
    self.match = match
    self.when = when
    self.phase = phase
    self.effect = effect
  }

  /// What the dice know the rule by: its name, else its content without `about`. Never its place: taking a rule away
  /// must not throw the others' dice anew.
  package var identity: String { name ?? content.text }

  private var content: JSON { .object(JSON.Object(members)) }

  private var members: [JSON.Member] {
    var members: [JSON.Member] = []
    if let match = match.json { members.append(JSON.Member("match", match)) }
    if let when = when.json { members.append(JSON.Member("when", when)) }
    if phase != .before { members.append(JSON.Member("phase", .string(phase.rawValue))) }
    members.append(JSON.Member("effect", effect.json))
    return members
  }

  package var json: JSON {
    var header: [JSON.Member] = []
    if let name { header.append(JSON.Member("name", .string(name))) }
    if let about { header.append(JSON.Member("about", .string(about))) }
    return .object(JSON.Object(header + members))
  }

  /// Whether what it does follows from the clock or from what came before.
  package var dependence: Dependence? { effect.dependence ?? (when.isTimed ? .time : nil) }
}

extension Rule {
  static let keys = ["name", "about", "match", "when", "phase", "effect"]

  init(_ json: JSON, at pointer: JSONPointer, operations: [OperationFacts]) throws(Violation) {
    let reader = try Reader(json, at: pointer, "a rule, as in {\"effect\": {\"latency\": \"200ms\"}}")
    try reader.allow(Self.keys)
    var apis: [String] = []
    for operation in operations where !apis.contains(operation.api) { apis.append(operation.api) }
    let name = try reader.text("name", atMost: 100)
    guard name?.hasPrefix("{") != true else {
      throw reader.mismatch("name", "a name that does not start with {, as the content of nameless rules does")
    }
    self.init(
      name, about: try reader.text("about", atMost: 1_000),
      match: try Match(reader.object["match"] ?? [:], at: pointer / "match", apis: apis),
      when: try When(reader.object["when"] ?? [:], at: pointer / "when"),
      phase: try reader.optional("phase", "one of before, after") { $0.string.flatMap(Phase.init) } ?? .before,
      effect: try Self.effect(reader))
    try match.checkRoutes(operations, at: pointer / "match")
    try checkPhase(pointer, operations)
    try checkOffline(pointer)
  }

  private static func effect(_ reader: Reader) throws(Violation) -> Effect {
    guard let effect = reader.object["effect"] else { throw reader.mismatch("effect", "an effect") }
    return try Effect(json: effect, at: reader.pointer / "effect")
  }

  private func checkPhase(_ pointer: JSONPointer, _ operations: [OperationFacts]) throws(Violation) {
    guard phase == .after else { return }
    if let reason = type(of: effect.body).whyOnlyBefore {
      throw Violation(pointer / "phase", "expected before with \(effect.kind.rawValue): \(reason)")
    }
    let canWrite = operations.isEmpty || operations.contains { $0.changes != false && match.canMatch($0) }
    guard match.changes != false, canWrite else {
      throw Violation(pointer / "phase", "expected before: no operation that the rule matches is a write")
    }
  }

  /// Whoever is offline is so for every request; a rule that says otherwise promises what cannot be kept.
  private func checkOffline(_ pointer: JSONPointer) throws(Violation) {
    guard case .offline = effect else { return }
    guard match.isEverything else {
      throw Violation(pointer / "match", "expected none with offline, which takes the whole sandbox")
    }
    if when.chance != nil || when.isOrdinal {
      throw Violation(pointer / "when", "expected only from, until and every with offline")
    }
  }
}
