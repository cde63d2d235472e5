import Primitives

/// A syntax error in a JSON text, and its offset.
package struct JSONSyntaxError: Error, Equatable {
  /// The offset in bytes of the first byte that is not valid JSON.
  package let offset: Int
  package let detail: String
}

extension JSONValue {
  /// Deeper nesting is rejected, because it uses stack; no API here comes near this depth.
  package static let deepestNesting = 128

  /// Parses one JSON text (RFC 8259): UTF-8, one value, nothing after it.
  ///
  /// An object with a repeated name is rejected, because two readers of such a text could disagree about its value.
  ///
  /// - Parameter names: The names of members that the text probably has.
  package init(parsing bytes: ArraySlice<UInt8>, naming names: NameTable = .empty) throws(JSONSyntaxError) {
    var parser = JSONParser(bytes: bytes, names: names)
    self = try parser.document()
  }

  package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
    try self.init(parsing: bytes[...])
  }

  package init(parsing text: String) throws(JSONSyntaxError) {
    try self.init(parsing: Array(text.utf8)[...])
  }
}

/// A cursor over a JSON text that consumes one value after another.
struct JSONParser {
  let bytes: ArraySlice<UInt8>
  let names: NameTable
  var index: Int
  var depth = 0
  /// True if text that no reader agrees about is repaired instead of refused, and repeated names are allowed.
  var isLenient = false

  init(bytes: ArraySlice<UInt8>, names: NameTable = .empty) {
    self.bytes = bytes
    self.names = names
    index = bytes.startIndex
  }

  mutating func document() throws(JSONSyntaxError) -> JSONValue {
    // RFC 8259 8.1 forbids senders to add one; skipping it would make two texts equal that are not.
    guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
      throw error("there is a byte order mark before the value; JSON must be sent without one")
    }
    skipWhitespace()
    guard peek != nil else { throw error("the text is empty") }
    let value = try value()
    skipWhitespace()
    guard peek == nil else { throw error("there is text after the end of the JSON value") }
    return value
  }

  var peek: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

  func error(_ detail: String) -> JSONSyntaxError {
    JSONSyntaxError(offset: index - bytes.startIndex, detail: detail)
  }

  mutating func skipWhitespace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  mutating func value() throws(JSONSyntaxError) -> JSONValue {
    switch peek {
    case UInt8(ascii: "{"): return try nested { parser throws(JSONSyntaxError) in try parser.object() }
    case UInt8(ascii: "["): return try nested { parser throws(JSONSyntaxError) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number(try number())
    case nil: throw error("the text ends where a value is expected")
    default: throw error("a value cannot start here")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    guard depth < JSONValue.deepestNesting else {
      throw error("the value is nested deeper than \(JSONValue.deepestNesting) levels")
    }
    depth += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
    let start = index
    for byte in "\(word)".utf8 {
      guard peek == byte else {
        guard index == start + 1, peek != nil else { throw error("expected \(word)") }
        // One letter in common is chance: `name` was not meant for null.
        index = start
        throw error("a value cannot start here")
      }
      index += 1
    }
    return value
  }

  /// Skips a comma; throws if the end of its array or object follows.
  private mutating func separate(from end: UInt8) throws(JSONSyntaxError) {
    let comma = index
    index += 1
    skipWhitespace()
    guard peek == end else { return }
    index = comma
    throw error("remove this comma: nothing follows it before \(Character(Unicode.Scalar(end)))")
  }

  private mutating func array() throws(JSONSyntaxError) -> JSONValue {
    index += 1
    var elements: [JSONValue] = []
    skipWhitespace()
    if peek == UInt8(ascii: "]") {
      index += 1
      return .array(elements)
    }
    while true {
      skipWhitespace()
      elements.append(try value())
      skipWhitespace()
      switch peek {
      case UInt8(ascii: ","): try separate(from: UInt8(ascii: "]"))
      case UInt8(ascii: "]"):
        index += 1
        return .array(elements)
      default: throw error("expected , or ] in an array")
      }
    }
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONValue {
    index += 1
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    skipWhitespace()
    if peek == UInt8(ascii: "}") {
      index += 1
      return .object(JSONValue.Object(members))
    }
    members.reserveCapacity(4)
    while true {
      skipWhitespace()
      guard peek == UInt8(ascii: "\"") else { throw error("expected a member's name in double quotes") }
      let name = try name()
      guard isLenient || isNew(name, among: members, &names) else {
        throw error("the name \"\(name)\" occurs twice in one object")
      }
      skipWhitespace()
      guard peek == UInt8(ascii: ":") else { throw error("expected : after a member's name") }
      index += 1
      skipWhitespace()
      members.append(JSONValue.Member(name, try value()))
      skipWhitespace()
      switch peek {
      case UInt8(ascii: ","): try separate(from: UInt8(ascii: "}"))
      case UInt8(ascii: "}"):
        index += 1
        return .object(JSONValue.Object(members))
      default: throw error("expected , or } in an object")
      }
    }
  }

  private mutating func name() throws(JSONSyntaxError) -> String {
    guard let known = names.name(in: bytes, at: index) else { return try string() }
    index = known.end
    return known.name
  }

  /// Returns true if the object has no such member yet. Small objects, which are nearly all, are searched; large ones
  /// use a set.
  private func isNew(_ name: String, among members: [JSONValue.Member], _ names: inout Set<String>) -> Bool {
    if members.count < 16 { return !members.contains { $0.name == name } }
    if names.isEmpty { names = Set(members.map(\.name)) }
    return names.insert(name).inserted
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = index
    while let byte = peek, Byte.isDigit(byte) { index += 1 }
    guard index > start else { throw error("expected a digit") }
  }

  private mutating func number() throws(JSONSyntaxError) -> JSONValue.Number {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    if peek == UInt8(ascii: "0") { index += 1 } else { try digits() }
    if peek == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      index += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    return JSONValue.Number(text: String(decoding: bytes[start..<index], as: UTF8.self))
  }
}
