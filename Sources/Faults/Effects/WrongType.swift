extension Effect.Kind {
  package static let wrongType = Effect.Kind(
    plain: "wrong-type", needs: .body,
    Page(
      "The right content under the wrong `Content-Type`.",
      wire: "`Content-Type: text/html` over JSON; `<` is written `\\u003C`, so that a browser finds no tag.",
      limit: "Not deliverable if there is no body. A write is applied in both phases, because its response says so.",
      example: #"{"fault": "wrong-type"}"#)
  ) { .damage(.wrongType) }
}

extension BodyFault {
  package static let wrongType: BodyFault = BodyFault(.wrongType, isTruthful: true) { content, _ in
    let bytes = content.format == .json ? WrongType.withoutTags(content.bytes) : content.bytes
    return content.replaced(by: bytes, .html, change: "text/html")
  }
}

private enum WrongType {
  /// Returns equivalent JSON that contains no tag if it is read as HTML. In JSON, `<` occurs only in strings and can be
  /// escaped there.
  static func withoutTags(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(UInt8(ascii: "<")) else { return json }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(json.count + json.count / 8)
    for byte in json {
      if byte == UInt8(ascii: "<") { escaped += "\\u003C".utf8 } else { escaped.append(byte) }
    }
    return escaped
  }
}
