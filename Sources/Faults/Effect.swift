package import JSON
import Primitives

/// The effect of a rule: its kind and its members.
public struct Effect: Sendable, Equatable {
  package let body: any EffectBody

  package init(_ body: some EffectBody) { self.body = body }

  package var kind: Kind { body.kind }
  package var description: String { body.description }
  package var dependence: Dependence? { kind.dependence }

  package var json: JSONValue {
    .object(JSONValue.Object([JSONValue.Member(kind.word, body.value)] + body.parameters))
  }

  public static func == (left: Effect, right: Effect) -> Bool { left.json == right.json }
}

/// The values of one kind of effect.
///
/// Each conforming type has a file of its own, with the declaration of its kind (for the parser, the schema and the
/// reference) and its change to a plan.
package protocol EffectBody: Sendable {
  var kind: Effect.Kind { get }
  /// The value of the member that names the effect.
  var value: JSONValue { get }
  /// The other members of the effect.
  var parameters: [JSONValue.Member] { get }
  /// A short description, for lists.
  var description: String { get }
  /// The number of older states that it may need.
  var depth: Int { get }
  /// True if it depends on the seed.
  var draws: Bool { get }
  /// Adds the effect to the plan of one exchange.
  func add(to plan: inout PlanDraft, _ ruleMatch: RuleMatch, _ counters: inout RuleCounters)
}

extension EffectBody {
  package var value: JSONValue { .string(kind.name) }
  package var parameters: [JSONValue.Member] { [] }
  package var depth: Int { 0 }
  package var draws: Bool { false }
}

/// An effect that determines the outcome of an exchange. If several apply, the first wins.
package protocol FaultActionEffect: EffectBody {
  var action: FaultAction { get }
}

extension FaultActionEffect {
  package var description: String { action.description }
  package var draws: Bool { action.draws }

  package func add(to plan: inout PlanDraft, _ ruleMatch: RuleMatch, _ counters: inout RuleCounters) {
    plan.decide(action, ruleMatch)
  }
}

/// A fault without parameters.
struct PlainFault: FaultActionEffect {
  let action: FaultAction
  var kind: Effect.Kind { action.kind }

  init(_ action: FaultAction) { self.action = action }
}

/// A dependence of a plan besides seed, rule, stream and n.
package enum Dependence: String, Sendable {
  /// The sandbox's clock.
  case time
  /// The clock, and the earlier requests.
  case arrival
}

/// The match of one rule with one exchange, as available to an effect.
package struct RuleMatch: Sendable {
  let rule: String
  let phase: Phase
  let changes: Bool
  /// The time since the scenario was armed.
  @StoredNanoseconds var elapsed: Duration
  let hash: SeededHash

  init(rule: String, phase: Phase, changes: Bool, elapsed: NanosecondDuration, hash: SeededHash) {
    self.rule = rule
    self.phase = phase
    self.changes = changes
    self.hash = hash
    $elapsed = elapsed
  }

  /// Returns 64 bits for this rule and this exchange.
  func draw(_ purpose: SeededHash.Purpose) -> UInt64 { hash.draw(purpose) }
}

extension Effect {
  package init(json: JSONValue, at pointer: JSONPointer = .root) throws(ValidationError) {
    let given = try Reader(json, at: pointer, "an effect, as in {\"fault\": \"reset\"}")
    let names = given.object.members.map(\.name)
    let members = given.object.members.map { JSONValue.Member(Self.words[$0.name] ?? $0.name, $0.value) }
    if let (first, second) = Self.pair(in: members) {
      throw ValidationError(
        pointer / names[second], "another word for \"\(names[first])\", which is given; keep one of them")
    }
    do throws(ValidationError) {
      self = try Self.read(members, names, at: pointer)
    } catch {
      // The error names the key that the file has.
      for (name, member) in zip(names, members) where name != member.name {
        if let inner = error.pointer.rest(below: pointer / member.name) {
          throw ValidationError(pointer / name / inner, error.detail)
        }
      }
      throw error
    }
  }

  /// Returns the indices of two members with one name.
  private static func pair(in members: [JSONValue.Member]) -> (first: Int, second: Int)? {
    for (second, member) in members.enumerated() {
      if let first = members[..<second].firstIndex(where: { $0.name == member.name }) { return (first, second) }
    }
    return nil
  }

  /// - Parameter names: The names of the members as they were given, perhaps by other words.
  private static func read(
    _ members: [JSONValue.Member], _ names: [String], at pointer: JSONPointer
  ) throws(ValidationError) -> Effect {
    let reader = try Reader(.object(JSONValue.Object(members)), at: pointer, "an effect")
    let keywords = Kind.keywords
    let found = members.indices.filter { keywords.contains(members[$0].name) }
    guard let first = found.first else {
      try reader.allow(keywords)
      throw ValidationError(pointer, "expected one of \(keywords.joined(separator: ", ")), found nothing")
    }
    if found.count > 1 {
      let words = found.map { "\"\(names[$0])\"" }
      throw ValidationError(
        pointer,
        "expected one effect, found \(words.joined(separator: " and ")); each is the effect of a rule of its own")
    }
    let word = members[first].name
    let kind = word == Kind.faultWord ? try reader.value(Kind.fault) : Kind.named(word)
    guard let kind else { preconditionFailure("every word but \(Kind.faultWord) is a kind's name") }
    try reader.allow([word] + kind.parameters.map(\.name))
    return Effect(try kind.read(reader))
  }

  private init(_ body: any EffectBody) { self.body = body }

  /// The words of rules by those that are accepted, too.
  private static let words = Dictionary(
    uniqueKeysWithValues: Kind.parameterAliases.map { ($0.value, $0.key) }
      + Kind.allCases.compactMap { kind in
        kind.alias.map { ($0, kind.name) }
      })

  /// True if an effect may begin with a word.
  static func isKeyword(_ name: String) -> Bool { Kind.keywords.contains(words[name] ?? name) }
}

extension Effect {
  /// True if it shows or changes the state of the APIs.
  package var needsState: Bool { kind === Stale.kind || kind === Rivals.kind }
}
