extension Effect.Kind {
  package static let corrupt = Effect.Kind(
    plain: "corrupt", needs: .body,
    Page(
      "A body that no JSON parser accepts, in an otherwise correct message.",
      wire: "The body is truncated, or has a control byte or an extra comma; `Content-Length` is that of the changed "
        + "body.",
      limit: "Not deliverable if there is no body, or if it is a picture.",
      example: #"{"fault": "corrupt"}"#)
  ) { .damage(.corrupt) }
}

extension BodyFault {
  package static let corrupt: BodyFault = BodyFault(.corrupt) { content, draw in
    guard content.format != .image else { return nil }
    return Corrupt.corrupted(content.bytes, draw: draw).map { content.replaced(by: $0.bytes, change: $0.change) }
  }
}

/// The bytes of a corrupt body.
package enum Corrupt {
  /// Returns the body truncated, with a control byte, or with an extra comma, so that no strict parser accepts it.
  ///
  /// Returns nil if there is nothing to damage. The change is described for people.
  package static func corrupted(_ body: [UInt8], draw: UInt64) -> (bytes: [UInt8], change: String)? {
    guard let last = body.lastIndex(where: { !" \t\r\n".utf8.contains($0) }) else { return nil }
    let first = body.first { !" \t\r\n".utf8.contains($0) }
    let isBracketed = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    let index = Int(clamping: SeededHash.spread(draw, 1).multipliedFullWidth(by: UInt64(last + 1)).high)
    var output = body
    switch isBracketed ? SeededHash.spread(draw, 0) % 3 : 1 {
    // An object or array without its last bracket is incomplete.
    case 0: return (Array(body[..<max(index, 1)]), "cut at byte \(max(index, 1))")
    // RFC 8259 allows raw control characters neither in strings nor elsewhere.
    case 1:
      output[index] = 0x01
      return (output, "a control character at byte \(index)")
    default:
      output.insert(UInt8(ascii: ","), at: last)
      return (output, "an extra comma at byte \(last)")
    }
  }
}
