package import JSON

/// The grammar of a JSON value in a scenario, from which the schema and the reference are generated.
package indirect enum Shape: Sendable {
  case any
  case flag
  case constant(JSONValue)
  case integer(ClosedRange<Int>)
  case duration(ClosedRange<Duration>)
  /// A text without control characters whose length is in the range; the name of a rule does not begin with a brace.
  case text(ClosedRange<Int>, isRuleName: Bool)
  /// A text of a form that `expectation` describes with an example.
  case form(Form, expectation: String)
  case choice([String])
  case array(of: Shape, ClosedRange<Int>)
  /// An object with member names of a form, whose count is in the range.
  case map(of: Shape, named: Form, ClosedRange<Int>)
  case object([Member])
  case oneOf([Shape])
  /// A rule and an effect are definitions of their own in the schema and in the reference.
  case rule
  case effect

  package enum Form: Sendable {
    case ratio, ordinals, pathGlob, percentile
    /// A glob of at most 1,000 bytes.
    case textGlob
    /// A glob of 1 to 200 bytes.
    case operationGlob
    /// A method and a path glob, or the glob alone.
    case route
    /// The place of a value in a request.
    case requestPart
    /// The name of a header field.
    case fieldName
    /// The name of an API. The module `Contract` declares the APIs.
    case api
  }
}

/// The declaration of an object's member: its name, grammar and meaning.
package struct Member: Sendable {
  package let name: String
  package let shape: Shape
  /// A sentence or two of Markdown.
  package let about: String
  package let isRequired: Bool
  /// The value of a member that is missing, as text for people.
  package let fallback: String?

  init(_ name: String, _ shape: Shape, _ about: String, isRequired: Bool, fallback: String? = nil) {
    self.name = name
    self.shape = shape
    self.about = about
    self.isRequired = isRequired
    self.fallback = fallback
  }
}

/// A member and the function that reads its value.
struct Key<Value: Sendable>: Sendable {
  let member: Member
  /// The words that complete "expected …".
  let expectation: String
  let fallback: Value?
  let read: @Sendable (JSONValue) -> Value?

  var name: String { member.name }

  init(
    _ name: String, _ shape: Shape, _ about: String, isRequired: Bool = false, fallback: Value? = nil,
    fallbackText: String? = nil, expectation: String, read: @escaping @Sendable (JSONValue) -> Value?
  ) {
    member = Member(name, shape, about, isRequired: isRequired, fallback: fallbackText)
    self.expectation = expectation
    self.fallback = fallback
    self.read = read
  }
}

extension Key where Value == Duration {
  static func duration(
    _ name: String, in range: ClosedRange<Duration>, _ about: String, isRequired: Bool = false
  ) -> Key {
    Key(name, .duration(range), about, isRequired: isRequired, expectation: Reader.expectation(range)) {
      Reader.duration($0, in: range)
    }
  }
}

extension Key where Value == Int {
  static func integer(
    _ name: String, in range: ClosedRange<Int>, _ about: String, isRequired: Bool = false, fallback: Int? = nil
  ) -> Key {
    Key(
      name, .integer(range), about, isRequired: isRequired, fallback: fallback, fallbackText: fallback.map { "\($0)" },
      expectation: "an integer from \(range.lowerBound) to \(range.upperBound)"
    ) { value in
      value.int.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Key where Value == Bool {
  static func flag(_ name: String, _ about: String, fallback: Bool? = nil) -> Key {
    Key(
      name, .flag, about, fallback: fallback, fallbackText: fallback.map { "\($0)" }, expectation: "a boolean",
      read: \.bool)
  }
}

extension Key where Value == Ratio {
  static func ratio(_ name: String, _ about: String, fallback: Ratio? = nil) -> Key {
    Key(
      name, .form(.ratio, expectation: Ratio.expectation), about, fallback: fallback, fallbackText: fallback?.text,
      expectation: Ratio.expectation
    ) {
      $0.string.flatMap { Ratio($0) }
    }
  }
}

extension Key where Value == String {
  /// A name or a description. It is printed in header fields, journals and terminals, so it is short and has no control
  /// characters.
  static func text(
    _ name: String, atMost count: Int, _ about: String, isRuleName: Bool = false, fallbackText: String? = nil
  ) -> Key {
    Key(
      name, .text(1...count, isRuleName: isRuleName), about, fallbackText: fallbackText,
      expectation: "a text of 1 to \(count) characters and no control characters"
    ) { value in
      guard let text = value.string, (1...count).contains(text.count) else { return nil }
      return text.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value } ? nil : text
    }
  }
}

extension Key where Value: RawRepresentable<String> {
  static func choice(
    _ name: String, of values: [Value], _ about: String, isRequired: Bool = false, fallback: Value? = nil
  ) -> Key {
    let words = values.map(\.rawValue)
    return Key(
      name, .choice(words), about, isRequired: isRequired, fallback: fallback, fallbackText: fallback?.rawValue,
      expectation: "one of \(words.joined(separator: ", "))"
    ) { value in
      values.first { $0.rawValue == value.string }
    }
  }
}

extension Key where Value == JSONValue.Object {
  /// A member that every object of the effect has.
  ///
  /// - Parameter example: An object with all of the members, as JSON text.
  static func object(
    _ name: String, _ members: [Member], _ about: String, example: String
  ) -> Key {
    Key(name, .object(members), about, isRequired: true, expectation: "an object, as in \(example)", read: \.object)
  }
}
