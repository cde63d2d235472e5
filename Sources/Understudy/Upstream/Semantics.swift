import Contract
import Faults
import JSON
import Primitives

/// The meaning of requests to an upstream, as far as `--semantics FILE` declares it: a list of rules, the first of which
/// that matches counts.
struct Semantics: Sendable {
  struct Rule: Sendable, Equatable {
    /// The method; nil for every method.
    let method: Method?
    let path: PathGlob
    let effect: Effect
    /// The name in lower case of the field that identifies a logical write.
    let keyField: String
  }

  typealias Effect = API.Generic.Declaration.Effect

  let rules: [Rule]

  /// Nothing is declared.
  static let none = Semantics(rules: [])

  private init(rules: [Rule]) { self.rules = rules }

  /// Parses a file.
  init(json: JSONValue) throws(ValidationError) {
    guard let list = json.array else {
      throw ValidationError(
        .root,
        "expected an array of rules, as in [{\"match\": \"POST /search\", \"effect\": \"read\"}], found \(json.kind)")
    }
    guard list.count <= Self.maximumRules else {
      throw ValidationError(.root, "expected at most \(Self.maximumRules) rules, found \(list.count)")
    }
    var rules: [Rule] = []
    for (index, json) in list.enumerated() { rules.append(try Rule(json, at: .root / index)) }
    self.init(rules: rules)
  }

  private static let maximumRules = 1_000

  /// Returns the index of the first rule that matches.
  func index(for method: Method?, _ path: String) -> Int? {
    rules.firstIndex { ($0.method == nil || $0.method == method) && $0.path.matches(path) }
  }
}

extension Semantics.Rule {
  fileprivate init(_ json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    guard let object = json.object else {
      throw ValidationError(
        pointer, "expected a rule, as in {\"match\": \"POST /orders\", \"effect\": \"add\"}, found \(json.kind)")
    }
    for member in object.members where !Self.keys.contains(member.name) {
      let advice = Spelling.suggestion(for: member.name, among: Self.keys, after: "; ")
      throw ValidationError(
        pointer / member.name, "unknown key; expected one of \(Self.keys.joined(separator: ", "))\(advice)")
    }
    (method, path) = try Self.match(object["match"], at: pointer / "match")
    let names = Semantics.Effect.allCases.map(\.rawValue)
    guard let effect = object["effect"]?.string.flatMap(Semantics.Effect.init) else {
      throw ValidationError(
        pointer / "effect", "expected one of \(names.joined(separator: ", ")), found \(Self.found(object["effect"]))")
    }
    self.effect = effect
    keyField =
      try object["key"].map { key throws(ValidationError) in
        guard let name = key.string, !name.isEmpty, name.utf8.allSatisfy(ByteSet.token.contains) else {
          throw ValidationError(pointer / "key", "expected the name of a header field, found \(Self.found(key))")
        }
        return name.lowercased()
      } ?? Contract.Operation.Effect.standardKeyField
  }

  private static func match(
    _ json: JSONValue?, at pointer: JSONPointer
  ) throws(ValidationError) -> (Method?, PathGlob) {
    let expectation = "expected a method and a path, as in \"POST /orders/*\", or a path alone"
    guard let text = json?.string else {
      throw ValidationError(pointer, "\(expectation), found \(found(json))")
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard let last = words.last, words.count <= 2, let path = PathGlob(last) else {
      throw ValidationError(
        pointer, "\(expectation), in which * is a part of one segment and ** any segments, found \(found(json))")
    }
    guard words.count == 2 else { return (nil, path) }
    guard let method = Method(operation: words[0]) else {
      let known = Method.ofOperations.map(\.rawValue)
      let advice = Spelling.suggestion(for: words[0].uppercased(), among: known, after: "; ")
      throw ValidationError(
        pointer, "unknown method \(words[0]); expected one of \(known.joined(separator: ", "))\(advice)")
    }
    return (method, path)
  }

  private static func found(_ json: JSONValue?) -> String {
    guard let json else { return "nothing" }
    return json.text.count > 42 ? json.kind : json.text
  }

  private static let keys = ["match", "effect", "key"]
}
