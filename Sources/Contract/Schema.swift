package import JSON

/// A named example of a body or a parameter.
package struct JSONExample: Sendable {
  package let name: String
  package let summary: String
  package let value: JSONValue
  /// The URL of an example that is not written in the document: bytes, or a page.
  package let address: String?

  package init(_ name: String, _ summary: String, _ value: JSONValue) {
    self.name = name
    self.summary = summary
    self.value = value
    address = nil
  }

  package init(_ name: String, _ value: JSONValue) { self.init(name, "", value) }

  package init(_ name: String, at address: String) {
    self.name = name
    summary = ""
    value = .null
    self.address = address
  }
}

/// The part of JSON Schema 2020-12 that the contract needs, which can be printed and validated.
///
/// A class, as its parts are, so that checking a value copies no schema.
package final class Schema: Sendable {
  package let shape: Shape
  /// The name under which the document lists the schema in `components`; nil for an inline schema.
  package let name: String?
  package let about: String
  package let isNullable: Bool

  package enum Shape: Sendable {
    case any
    case boolean
    case integer(minimum: Int?, maximum: Int?)
    case number(minimum: Double?, maximum: Double?)
    /// A number whose text has a fraction, even if it is whole: `20.0`.
    case double(minimum: Double?, maximum: Double?)
    case string(Text)
    case array(of: Schema, minimum: Int, maximum: Int?)
    case object(Object)
    case constant(JSONValue)
    case oneOf([Schema])
  }

  package final class Text: Sendable {
    package let minimumLength: Int
    package let maximumLength: Int?
    package let choices: [String]?
    package let format: Format?

    package init(minimumLength: Int, maximumLength: Int?, choices: [String]?, format: Format?) {
      self.minimumLength = minimumLength
      self.maximumLength = maximumLength
      self.choices = choices
      self.format = format
    }
  }

  package final class Object: Sendable {
    package let properties: [Property]
    /// Those of the properties that an object must have.
    package let required: [Property]
    package let additional: Additional
    let names: NameTable

    package init(properties: [Property], additional: Additional) {
      self.properties = properties
      names = NameTable(properties.map(\.name))
      required = properties.filter(\.isRequired)
      self.additional = additional
    }
  }

  package enum Additional: Sendable {
    case refused
    case allowed
    /// Names of a form, as many as the range has.
    case matching(Schema, named: Format?, count: ClosedRange<Int>?)
  }

  package final class Property: Sendable {
    package let name: String
    package let schema: Schema
    package let isRequired: Bool

    package init(_ name: String, _ schema: Schema, required: Bool = true) {
      self.name = name
      self.schema = schema
      isRequired = required
    }

    package static func optional(_ name: String, _ schema: Schema) -> Property {
      Property(name, schema, required: false)
    }
  }

  package init(_ shape: Shape, name: String? = nil, about: String = "", isNullable: Bool = false) {
    self.shape = shape
    self.name = name
    self.about = about
    self.isNullable = isNullable
  }
}

extension Schema {
  package static let any = Schema(.any)
  package static let boolean = Schema(.boolean)

  package static func integer(_ range: ClosedRange<Int>? = nil) -> Schema {
    Schema(.integer(minimum: range?.lowerBound, maximum: range?.upperBound))
  }

  package static func integer(atLeast minimum: Int) -> Schema { Schema(.integer(minimum: minimum, maximum: nil)) }

  package static func number(_ range: ClosedRange<Double>? = nil) -> Schema {
    Schema(.number(minimum: range?.lowerBound, maximum: range?.upperBound))
  }

  package static func double(_ range: ClosedRange<Double>? = nil) -> Schema {
    Schema(.double(minimum: range?.lowerBound, maximum: range?.upperBound))
  }

  package static func string(
    minimumLength: Int = 0, maximumLength: Int? = nil, choices: [String]? = nil, format: Format? = nil
  ) -> Schema {
    Schema(.string(Text(minimumLength: minimumLength, maximumLength: maximumLength, choices: choices, format: format)))
  }

  package static func array(of element: Schema, count: ClosedRange<Int>? = nil) -> Schema {
    Schema(.array(of: element, minimum: count?.lowerBound ?? 0, maximum: count?.upperBound))
  }

  package static func object(_ properties: [Property], additional: Additional = .refused) -> Schema {
    Schema(.object(Object(properties: properties, additional: additional)))
  }

  package static func map(of value: Schema, named names: Format? = nil, count: ClosedRange<Int>? = nil) -> Schema {
    Schema(.object(Object(properties: [], additional: .matching(value, named: names, count: count))))
  }

  package static func constant(_ value: JSONValue) -> Schema { Schema(.constant(value)) }
  package static func oneOf(_ schemas: [Schema]) -> Schema { Schema(.oneOf(schemas)) }

  /// The names of an object's members; none for other values.
  var memberNames: NameTable { if case .object(let object) = shape { object.names } else { .empty } }

  package func named(_ name: String) -> Schema {
    Schema(shape, name: name, about: about, isNullable: isNullable)
  }

  package func described(_ about: String) -> Schema {
    Schema(shape, name: name, about: about, isNullable: isNullable)
  }

  package var orNull: Schema { Schema(shape, name: name, about: about, isNullable: true) }
}
