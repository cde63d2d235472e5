package import JSON

extension Schema {
  /// Everything in `value` that this schema does not allow, each with the place where it stands.
  package func violations(in value: JSON, at pointer: JSONPointer = .root) -> [Violation] {
    if value == .null, isNullable { return [] }
    switch (shape, value) {
    case (.any, _): return []
    case (.boolean, .bool): return []
    case (.integer(let minimum, let maximum), .number(let number)):
      guard let integer = number.int else { return [mismatch(value, pointer)] }
      let fits = (minimum ?? .min)...(maximum ?? .max) ~= integer
      return fits ? [] : [Violation(pointer, "expected \(expectation), found \(number.text)")]
    case (.number(let minimum, let maximum), .number(let number)):
      let fits = number.double >= (minimum ?? -.infinity) && number.double <= (maximum ?? .infinity)
      return fits ? [] : [Violation(pointer, "expected \(expectation), found \(number.text)")]
    case (.string(let text), .string(let string)):
      return text.allows(string) ? [] : [Violation(pointer, "expected \(expectation), found \(Self.quote(string))")]
    case (.array(let element, let minimum, let maximum), .array(let elements)):
      guard (minimum...(maximum ?? .max)).contains(elements.count) else {
        return [Violation(pointer, "expected \(expectation), found \(elements.count) elements")]
      }
      return elements.enumerated().flatMap { element.violations(in: $0.element, at: pointer / $0.offset) }
    case (.object(let object), .object(let members)): return object.violations(in: members, at: pointer)
    case (.constant(let constant), _):
      return value.isEqual(to: constant) ? [] : [mismatch(value, pointer)]
    case (.oneOf(let schemas), _): return violations(in: value, at: pointer, ofOneAmong: schemas)
    default: return [mismatch(value, pointer)]
    }
  }

  private func mismatch(_ value: JSON, _ pointer: JSONPointer) -> Violation {
    Violation(pointer, "expected \(expectation), found \(value.kind)")
  }

  /// Of several shapes the one that comes nearest explains best what is wrong.
  private func violations(in value: JSON, at pointer: JSONPointer, ofOneAmong schemas: [Schema]) -> [Violation] {
    let attempts = schemas.map { $0.violations(in: value, at: pointer) }
    if attempts.contains(where: \.isEmpty) { return [] }
    let deeper = attempts.filter { $0.contains { $0.pointer != pointer } }
    return deeper.min { $0.count < $1.count } ?? [mismatch(value, pointer)]
  }

  /// What this schema allows, in words that complete «expected …».
  package var expectation: String {
    let expected: String =
      switch shape {
      case .any: "any value"
      case .boolean: "a boolean"
      case .integer(let minimum, let maximum): "an integer" + Self.bounds(minimum, maximum)
      case .number(let minimum, let maximum): "a number" + Self.bounds(minimum, maximum)
      case .string(let text): text.expectation
      case .array(_, let minimum, let maximum): "an array" + Self.count(minimum, maximum)
      case .object: "an object"
      case .constant(let value): value.text
      case .oneOf(let schemas): schemas.map(\.expectation).joined(separator: " or ")
      }
    return isNullable ? expected + " or null" : expected
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

  /// A found text is quoted shortly, so that a megabyte of it does not come back.
  private static func quote(_ text: String) -> String {
    JSON.string(text.count > 40 ? text.prefix(40) + "…" : text).text
  }
}

extension Schema.Object {
  fileprivate func violations(in members: JSON.Object, at pointer: JSONPointer) -> [Violation] {
    var violations: [Violation] = []
    for member in members.members {
      let place = pointer / member.name
      if let property = properties.first(where: { $0.name == member.name }) {
        violations += property.schema.violations(in: member.value, at: place)
        continue
      }
      switch additional {
      case .allowed: break
      case .matching(let schema): violations += schema.violations(in: member.value, at: place)
      case .refused:
        let names = properties.map(\.name).joined(separator: ", ")
        let expected = names.isEmpty ? "expected none" : "expected one of \(names)"
        violations.append(Violation(place, "unknown key; " + expected))
      }
    }
    for property in properties where property.isRequired && members[property.name] == nil {
      violations.append(Violation(pointer / property.name, "expected \(property.schema.expectation), found nothing"))
    }
    return violations
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
    if minimumLength == 0, maximumLength == nil { return true }
    let length = text.unicodeScalars.count
    return length >= minimumLength && length <= maximumLength ?? .max
  }
}

extension JSON {
  /// Whether JSON Schema calls both the same: `1` and `1.0` are, and the order of members says nothing.
  fileprivate func isEqual(to other: JSON) -> Bool {
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
