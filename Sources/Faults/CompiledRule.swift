/// A rule as the path of a request wants it: texts hashed, methods as bits, what bites only the few kept for the end.
struct CompiledRule: Sendable {
  let rule: Rule
  let identity: String
  let when: When
  let body: any EffectBody
  let dependence: Dependence?
  let rivals: Rivals?
  /// Seed and rule already folded in.
  let dice: Dice
  private let methods: UInt8

  init(_ rule: Rule, seed: UInt64) {
    self.rule = rule
    identity = rule.identity
    when = rule.when
    body = rule.effect.body
    dependence = rule.dependence
    if case .rivals(let effect) = rule.effect { rivals = effect } else { rivals = nil }
    dice = Dice(seed: seed).folding(identity)
    methods = rule.match.methods.reduce(0) { $0 | Self.bit($1) }
  }

  static func bit(_ method: String) -> UInt8 {
    Match.knownMethods.firstIndex(of: method).map { 1 << $0 } ?? 0
  }

  static let options = bit("OPTIONS")

  /// Whether the rule is about the request; the cheapest question first. The API was asked before.
  func matches(_ facts: Facts, method: UInt8, _ header: (String) -> String?) -> Bool {
    if methods != 0, methods & method == 0 { return false }
    if facts.isPreflight, methods & Self.options == 0 { return false }
    if let changes = rule.match.changes, changes != facts.changes { return false }
    if let path = rule.match.path, !path.matches(facts.stream.path) { return false }
    for field in rule.match.headers {
      guard let value = header(field.name), field.value.matches(value) else { return false }
    }
    return true
  }
}
