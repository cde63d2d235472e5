extension JSONValue {
  /// The layout of a value as text.
  package enum Layout: Sendable {
    case compact
    /// One member per line, each level indented by two spaces, like JavaScript's `JSON.stringify(value, null, 2)`.
    case indented
  }

  package func bytes(_ layout: Layout = .compact) -> [UInt8] {
    var output: [UInt8] = []
    // Most values are small records and fit without growth.
    output.reserveCapacity(256)
    write(to: &output, layout)
    return output
  }

  package var text: String { String(decoding: bytes(), as: UTF8.self) }

  package func write(to output: inout [UInt8], _ layout: Layout = .compact, level: Int = 0) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
    case .number(let number): output.append(contentsOf: number.text.utf8)
    case .string(let text): JSONValue.write(text, to: &output)
    case .array(let elements):
      Self.list("[", "]", elements, to: &output, layout, level) { element, output in
        element.write(to: &output, layout, level: level + 1)
      }
    case .object(let object):
      Self.list("{", "}", object.members, to: &output, layout, level) { member, output in
        member.write(to: &output, layout, level: level + 1)
      }
    }
  }

  private static func list<Element>(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ elements: [Element], to output: inout [UInt8],
    _ layout: Layout, _ level: Int, _ write: (Element, inout [UInt8]) -> Void
  ) {
    output.append(UInt8(ascii: open))
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      if layout == .indented { breakLine(level + 1, &output) }
      write(element, &output)
    }
    if layout == .indented, !elements.isEmpty { breakLine(level, &output) }
    output.append(UInt8(ascii: close))
  }

  private static func breakLine(_ level: Int, _ output: inout [UInt8]) {
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: level * 2))
  }

  /// Writes `text` in double quotes. It escapes only what RFC 8259 section 7 requires, in the short form if there is
  /// one.
  package static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    defer { output.append(UInt8(ascii: "\"")) }
    // Most texts need no escapes: they are appended as one block and then checked in the output.
    let start = output.count
    output.append(contentsOf: text.utf8)
    guard hasEscape(output.span, from: start) else { return }
    output.removeSubrange(start...)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case 0x08: output.append(contentsOf: "\\b".utf8)
      case 0x0C: output.append(contentsOf: "\\f".utf8)
      case 0x0A: output.append(contentsOf: "\\n".utf8)
      case 0x0D: output.append(contentsOf: "\\r".utf8)
      case 0x09: output.append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        output.append(contentsOf: "\\u00".utf8)
        output.append(hexDigits[Int(byte >> 4)])
        output.append(hexDigits[Int(byte & 15)])
      default: output.append(byte)
      }
    }
  }

  private static func hasEscape(_ bytes: Span<UInt8>, from start: Int) -> Bool {
    for index in start..<bytes.count where needsEscape(bytes[index]) { return true }
    return false
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}

extension JSONValue.Member {
  /// Appends the name, a colon and the value.
  package func write(to output: inout [UInt8], _ layout: JSONValue.Layout = .compact, level: Int = 0) {
    JSONValue.write(name, to: &output)
    output.append(UInt8(ascii: ":"))
    if layout == .indented { output.append(UInt8(ascii: " ")) }
    value.write(to: &output, layout, level: level)
  }
}
