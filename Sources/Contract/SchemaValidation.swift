package import JSON
import Primitives

extension Schema {
  /// Returns the violations of this schema in `value`, each with its position.
  package func violations(in value: JSONValue, at pointer: JSONPointer = .root) -> [ValidationError] {
    boundedViolations(in: value, at: pointer).listed
  }

  /// Returns the violations of this schema in `value`, and the number of those that are not listed.
  package func boundedViolations(in value: JSONValue, at pointer: JSONPointer = .root) -> Violations {
    var violations = Violations()
    find(in: value, &violations)
    violations.nest(from: 0, under: pointer)
    return violations
  }

  /// Adds the violations, with pointers from `value`.
  fileprivate func find(in value: JSONValue, _ violations: inout Violations) {
    if isNullable, case .null = value { return }
    switch shape {
    case .any: return
    case .boolean:
      if case .bool = value { return }
    case .integer(let minimum, let maximum):
      guard case .number(let number) = value, let integer = number.int else { break }
      if (minimum ?? .min)...(maximum ?? .max) ~= integer { return }
      return violations.add(mismatch(found: number.text.abbreviated(to: 40)))
    case .number(let minimum, let maximum), .double(let minimum, let maximum):
      guard case .number(let number) = value else { break }
      var fits = number.double >= (minimum ?? -.infinity) && number.double <= (maximum ?? .infinity)
      if case .double = shape { fits = fits && number.isDoubleText }
      if fits { return }
      return violations.add(mismatch(found: number.text.abbreviated(to: 40)))
    case .string(let text):
      guard case .string(let string) = value else { break }
      if text.allows(string) { return }
      return violations.add(mismatch(found: JSONValue.string(string.abbreviated(to: 40)).text))
    case .array(let element, let minimum, let maximum):
      guard case .array(let elements) = value else { break }
      guard (minimum...(maximum ?? .max)).contains(elements.count) else {
        return violations.add(mismatch(found: "\(elements.count) elements"))
      }
      for (index, value) in elements.enumerated() {
        let known = violations.listed.count
        element.find(in: value, &violations)
        violations.nest(from: known, under: .root / index)
      }
      return
    case .object(let object):
      guard case .object(let members) = value else { break }
      return object.find(in: members, &violations)
    case .constant(let constant):
      if value.isEqual(to: constant) { return }
    case .oneOf(let schemas): return find(in: value, ofOneAmong: schemas, &violations)
    }
    violations.add(mismatch(value))
  }

  private func mismatch(_ value: JSONValue) -> ValidationError {
    mismatch(found: value.kind)
  }

  private func mismatch(found: String) -> ValidationError {
    ValidationError(.root, "expected \(expectation), found \(found)")
  }

  /// Reports the violations of the alternative with the fewest, because it explains the error best.
  private func find(
    in value: JSONValue, ofOneAmong schemas: [Schema], _ violations: inout Violations
  ) {
    var attempts: [Violations] = []
    for schema in schemas {
      var attempt = Violations()
      schema.find(in: value, &attempt)
      if attempt.isEmpty { return }
      attempts.append(attempt)
    }
    let deeper = attempts.filter { $0.listed.contains { $0.pointer != .root } }
    guard let nearest = deeper.min(by: { $0.count < $1.count }) else {
      return violations.add(mismatch(value))
    }
    violations.add(contentsOf: nearest)
  }

  /// The allowed values, as words that complete «expected …».
  package var expectation: String {
    let expected: String =
      switch shape {
      case .any: "any value"
      case .boolean: "a boolean"
      case .integer(let minimum, let maximum): "an integer" + Self.bounds(minimum, maximum)
      case .number(let minimum, let maximum): "a number" + Self.bounds(minimum, maximum)
      case .double(let minimum, let maximum): "a number with a fraction" + Self.bounds(minimum, maximum)
      case .string(let text): text.expectation
      case .array(_, let minimum, let maximum): "an array" + Self.count(minimum, maximum)
      case .object: "an object"
      case .constant(let value): value.text
      case .oneOf(let schemas): Self.alternatives(schemas.map(\.expectation))
      }
    return isNullable ? expected + " or null" : expected
  }

  /// Returns alternatives in words, each once: objects of different members are all "an object".
  private static func alternatives(_ expectations: [String]) -> String {
    expectations.distinct().joined(separator: " or ")
  }

  private static func count(_ minimum: Int, _ maximum: Int?) -> String {
    guard let maximum else { return minimum == 0 ? "" : " of \(minimum) or more" }
    return minimum == maximum ? " of \(minimum)" : " of \(minimum) to \(maximum)"
  }

  private static func bounds<Bound: CustomStringConvertible>(_ minimum: Bound?, _ maximum: Bound?) -> String {
    switch (minimum, maximum) {
    case (let minimum?, let maximum?): " from \(minimum) to \(maximum)"
    case (let minimum?, nil): " of at least \(minimum)"
    case (nil, let maximum?): " of at most \(maximum)"
    case (nil, nil): ""
    }
  }
}

extension Schema.Object {
  fileprivate func find(in object: JSONValue.Object, _ violations: inout Violations) {
    for index in object.members.indices {
      let (name, known) = (object.members[index].name, violations.listed.count)
      if let position = names.index(of: name) {
        properties[position].schema.find(in: object.members[index].value, &violations)
      } else {
        switch additional {
        case .allowed: break
        case .matching(_, let names?, _) where !names.allows(name):
          violations.add(ValidationError(.root, "unknown key; expected \(names.expectation)"))
        case .matching(let schema, _, _): schema.find(in: object.members[index].value, &violations)
        case .refused: violations.add(ValidationError(.root, "unknown key; " + expectedNames))
        }
      }
      violations.nest(from: known, under: .root / name)
    }
    if case .matching(_, _, let count?) = additional, !count.contains(object.members.count) {
      violations.add(
        ValidationError(
          .root, "expected \(count.lowerBound) to \(count.upperBound) members, found \(object.members.count)"))
    }
    for property in required where object[property.name] == nil {
      violations.add(
        ValidationError(.root / property.name, "expected \(property.schema.expectation), found nothing"))
    }
  }

  private var expectedNames: String {
    let names = properties.map(\.name).joined(separator: ", ")
    return names.isEmpty ? "expected none" : "expected one of \(names)"
  }
}

extension Schema.Text {
  fileprivate var expectation: String {
    if let choices { return "one of " + choices.joined(separator: ", ") }
    if let format { return format.expectation }
    if let maximumLength { return "a string of \(minimumLength) to \(maximumLength) characters" }
    return minimumLength == 0
      ? "a string" : minimumLength == 1 ? "a non-empty string" : "a string of \(minimumLength) or more characters"
  }

  fileprivate func allows(_ text: String) -> Bool {
    if let choices { return choices.contains(text) }
    return hasAllowedLength(text) && format?.allows(text) ?? true
  }

  private func hasAllowedLength(_ text: String) -> Bool {
    // Only an empty text has no characters.
    if minimumLength <= 1, maximumLength == nil { return text.utf8.count >= minimumLength }
    let length = text.unicodeScalars.count
    return length >= minimumLength && length <= maximumLength ?? .max
  }
}

extension JSONValue {
  /// Returns true if JSON Schema regards both as equal: `1` and `1.0` are, and the order of members does not count.
  fileprivate func isEqual(to other: JSONValue) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)): left.text == right.text || left.double == right.double
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
    case (.object(let left), .object(let right)):
      left.members.count == right.members.count
        && left.members.allSatisfy { right[$0.name]?.isEqual(to: $0.value) ?? false }
    default: self == other
    }
  }
}
