/// A rule prepared for matching requests: texts are hashed, and the values that every request needs are precomputed.
///
/// Immutable class: copying a struct with this many references out of an array costs 3 × in reference counting.
final class CompiledRule: Sendable {
  let rule: Rule
  let identity: String
  /// The name in plans; empty if they do not show the rule.
  private let shownName: String
  let when: Trigger
  let body: any EffectBody
  let dependence: Dependence?
  let rivals: Rivals?
  /// The hash of the seed and the rule.
  let hash: SeededHash
  private let path: PathGlob?
  private let operation: Glob?
  private let headers: [Match.Header]

  /// - Parameter name: The name in plans; nil for the rule's identity.
  init(_ rule: Rule, seed: UInt64, shownAs name: String? = nil) {
    self.rule = rule
    identity = rule.identity
    shownName = name ?? identity
    when = rule.when
    body = rule.effect.body
    dependence = rule.dependence
    rivals = rule.effect.body as? Rivals
    hash = SeededHash(seed: seed).folding(identity)
    path = rule.match.path
    operation = rule.match.operation
    headers = rule.match.headers
  }

  /// True if it depends on more of a stream than API and method.
  var looksIntoStream: Bool { path != nil || operation != nil }

  /// Returns true if the rule matches a stream. `RuleTable` has already selected by API and method.
  ///
  /// - Parameter path: The stream's path.
  func matches(_ stream: RequestKey, _ path: SplitPath) -> Bool {
    if let operation {
      guard let name = stream.operation, operation.matches(Array(name.utf8)) else { return false }
    }
    return self.path?.matches(path) ?? true
  }

  /// Adds the effect to the plan of a request.
  ///
  /// - Parameter hash: The hash of the rule and the request.
  func add(
    to plan: inout PlanDraft, _ context: borrowing RequestContext, _ hash: SeededHash, _ counters: inout RuleCounters
  ) {
    let match = RuleMatch(
      rule: shownName, phase: rule.phase, changes: context.changes, elapsed: context.$elapsed, hash: hash)
    body.add(to: &plan, match, &counters)
  }

  /// Returns true if the rule matches the header fields of a request.
  func matches(_ fields: inout RequestFields, _ header: (String) -> String?) -> Bool {
    for field in headers {
      guard let value = fields.value(field.name, header), field.value.matches(value) else { return false }
    }
    return true
  }
}

/// A cache of a request's header fields: each is read at most once, however many rules need it.
struct RequestFields {
  private var values: [String: [UInt8]?] = [:]

  /// Returns a field's value.
  ///
  /// - Parameter read: Returns a field's combined value by its name in any case.
  mutating func value(_ name: String, _ read: (String) -> String?) -> [UInt8]? {
    if let known = values[name] { return known }
    let value = read(name).map { Array($0.utf8) }
    values[name] = .some(value)
    return value
  }
}
