/// A rule as the path of a request wants it: texts hashed, and what is asked of every request at hand.
///
/// It is a class, without anything that varies, because looking at a value of so many parts within an array counts
/// references: a hundred rules that do not match cost three times as much.
final class CompiledRule: Sendable {
  let rule: Rule
  let identity: String
  let when: When
  let body: any EffectBody
  let dependence: Dependence?
  let rivals: Rivals?
  /// Seed and rule already folded in.
  let dice: Dice
  private let namesOptions: Bool
  private let path: PathGlob?
  private let changes: Bool?
  private let headers: [Match.Header]

  init(_ rule: Rule, seed: UInt64) {
    self.rule = rule
    identity = rule.identity
    when = rule.when
    body = rule.effect.body
    dependence = rule.dependence
    rivals = rule.effect.body as? Rivals
    dice = Dice(seed: seed).folding(identity)
    path = rule.match.path
    changes = rule.match.changes
    headers = rule.match.headers
    namesOptions = rule.match.methods.contains("OPTIONS")
  }

  /// Whether the rule is about a stream at all. API and method were asked before.
  func matches(_ stream: Stream) -> Bool { path?.matches(stream.path) ?? true }

  /// Whether the rule is about a request of a stream that it is about; the cheapest question first.
  func matches(_ facts: Facts, _ fields: inout RequestFields, _ header: (String) -> String?) -> Bool {
    if facts.isPreflight, !namesOptions { return false }
    if let changes, changes != facts.changes { return false }
    for field in headers {
      guard let value = fields.value(field.name, header), field.value.pattern.matches(value) else { return false }
    }
    return true
  }
}

/// The header fields of a request as rules have asked for them: each is read once, however many rules ask.
struct RequestFields {
  private var values: [String: [UInt8]?] = [:]

  /// - Parameter read: Returns a field's combined value by its name in any case.
  mutating func value(_ name: String, _ read: (String) -> String?) -> [UInt8]? {
    if let known = values[name] { return known }
    let value = read(name).map { Array($0.utf8) }
    values[name] = .some(value)
    return value
  }
}
