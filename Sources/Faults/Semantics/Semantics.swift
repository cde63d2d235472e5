package import JSON

/// The meaning of requests to a backend, as a file declares it: a list of rules, the first of which that matches counts.
package struct Semantics: Sendable {
  package let rules: [SemanticsRule]

  /// Nothing is declared.
  package static let none = Semantics(rules: [])

  static let maximumRules = 1_000
  static let example = #"[{"match": "POST /search", "effect": "read"}]"#

  private init(rules: [SemanticsRule]) { self.rules = rules }

  /// Parses a file.
  package init(json: JSONValue) throws(ValidationError) {
    guard let list = json.array else {
      throw ValidationError(.root, "expected an array of rules, as in \(Self.example), found \(json.kind)")
    }
    guard list.count <= Self.maximumRules else {
      throw ValidationError(.root, "expected at most \(Self.maximumRules) rules, found \(list.count)")
    }
    var rules: [SemanticsRule] = []
    for (index, json) in list.enumerated() { rules.append(try SemanticsRule(json, at: .root / index)) }
    try Self.refuseUnreachable(rules)
    self.init(rules: rules)
  }

  /// Throws for a rule that applies to no request, because an earlier one applies to all that it matches.
  private static func refuseUnreachable(_ rules: [SemanticsRule]) throws(ValidationError) {
    let wide = rules.indices.filter { rules[$0].conditions.isEmpty }
    for (index, rule) in rules.enumerated() {
      let paths = rule.match.representatives
      let earlier = wide.prefix { $0 < index }.first { earlier in
        let match = rules[earlier].match
        return (match.method == nil || match.method == rule.match.method) && paths.allSatisfy(match.path.matches)
      }
      guard let earlier else { continue }
      throw ValidationError(
        .root / index / "match",
        "expected requests to which no earlier rule applies: rule \(earlier + 1) (\(rules[earlier].match.text)) applies to all "
          + "that match \(JSONValue.string(rule.match.text).text); place it after this one")
    }
  }

  /// The grammar of a file.
  package static let shape = Shape.array(of: .object(SemanticsRule.members), 0...maximumRules)
}

/// The declared meaning of one request.
package enum Declaration: Sendable, Equatable {
  /// No rule matches.
  case none
  /// A rule, by its index, with the text that identifies the logical write, if the rule names its place and it is there.
  case rule(Int, key: String?)
  /// A rule about the method and the path looks into content that cannot be read.
  case undeclared(reason: String)
}

extension Semantics {
  /// Returns the indices of the rules about a method and a path, of which a request decides: those up to the first that
  /// looks at nothing else.
  ///
  /// - Parameter method: HEAD must be given as GET.
  package func candidates(_ method: String, _ path: String) -> [Int] {
    let split = SplitPath(path)
    var candidates: [Int] = []
    for (index, rule) in rules.enumerated() where rule.match.matches(method, split) {
      candidates.append(index)
      if rule.conditions.isEmpty { break }
    }
    return candidates
  }

  /// Returns the indices of the rules whose effect a read with this method and path shows.
  package func rulesShown(by method: String, _ path: String) -> [Int] {
    let split = SplitPath(path)
    return rules.indices.filter { rules[$0].shownBy?.matches(method, split) == true }
  }

  /// Returns the declaration of a request.
  ///
  /// - Parameters:
  ///   - candidates: The result of `candidates(_:_:)` for its method and path.
  ///   - parameters: Returns the values of a parameter of the query.
  ///   - field: Returns a field's combined value by its name in any case.
  package func declaration(
    among candidates: [Int], _ content: consuming RequestContent, parameters: (String) -> [String],
    field: (String) -> String?
  ) -> Declaration {
    func values(of part: RequestPart) throws(RequestContent.Unreadable) -> [JSONValue] {
      switch part {
      case .field(let name): field(name).map { [.string($0)] } ?? []
      case .parameter(let name): parameters(name).map { .string($0) }
      case .member(let path): try content.values(at: path)
      }
    }
    do throws(RequestContent.Unreadable) {
      for index in candidates {
        let rule = rules[index]
        var isMatch = true
        for condition in rule.conditions where isMatch { isMatch = condition.matches(try values(of: condition.part)) }
        guard isMatch else { continue }
        let key = try rule.key.map { part throws(RequestContent.Unreadable) in try values(of: part) } ?? []
        return .rule(index, key: key.isEmpty ? nil : key.map(\.comparedText).joined(separator: "\n"))
      }
      return .none
    } catch {
      return .undeclared(reason: error.reason)
    }
  }
}
