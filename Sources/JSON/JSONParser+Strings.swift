import Primitives

/// Strings and their escapes (RFC 8259 section 7).
extension JSONParser {
  mutating func string() throws(JSONSyntaxError) -> String {
    index += 1
    let start = index
    let isASCII: Bool
    (index, isASCII) = plainBytes()
    if peek == UInt8(ascii: "\"") {
      let text = try decoded(bytes[start..<index], isASCII: isASCII)
      index += 1
      return text
    }
    return try escapedString(from: start)
  }

  /// Returns the end of the bytes that stand for themselves, and whether all of them are ASCII.
  private func plainBytes() -> (end: Int, isASCII: Bool) {
    let span = bytes.span
    var position = index - bytes.startIndex
    var seen: UInt8 = 0
    while position < span.count {
      let byte = span[position]
      guard byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 else { break }
      seen |= byte
      position += 1
    }
    return (position + bytes.startIndex, seen < 0x80)
  }

  private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
    var unescaped = Array(bytes[start..<index])
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        let text = try decoded(unescaped[...], isASCII: false)
        index += 1
        return text
      case UInt8(ascii: "\\"):
        index += 1
        try escape(into: &unescaped)
      case 0..<0x20 where !isLenient:
        throw error("a control character in a string must be escaped")
      default:
        // A control character of a recording is none of the plain bytes.
        let end = max(plainBytes().end, index + 1)
        unescaped += bytes[index..<end]
        index = end
      }
    }
    throw error("the text ends inside a string")
  }

  /// Decodes the slice and compares it with its source: decoding repairs invalid UTF-8, so changed bytes mean that the
  /// text was invalid.
  private func decoded(_ slice: ArraySlice<UInt8>, isASCII: Bool) throws(JSONSyntaxError) -> String {
    let text = String(decoding: slice, as: UTF8.self)
    guard isASCII || isLenient || text.utf8.elementsEqual(slice) else {
      throw error("a string is not valid UTF-8")
    }
    return text
  }

  private mutating func escape(into unescaped: inout [UInt8]) throws(JSONSyntaxError) {
    guard let byte = peek else { throw error("the text ends inside a string") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"): unescaped.append(contentsOf: String(Character(try unicodeScalar())).utf8)
    default: throw error("\\\(Character(Unicode.Scalar(byte))) is not an escape sequence")
    }
  }

  private mutating func unicodeScalar() throws(JSONSyntaxError) -> Unicode.Scalar {
    let high = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(high)) { return scalar }
    let end = index
    guard UTF16.isLeadSurrogate(high), peek == UInt8(ascii: "\\") else { return try halfSurrogate(before: end) }
    index += 1
    guard peek == UInt8(ascii: "u") else { return try halfSurrogate(before: end) }
    index += 1
    let low = try codeUnit()
    guard UTF16.isTrailSurrogate(low) else { return try halfSurrogate(before: end) }
    return UTF16.decode(UTF16.EncodedScalar([high, low]))
  }

  /// Returns the replacement of half a surrogate pair, and continues after its escape; throws unless text is repaired.
  private mutating func halfSurrogate(before end: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
    guard isLenient else { throw error("a surrogate without its pair is not a character") }
    index = end
    return "\u{FFFD}"
  }

  private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = peek.flatMap(Byte.hexValue) else {
        throw error("\\u needs four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }
}
