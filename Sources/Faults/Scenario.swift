package import JSON

/// A named list of rules, which decide the faults of a sandbox.
package struct Scenario: Sendable, Equatable {
  package var name: String
  package var about: String
  package var rules: [Rule]

  /// A scenario written by hand has fewer rules, and a request may have to examine all of them.
  package static let maximumRules = 1_000

  /// The maximum number of header fields that all rules together may read, so that a request with the longest head is
  /// answered in time.
  package static let maximumHeaders = 1_000

  package init(name: String, about: String = "", rules: [Rule] = []) {
    self.name = name
    self.about = about
    self.rules = rules
  }

  package static let calm = Scenario(name: "calm")

  /// True if another seed may give other faults.
  package var dependsOnSeed: Bool { rules.contains { $0.when.chance != nil || $0.effect.body.draws } }
}

extension Scenario {
  package static let members = [name.member, about.member, rules.member]
  private static let name = Key.text(
    "name", atMost: 100, "The name of the scenario. No decision depends on it.", fallbackText: unnamed)
  private static let about = Key.text("about", atMost: 2_000, "A description for people.")
  private static let rules = Key<[JSONValue]>(
    "rules", .array(of: .rule, 0...maximumRules), "The rules, in the order in which they are applied.",
    isRequired: true,
    expectation: "an array of rules", read: \.array)
  /// The members that the parser ignores. Editors read the URL of the JSON Schema from `$schema`; a server in front of a
  /// backend names in `inapplicable` the rules that it has left out.
  static let ignoredKeys = ["$schema", "inapplicable"]
  /// The name of a scenario without one. No decision depends on it.
  package static let unnamed = "custom"

  /// Parses a scenario, or throws its first error.
  ///
  /// With `operations` it also throws for rules that can never apply to any of them.
  package init(json: JSONValue, operations: [OperationContext] = []) throws(ValidationError) {
    let reader = try Reader(json, at: .root, "a scenario, as in {\"name\": \"basement\", \"rules\": []}")
    try reader.allow(Self.members.map(\.name), ignoring: Self.ignoredKeys)
    let name = try reader.optional(Self.name) ?? Self.unnamed
    let rules = try reader.value(Self.rules)
    let pointer = JSONPointer.root / "rules"
    guard rules.count <= Self.maximumRules else {
      throw ValidationError(pointer, "expected at most \(Self.maximumRules) rules, found \(rules.count)")
    }
    self.init(name: name, about: try reader.optional(Self.about) ?? "")
    var identities: Set<String> = []
    for (index, json) in rules.enumerated() {
      let rule = try Rule(json, at: pointer / index, operations: operations)
      guard identities.insert(rule.identity).inserted else { throw Self.duplicate(rule, pointer / index) }
      self.rules.append(rule)
    }
    let headerCount = self.rules.reduce(0) { $0 + $1.match.headers.count }
    guard headerCount <= Self.maximumHeaders else {
      throw ValidationError(
        pointer, "expected at most \(Self.maximumHeaders) header fields in the rules' matches, found \(headerCount)")
    }
  }

  /// Returns the error of a repeated identity: two rules with the same identity would always make the same decisions.
  private static func duplicate(_ rule: Rule, _ pointer: JSONPointer) -> ValidationError {
    rule.name == nil
      ? ValidationError(pointer, "expected a rule that differs from the others, or a name of its own")
      : ValidationError(pointer / "name", "expected a unique name, found it a second time")
  }

  package var json: JSONValue {
    var members = [JSONValue.Member("name", .string(name))]
    if !about.isEmpty { members.append(JSONValue.Member("about", .string(about))) }
    members.append(JSONValue.Member("rules", .array(rules.map(\.json))))
    return .object(JSONValue.Object(members))
  }
}
