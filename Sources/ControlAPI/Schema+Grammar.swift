import Contract
import Faults
import JSON

extension Schema {
  /// Returns the schema of a part of the scenario grammar, which the module `Faults` declares.
  ///
  /// - Parameter name: The word for a value of the shape. Objects that are alternatives of one another get names made of
  ///   it, because generators of clients number alternatives without a name, and some then use a number twice.
  static func grammar(_ shape: Faults.Shape, of name: String = "") -> Schema {
    switch shape {
    case .any: .any
    case .flag: .boolean
    case .constant(let value): .constant(value)
    case .integer(let range): .integer(range)
    case .duration(let range):
      .duration.described(
        "From \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound)).")
    case .text(let count, let isRuleName):
      // There is no `maxLength`: it counts code points, and one character can consist of many.
      .string(format: isRuleName ? .ruleName : .text).described(
        "At most \(count.upperBound) characters, without control characters.")
    case .form(let form, _): text(of: form)
    case .choice(let words): .string(choices: words)
    case .array(let element, let count):
      Schema(.array(of: grammar(element), minimum: count.lowerBound, maximum: count.upperBound))
    case .map(let value, let names, let count): .map(of: grammar(value), named: format(of: names), count: count)
    case .object(let members): .object(members.map(Property.init))
    case .oneOf(let shapes): .oneOf(shapes.map { alternative($0, of: name) })
    case .rule: .object(Rule.members.map(Property.init)).named("Rule")
    case .effect: grammar(Effect.shape, of: "effect").named("Effect")
    }
  }

  /// Returns the schema of one alternative: an object is named by its first member, or by the constant in it.
  private static func alternative(_ shape: Faults.Shape, of name: String) -> Schema {
    guard case .object(let members) = shape, let first = members.first, !name.isEmpty else { return grammar(shape) }
    var word = first.name
    if case .constant(let value) = first.shape { word = value.string ?? word }
    let words = word.split(separator: "-") + [name[...]]
    return grammar(shape).named(words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
  }

  /// `maxLength` counts code points: a text has at least as many bytes, whose number is limited.
  private static func text(of form: Faults.Shape.Form) -> Schema {
    switch form {
    case .textGlob: .string(maximumLength: 1_000)
    case .operationGlob: .string(minimumLength: 1, maximumLength: 200)
    case .api: .string(choices: API.all.map(\.name))
    default: .string(format: format(of: form))
    }
  }

  /// Returns the format of a form that a regular expression describes; nil for others.
  private static func format(of form: Faults.Shape.Form) -> Format? {
    switch form {
    case .ratio: .ratio
    case .ordinals: .ordinals
    case .pathGlob: .pathGlob
    case .percentile: .percentile
    case .route: .route
    case .requestPart: .requestPart
    case .fieldName: .fieldName
    case .textGlob, .operationGlob, .api: nil
    }
  }
}

extension Schema.Property {
  convenience init(_ member: Member) {
    let schema = Schema.grammar(member.shape, of: member.name)
    let fallback = member.fallback.map { "The default is `\($0)`." }
    let about = [member.about, schema.about, fallback].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    self.init(member.name, schema.described(about), required: member.isRequired)
  }
}

extension Schema.Format {
  /// A ratio of integers: `1/10`.
  fileprivate static let ratio = Schema.Format(Ratio.expectation, pattern: "^[0-9]{1,9}/0{0,8}[1-9][0-9]{0,8}$") {
    Ratio($0) != nil
  }

  /// A path in whose segments no two stars are neighbours, or that are `**`: `/devices/*`.
  fileprivate static let pathGlob = Schema.Format(
    PathGlob.expectation, pattern: "^(?:/(?:\\*\\*|[^*/]*(?:\\*[^*/]+)*\\*?))+$"
  ) { PathGlob($0) != nil }

  /// A range of requests, counted from 1: `5...9`, `5...`.
  fileprivate static let ordinals = Schema.Format(
    Trigger.Ordinals.expectation, pattern: "^\(ordinal)\\.\\.\\.(?:\(ordinal))?$"
  ) {
    Trigger.Ordinals($0) != nil
  }

  /// An integer from 1 to a billion.
  private static let ordinal = "0*(?:[1-9][0-9]{0,8}|1000000000)"

  /// A percentile with at most three decimals: `50`, `99.9`.
  fileprivate static let percentile = Schema.Format(
    "a percentile from 0 to 100", pattern: "^(?:(?:0|[1-9][0-9]?)(?:\\.[0-9]{0,2}[1-9])?|100)$"
  ) { Distribution.Percentile.rank($0) != nil }

  /// A token (RFC 9110 section 5.6.2).
  fileprivate static let fieldName = Schema.Format("the name of a header field", pattern: "^\(token)$") {
    Match.isToken($0)
  }

  private static let token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"

  /// The place of a value in a request: `/params/name`, `?action`, `X-Amz-Target`.
  fileprivate static let requestPart = Schema.Format(
    RequestPart.expectation, pattern: "^(?:\\?[\\s\\S]+|/[^/]+(?:/[^/]*){0,15}|/(?:/[^/]*){1,15}|\(token))$"
  ) { RequestPart($0) != nil }

  /// A method and a path, or a path alone: `POST /orders/*`.
  fileprivate static let route = Schema.Format(
    RouteGlob.expectation,
    pattern: "^(?:(?:\(Match.knownMethods.filter { $0 != "HEAD" }.joined(separator: "|"))) )?"
      + "(?:/(?:\\*\\*|[^ ?*/]*(?:\\*[^ ?*/]+)*\\*?))+$"
  ) { (try? RouteGlob(.string($0), at: .root)) != nil }

  /// A text without control characters.
  fileprivate static let text = Schema.Format(
    "a non-empty string", pattern: "^[^\\x00-\\x1F\\x7F-\\x9F]+$", isPlain)

  /// The name of a rule, which is not mistaken for the content of a rule without a name.
  fileprivate static let ruleName = Schema.Format(
    "a non-empty string that does not begin with {",
    pattern: "^[^{\\x00-\\x1F\\x7F-\\x9F][^\\x00-\\x1F\\x7F-\\x9F]*$"
  ) { isPlain($0) && !$0.hasPrefix("{") }

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
