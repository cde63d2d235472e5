import JSON
import Primitives

/// One rule of a file of semantics: which requests it is about, and what they mean.
package struct SemanticsRule: Sendable {
  package let match: RouteGlob
  /// The conditions on parts of the request; all must hold.
  package let conditions: [Condition]
  /// The name of the operation; nil if its requests are those of their method and path.
  package let name: String?
  package let effect: Effect
  /// The part that identifies a logical write; nil for `Idempotency-Key`.
  package let key: RequestPart?
  /// The key as written.
  package let keyText: String?
  /// The reads that show what became of a write, besides those of its path.
  package let shownBy: RouteGlob?

  /// The effect of a request on what its path names.
  package enum Effect: String, Sendable, CaseIterable {
    /// It changes nothing, whatever its method.
    case read
    /// A repetition changes nothing more.
    case set
    /// Each request adds something.
    case add
  }

  /// A part of a request with a pattern for its value.
  package struct Condition: Sendable {
    package let text: String
    package let part: RequestPart
    package let pattern: Glob
    private let isOfGraphQL: Bool

    init(_ text: String, _ part: RequestPart, _ pattern: Glob) {
      self.text = text
      self.part = part
      self.pattern = pattern
      isOfGraphQL = GraphQLText.isPattern(pattern.text)
    }

    /// Returns true if there are values, and all match.
    func matches(_ values: [JSONValue]) -> Bool {
      !values.isEmpty && values.allSatisfy { matches($0.comparedText) }
    }

    private func matches(_ text: String) -> Bool {
      guard isOfGraphQL else { return matches(Array(text.utf8)) }
      let operations = GraphQLText.operations(in: text)
      // Which one of several is carried out is said elsewhere.
      return !operations.isEmpty && operations.allSatisfy(matches)
    }

    private func matches(_ text: [UInt8]) -> Bool { pattern.matches(text, upTo: Self.maximumSearched) }

    /// More is searched than of a path or a field, because documents of queries are long.
    private static let maximumSearched = 8 << 10
  }
}

extension SemanticsRule {
  package static let members = [
    match.member, whereKey.member, nameKey.member, effectKey.member, keyKey.member, shownByKey.member,
  ]
  static let maximumConditions = 16

  private static let match = Key<JSONValue>(
    "match", .form(.route, expectation: RouteGlob.expectation),
    "A method and a path, or a path alone. In the path `*` is any text within one segment, `**` any number of segments.",
    isRequired: true, expectation: RouteGlob.expectation
  ) { $0 }
  private static let whereKey = Key<JSONValue.Object>(
    "where",
    .map(
      of: .form(.textGlob, expectation: "a text in which * stands for any run"), named: .requestPart,
      1...maximumConditions),
    "Patterns by part of the request, all of which must match: `/params/name` is a member of JSON or form content (RFC "
      + "6901), `?action` a parameter of the query, and any other name a header field. `*` is any text. A list, as in a "
      + "batch, matches if each of its elements does. For GraphQL, a pattern such as `query *` or `mutation order*` is "
      + "compared with each operation; `{` counts as `query`.",
    expectation: "an object of patterns, as in {\"/method\": \"charge\"}", read: \.object)
  private static let nameKey = Key.text(
    "name", atMost: 60, "The operation's name: its requests are counted apart, and rules of scenarios match it.")
  private static let effectKey = Key.choice(
    "effect", of: Effect.allCases,
    "`read` changes nothing, `set` changes nothing more if it is repeated, `add` adds something each time.",
    isRequired: true)
  private static let keyKey = Key<String>(
    "key", .form(.requestPart, expectation: RequestPart.expectation),
    "The part of the request that identifies a logical write. It is left out where contents are compared.",
    fallbackText: "Idempotency-Key",
    expectation: RequestPart.expectation
  ) { $0.string.flatMap { RequestPart($0) == nil ? nil : $0 } }
  private static let shownByKey = Key<JSONValue>(
    "shown-by", .form(.route, expectation: RouteGlob.expectation),
    "A read that shows what became of the write, in the form of `match`.", expectation: RouteGlob.expectation
  ) { $0 }

  init(_ json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    let reader = try Reader(json, at: pointer, "a rule, as in {\"match\": \"POST /orders\", \"effect\": \"add\"}")
    do throws(ValidationError) {
      try reader.allow(Self.members.map(\.name))
      match = try RouteGlob(reader.object[Self.match.name], at: pointer / Self.match.name)
      conditions = try Self.conditions(reader)
      name = try reader.optional(Self.nameKey)
      effect = try reader.value(Self.effectKey)
      keyText = try reader.optional(Self.keyKey)
      key = keyText.flatMap { RequestPart($0) }
      let shownBy = reader.object[Self.shownByKey.name]
      self.shownBy =
        if let shownBy { try RouteGlob(shownBy, at: pointer / Self.shownByKey.name) } else { nil }
    } catch {
      throw error.advised
    }
    guard shownBy == nil || effect != .read else {
      throw ValidationError(pointer / Self.shownByKey.name, "expected none: a read changes nothing that is to be shown")
    }
  }

  private static func conditions(_ reader: Reader) throws(ValidationError) -> [Condition] {
    guard reader.object[whereKey.name] != nil else { return [] }
    let parts = try reader.object(whereKey)
    guard 1...maximumConditions ~= parts.object.members.count else {
      throw ValidationError(
        parts.pointer, "expected 1 to \(maximumConditions) conditions, found \(parts.object.members.count)")
    }
    var conditions: [Condition] = []
    for member in parts.object.members {
      guard let part = RequestPart(member.name) else {
        throw ValidationError(parts.pointer / member.name, "expected \(RequestPart.expectation)")
      }
      guard let pattern = member.value.string, pattern.utf8.count <= 1_000 else {
        let found = Reader.found(member.value)
        throw ValidationError(
          parts.pointer / member.name, "expected a text in which * stands for any run, found \(found)")
      }
      conditions.append(Condition(member.name, part, Glob(pattern)))
    }
    return conditions
  }

  /// The rule's match and its conditions as text.
  package var description: String {
    let conditions = conditions.map { "\($0.text): \($0.pattern.text)" }.joined(separator: ", ")
    return match.text + (conditions.isEmpty ? "" : " where \(conditions)")
  }
}
