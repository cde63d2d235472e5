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
    case .text(let count):
      // There is no `maxLength`: it counts code points, and one character can consist of many.
      .string(minimumLength: 1).described("At most \(count.upperBound) characters, without control characters.")
    case .form(let form, _): text(of: form)
    case .choice(let words): .string(choices: words)
    case .array(let element, let count):
      Schema(.array(of: grammar(element), minimum: count.lowerBound, maximum: count.upperBound))
    case .map(let value, _): .map(of: grammar(value))
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

  private static func text(of form: Faults.Shape.Form) -> Schema {
    switch form {
    case .ratio: .string(format: .ratio)
    case .ordinals: .string(format: .ordinals)
    case .pathGlob: .string(format: .pathGlob)
    case .route, .requestPart: .string(minimumLength: 1)
    case .textGlob: .string()
    case .api: .string(choices: API.all.map(\.name))
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
    Trigger.Ordinals.expectation, pattern: "^0*[1-9][0-9]*\\.\\.\\.[0-9]*$"
  ) {
    Trigger.Ordinals($0) != nil
  }
}
