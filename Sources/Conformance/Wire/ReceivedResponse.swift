import JSON

/// A received response, and the request that it answers.
struct ReceivedResponse: Sendable {
  /// The request line without the version, for the evidence.
  let asked: String
  let version: String
  let status: Int
  /// The fields in the order received, with names in lower case.
  let fields: [(name: String, value: String)]
  var body: [UInt8] = []

  /// Parses a head: the status line and the field lines, without the empty line.
  init?(head: String, asked: String) {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    // Some clients read a lone CR, LF or NUL as the end of a line or a text (RFC 9112 2.2, RFC 9110 5.5).
    guard lines.allSatisfy({ $0.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0x00 } }) else { return nil }
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Self.number(words[1])
    else { return nil }
    var fields: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty, !sides[0].contains(" ") else { return nil }
      fields.append((sides[0].lowercased(), Self.trimmed(sides[1])))
    }
    self.asked = asked
    version = String(words[0].dropFirst("HTTP/".count))
    self.status = status
    self.fields = fields
  }

  /// Parses a number of digits only: `Int` also accepts signs, which neither lengths nor statuses have.
  static func number(_ text: some StringProtocol, radix: Int = 10) -> Int? {
    text.utf8.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") } ? nil : Int(text, radix: radix)
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let rest = text.drop(while: isBlank)
    return String(rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? "")
  }

  subscript(name: String) -> String? {
    let lowered = name.lowercased()
    let values = fields.filter { $0.name == lowered }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The media type without parameters.
  var mediaType: String? {
    self["Content-Type"].map { String($0.prefix { $0 != ";" }).lowercased().filter { $0 != " " } }
  }

  /// True if the connection may be used for another request (RFC 9112 section 9.3).
  var keepsConnection: Bool {
    let tokens = (self["Connection"] ?? "").lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
    if tokens.contains("close") { return false }
    return version == "1.1" || tokens.contains("keep-alive")
  }

  /// The response, shortened for a report.
  var evidence: String {
    let start = text.prefix(100).map { $0 == "\n" ? " " : String($0) }.joined()
    let rest = body.isEmpty ? "without a body" : "«\(start)\(body.count > start.utf8.count ? "…" : "")»"
    return "\(status) \(rest) to \(asked)"
  }
}
