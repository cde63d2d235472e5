import Contract
import JSON

/// A document under construction; it collects the parts that it references.
struct Draft {
  /// The beginning of a reference to a named schema.
  private let definitions: String
  private(set) var schemas = JSONValue.Object()
  var parameters = JSONValue.Object()
  var headers = JSONValue.Object()
  var responses = JSONValue.Object()
  var examples = JSONValue.Object()

  /// - Parameter definitions: The beginning of a reference to a named schema; the default is that of OpenAPI.
  init(definitions: String = "#/components/schemas/") { self.definitions = definitions }

  /// Returns the schema in JSON Schema 2020-12; a named schema as a reference to its component.
  mutating func schema(_ schema: Schema) -> JSONValue {
    guard let name = schema.name else { return define(schema) }
    let definition = define(Schema(schema.shape, about: schema.about))
    add(definition, as: name)
    let reference: JSONValue = ["$ref": .string(definitions + name)]
    guard schema.isNullable else { return describe(reference, unless: schemas[name], definition) }
    return ["anyOf": [reference, ["type": "null"]]]
  }

  /// Adds a definition. A name has one definition; only its description may differ between references.
  private mutating func add(_ definition: JSONValue, as name: String) {
    guard let known = schemas[name] else {
      schemas[name] = definition
      return
    }
    let isSame = Self.withoutDescription(known) == Self.withoutDescription(definition)
    precondition(isSame, "two schemas are named \(name)")
  }

  private static func withoutDescription(_ definition: JSONValue) -> JSONValue {
    definition.merging(["description": .null])
  }

  private func describe(_ reference: JSONValue, unless known: JSONValue?, _ definition: JSONValue) -> JSONValue {
    guard let about = definition["description"], about != known?["description"] else { return reference }
    return reference.merging(["description": about])
  }

  private mutating func define(_ schema: Schema) -> JSONValue {
    var definition = JSONValue.Object()
    if !schema.about.isEmpty { definition["description"] = .string(schema.about) }
    for member in shape(schema.shape).members { definition[member.name] = member.value }
    return .object(schema.isNullable ? Self.orNull(definition) : definition)
  }

  private static func orNull(_ definition: JSONValue.Object) -> JSONValue.Object {
    var nullable = definition
    if let type = definition["type"] {
      nullable["type"] = [type, "null"]
      if let choices = definition["enum"]?.array { nullable["enum"] = .array(choices + [.null]) }
    } else if let alternatives = definition["anyOf"]?.array {
      nullable["anyOf"] = .array(alternatives + [["type": "null"]])
    } else if let constant = definition["const"] {
      nullable["const"] = Optional.none
      nullable["enum"] = [constant, .null]
    }
    return nullable
  }

  private mutating func shape(_ shape: Schema.Shape) -> JSONValue.Object {
    switch shape {
    case .any: JSONValue.Object()
    case .boolean: Self.members(("type", "boolean"))
    case .integer(let minimum, let maximum):
      Self.members(
        ("type", "integer"), ("format", minimum == nil || maximum == nil ? "int64" : nil),
        ("minimum", minimum.map(JSONValue.int)), ("maximum", maximum.map(JSONValue.int)))
    case .number(let minimum, let maximum):
      Self.members(
        ("type", "number"), ("minimum", minimum.map(Self.number)), ("maximum", maximum.map(Self.number)))
    case .double(let minimum, let maximum):
      Self.members(
        ("type", "number"), ("format", "double"), ("minimum", minimum.map(Self.number)),
        ("maximum", maximum.map(Self.number)))
    case .string(let text): Self.string(text)
    case .array(let element, let minimum, let maximum):
      Self.members(
        ("type", "array"), ("items", schema(element)), ("minItems", minimum == 0 ? nil : .int(minimum)),
        ("maxItems", maximum.map(JSONValue.int)))
    case .object(let object): self.object(object)
    case .constant(let value): Self.members(("const", value))
    case .oneOf(let schemas): Self.members(("anyOf", .array(schemas.map { schema($0) })))
    }
  }

  private static func string(_ text: Schema.Text) -> JSONValue.Object {
    if let choices = text.choices {
      return members(("type", "string"), ("enum", .array(choices.map(JSONValue.string))))
    }
    return members(
      ("type", "string"), ("format", text.format?.standardName.map(JSONValue.string)),
      ("pattern", text.format?.pattern.map(JSONValue.string)),
      ("minLength", text.minimumLength == 0 ? nil : .int(text.minimumLength)),
      ("maxLength", text.maximumLength.map(JSONValue.int)))
  }

  private mutating func object(_ object: Schema.Object) -> JSONValue.Object {
    let properties = object.properties.map { JSONValue.Member($0.name, schema($0.schema)) }
    let required = object.properties.filter(\.isRequired).map { JSONValue.string($0.name) }
    var (additional, names, count): (JSONValue?, Schema.Format?, ClosedRange<Int>?) = (nil, nil, nil)
    switch object.additional {
    case .refused: additional = .bool(false)
    case .allowed: break
    case .matching(let value, let form, let range): (additional, names, count) = (schema(value), form, range)
    }
    return Self.members(
      ("type", "object"), ("properties", properties.isEmpty ? .none : .object(JSONValue.Object(properties))),
      ("required", required.isEmpty ? .none : .array(required)), ("additionalProperties", additional),
      ("propertyNames", names.map { schema(.string(format: $0)) }),
      ("minProperties", (count?.lowerBound).map(JSONValue.int)),
      ("maxProperties", (count?.upperBound).map(JSONValue.int)))
  }

  private static func number(_ value: Double) -> JSONValue {
    let number = JSONValue.Number(value)
    return number.int.map(JSONValue.int) ?? .number(number)
  }

  /// Returns an object of the members that are not nil.
  static func members(_ members: (String, JSONValue?)...) -> JSONValue.Object {
    JSONValue.Object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
  }
}
