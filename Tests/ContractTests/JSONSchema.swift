import JSON

/// A JSON Schema (2020-12) as an editor reads it: from its text alone, as far as the documents use it.
struct JSONSchema {
  let document: JSONValue

  func allows(_ value: JSONValue) throws -> Bool { try allows(value, document) }

  /// A keyword that it does not know.
  struct UnknownKeyword: Error {
    let name: String
  }

  private func allows(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
    for keyword in schema.object?.members ?? [] where try !allows(value, keyword, of: schema) { return false }
    return true
  }

  private func allows(_ value: JSONValue, _ keyword: JSONValue.Member, of schema: JSONValue) throws -> Bool {
    let argument = keyword.value
    switch keyword.name {
    case "$schema", "$defs", "title", "description", "format": return true
    case "$ref":
      let name = (argument.string ?? "").split(separator: "/").last.map(String.init) ?? ""
      return try allows(value, document["$defs"]?[name] ?? .null)
    case "type": return (argument.array ?? [argument]).contains { Self.type($0.string, allows: value) }
    case "const": return value == argument
    case "enum": return argument.array?.contains(value) == true
    case "anyOf": return try argument.array?.contains { try allows(value, $0) } == true
    default: break
    }
    if let text = value.string, let isAllowed = try Self.allows(text, keyword) { return isAllowed }
    if let array = value.array, let isAllowed = try allows(array, keyword) { return isAllowed }
    if let object = value.object, let isAllowed = try allows(object, keyword, of: schema) { return isAllowed }
    switch (keyword.name, value.int, argument.int) {
    case ("minimum", let number?, let bound?): return number >= bound
    case ("maximum", let number?, let bound?): return number <= bound
    default:
      guard Self.keywords.contains(keyword.name) else { throw UnknownKeyword(name: keyword.name) }
      return true
    }
  }

  /// The keywords that concern values of one type only.
  private static let keywords: Set = [
    "minimum", "maximum", "pattern", "minLength", "maxLength", "items", "minItems", "maxItems", "properties",
    "required",
    "additionalProperties", "propertyNames", "minProperties", "maxProperties",
  ]

  private static func type(_ name: String?, allows value: JSONValue) -> Bool {
    switch value {
    case .null: name == "null"
    case .bool: name == "boolean"
    case .number(let number): name == "number" || name == "integer" && number.int != nil
    case .string: name == "string"
    case .array: name == "array"
    case .object: name == "object"
    }
  }

  private static func allows(_ text: String, _ keyword: JSONValue.Member) throws -> Bool? {
    switch keyword.name {
    case "pattern": try Regex(keyword.value.string ?? "").firstMatch(in: text) != nil
    case "minLength": text.unicodeScalars.count >= keyword.value.int ?? .max
    case "maxLength": text.unicodeScalars.count <= keyword.value.int ?? 0
    default: nil
    }
  }

  private func allows(_ array: [JSONValue], _ keyword: JSONValue.Member) throws -> Bool? {
    switch keyword.name {
    case "items": try array.allSatisfy { try allows($0, keyword.value) }
    case "minItems": array.count >= keyword.value.int ?? .max
    case "maxItems": array.count <= keyword.value.int ?? 0
    default: nil
    }
  }

  private func allows(
    _ object: JSONValue.Object, _ keyword: JSONValue.Member, of schema: JSONValue
  ) throws -> Bool? {
    switch keyword.name {
    case "properties":
      return try object.members.allSatisfy { member in
        try keyword.value[member.name].map { try allows(member.value, $0) } ?? true
      }
    case "required": return keyword.value.array?.allSatisfy { object[$0.string ?? ""] != nil } == true
    case "additionalProperties":
      let others = object.members.filter { schema["properties"]?[$0.name] == nil }
      return try keyword.value == false ? others.isEmpty : others.allSatisfy { try allows($0.value, keyword.value) }
    case "propertyNames": return try object.members.allSatisfy { try allows(.string($0.name), keyword.value) }
    case "minProperties": return object.members.count >= keyword.value.int ?? .max
    case "maxProperties": return object.members.count <= keyword.value.int ?? 0
    default: return nil
    }
  }
}
