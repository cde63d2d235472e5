extension JSONValue {
  /// Parses one value in the beginning of a text, whatever follows it.
  ///
  /// Of members with the same name the first one counts, because the text after it is not read.
  ///
  /// - Parameter path: The names of members, or the indices of elements, that lead to the value from the outermost one.
  package init(at path: ArraySlice<String>, inBeginning bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) {
    var parser = JSONParser(bytes: bytes)
    self = try parser.value(at: path)
  }
}

extension JSONParser {
  fileprivate mutating func value(at path: ArraySlice<String>) throws(JSONSyntaxError) -> JSONValue {
    skipWhitespace()
    guard let step = path.first else {
      let value = try value()
      // The digits may go on after the last byte that is there.
      if case .number = value, peek == nil { throw error("the text ends within a number") }
      return value
    }
    switch peek {
    case UInt8(ascii: "{"): try enterMember(named: step)
    case UInt8(ascii: "["): try enterElement(at: step)
    default: throw error("expected an object or an array")
    }
    return try self.value(at: path.dropFirst())
  }

  /// Skips an object up to the value of a member.
  private mutating func enterMember(named step: String) throws(JSONSyntaxError) {
    index += 1
    while true {
      skipWhitespace()
      guard peek == UInt8(ascii: "\"") else { throw error("expected a member's name in double quotes") }
      let name = try string()
      skipWhitespace()
      guard peek == UInt8(ascii: ":") else { throw error("expected : after a member's name") }
      index += 1
      guard name != step else { return }
      try skipValueAndComma()
    }
  }

  /// Skips an array up to an element.
  private mutating func enterElement(at step: String) throws(JSONSyntaxError) {
    guard let position = Int(step), position >= 0 else { throw error("expected an object") }
    index += 1
    for _ in 0..<position { try skipValueAndComma() }
  }

  private mutating func skipValueAndComma() throws(JSONSyntaxError) {
    skipWhitespace()
    _ = try value()
    skipWhitespace()
    guard peek == UInt8(ascii: ",") else { throw error("expected another value") }
    index += 1
  }
}
