import Faults
import HTTP1
import Primitives

/// Replaces credentials in the texts of messages before they are stored.
///
/// A value is replaced by a keyed hash of it, whose key is new in each process: equal values stay equal, and no value can be
/// guessed from it.
///
/// A class, because each exchange would copy all of a struct.
final class SecretMask: Sendable {
  private let fields: SecretNames
  private let members: SecretNames
  private let isOn: Bool

  /// A part of a text that is replaced.
  struct Edit {
    let range: Range<Int>
    let replacement: [UInt8]
  }

  /// Masks all listed names.
  static let standard = SecretMask(isOn: true, sparing: .none)

  /// - Parameters:
  ///   - isOn: False to store values as they are.
  ///   - semantics: The rules whose keys identify writes, and are never masked.
  init(isOn: Bool, sparing semantics: Semantics) {
    self.isOn = isOn
    let keys = semantics.rules.compactMap(\.key)
    fields = SecretNames.fields.without(keys.compactMap { if case .field(let name) = $0 { name } else { nil } })
    members = SecretNames.members.without(
      keys.compactMap { key in
        switch key {
        case .field: nil
        case .parameter(let name): name
        case .member(let path): path.last
        }
      })
  }

  private static let key = UInt64.random(in: .min ... .max)
  private static let start = Array("(masked-".utf8)
  private static let cookieName = Array("set-cookie".utf8)

  /// Returns the text that replaces a value; nil for one that needs none.
  private static func replacement(of value: ArraySlice<UInt8>) -> [UInt8]? {
    guard !value.isEmpty, !value.starts(with: start) else { return nil }
    var hasher = Hasher()
    hasher.combine(key)
    for byte in value { hasher.combine(byte) }
    let digits = String(UInt64(bitPattern: Int64(hasher.finalize())) >> 16, radix: 16)
    return start + digits.utf8 + [UInt8(ascii: ")")]
  }

  private static func replace(_ range: Range<Int>, of bytes: [UInt8], into edits: inout [Edit]) {
    if let text = replacement(of: bytes[range]) { edits.append(Edit(range: range, replacement: text)) }
  }
}

extension SecretMask {
  /// The edits of a request's head and of the stored part of its body.
  struct RequestEdits {
    let ofHead: [Edit]
    let ofBody: [Edit]

    static let none = RequestEdits(ofHead: [], ofBody: [])
  }

  func edits(of request: borrowing Request) -> RequestEdits {
    let body = request.body.prefix(Journal.maximumBodyBytes)
    return RequestEdits(ofHead: edits(ofHead: request), ofBody: edits(ofContent: body, of: request.bytes))
  }

  /// Returns the edits of a request's head: its target and its fields.
  private func edits(ofHead request: borrowing Request) -> [Edit] {
    guard isOn else { return [] }
    var edits: [Edit] = []
    if let query = request.query {
      // The code of a redirect comes with the state of the request that led to it (RFC 6749 section 4.1.2).
      let isRedirect = hasParameter("state", in: request.bytes[query])
      addParameters(in: query, of: request.bytes, masksCode: isRedirect, to: &edits)
    }
    for field in request.fields where field.known == nil || field.known?.isSecret == true {
      add(field.name, field.value, of: request.bytes, to: &edits)
    }
    return edits
  }

  /// Returns field lines with their secrets masked.
  func masked(fieldLines lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let bytes = Array(lines)
    let edits = edits(ofFieldLines: bytes.indices, of: bytes)
    return edits.isEmpty ? lines : edits.applied(to: bytes[...])
  }

  /// Returns content with its secrets masked.
  func masked(content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard !content.isEmpty else { return content }
    let bytes = Array(content)
    let edits = edits(ofContent: 0..<bytes.count, of: bytes)
    return edits.isEmpty ? content : edits.applied(to: bytes[...])
  }

  /// Returns the edits of field lines.
  private func edits(ofFieldLines lines: Range<Int>, of bytes: [UInt8]) -> [Edit] {
    guard isOn else { return [] }
    var edits: [Edit] = []
    var start = lines.lowerBound
    while start < lines.upperBound {
      let end = bytes[start..<lines.upperBound].firstIndex(of: Byte.lineFeed) ?? lines.upperBound
      if let colon = bytes[start..<end].firstIndex(of: Byte.colon) {
        let value = bytes[(colon + 1)..<end].drop(while: Byte.isBlank)
        let last = value.last == Byte.carriageReturn ? value.dropLast() : value
        add(start..<colon, last.indices, of: bytes, to: &edits)
      }
      start = end + 1
    }
    return edits
  }

  /// Returns the edits of content: members of JSON, or of a form.
  private func edits(ofContent content: Range<Int>, of bytes: [UInt8]) -> [Edit] {
    guard isOn, !content.isEmpty else { return [] }
    var edits: [Edit] = []
    let first = bytes[content].first { !Byte.isBlank($0) && $0 != Byte.lineFeed && $0 != Byte.carriageReturn }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      addMembers(in: content, of: bytes, to: &edits)
    } else {
      addParameters(in: content, of: bytes, masksCode: false, to: &edits)
    }
    return edits
  }

  /// Returns a target of a log's line with its secrets masked.
  func masked(target: String) -> String {
    guard isOn, let mark = target.utf8.firstIndex(of: Byte.question) else { return target }
    let bytes = Array(target.utf8)
    let query = target.utf8.distance(from: target.startIndex, to: mark) + 1..<bytes.count
    var edits: [Edit] = []
    addParameters(in: query, of: bytes, masksCode: hasParameter("state", in: bytes[query]), to: &edits)
    return edits.isEmpty ? target : String(decoding: edits.applied(to: bytes[...]), as: UTF8.self)
  }

  private func add(_ name: Range<Int>, _ value: Range<Int>, of bytes: [UInt8], to edits: inout [Edit]) {
    if fields.contains(bytes[name]) {
      let isCookie = ConnectionOptions.isEqual(bytes[name], Self.cookieName)
      Self.replace(isCookie ? cookieValue(value, of: bytes) : value, of: bytes, into: &edits)
    } else if SecretNames.fieldsOfURLs.contains(bytes[name]) {
      addURL(value, of: bytes, to: &edits)
    }
  }

  /// The value of a cookie between its name and its attributes.
  private func cookieValue(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
    let end = bytes[range].firstIndex(of: Byte.semicolon) ?? range.upperBound
    let equals = bytes[range.lowerBound..<end].firstIndex(of: Byte.equals)
    return (equals.map { $0 + 1 } ?? range.lowerBound)..<end
  }

  private func addURL(_ range: Range<Int>, of bytes: [UInt8], to edits: inout [Edit]) {
    let authority = bytes[range].firstRange(of: Array("://".utf8)).map { $0.upperBound }
    if let authority {
      let end = bytes[authority..<range.upperBound].firstIndex { "/?#>".utf8.contains($0) } ?? range.upperBound
      if let at = bytes[authority..<end].lastIndex(of: Byte.at) {
        Self.replace(authority..<at, of: bytes, into: &edits)
      }
    }
    guard let query = bytes[range].firstIndex(where: { $0 == Byte.question || $0 == UInt8(ascii: "#") }) else { return }
    addParameters(in: query + 1..<range.upperBound, of: bytes, masksCode: true, to: &edits)
  }

  private func addParameters(in range: Range<Int>, of bytes: [UInt8], masksCode: Bool, to edits: inout [Edit]) {
    for pair in bytes[range].split(whereSeparator: { "&#;> ".utf8.contains($0) }) {
      guard let equals = pair.firstIndex(of: Byte.equals) else { continue }
      let name = pair[..<equals]
      let decoded = name.contains(Byte.percent) ? Array(PercentCoding.decode(name).utf8)[...] : name
      guard members.contains(decoded) || masksCode && decoded.elementsEqual("code".utf8) else { continue }
      Self.replace(equals + 1..<pair.endIndex, of: bytes, into: &edits)
    }
  }

  private func hasParameter(_ name: String, in query: ArraySlice<UInt8>) -> Bool {
    query.split(separator: UInt8(ascii: "&")).contains { $0.starts(with: (name + "=").utf8) }
  }

  /// Adds the values of members that are strings or numbers, in a text that may have been cut.
  private func addMembers(in range: Range<Int>, of bytes: [UInt8], to edits: inout [Edit]) {
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == Byte.quote else {
        index += 1
        continue
      }
      let name = string(from: index, to: range.upperBound, of: bytes)
      index = min(name.upperBound + 1, range.upperBound)
      guard members.contains(bytes[name]) else { continue }
      var value = bytes[index..<range.upperBound].drop { Self.isWhiteSpace($0) }
      guard value.first == Byte.colon else { continue }
      value = value.dropFirst().drop { Self.isWhiteSpace($0) }
      if value.first == Byte.quote {
        let text = string(from: value.startIndex, to: range.upperBound, of: bytes)
        Self.replace(text, of: bytes, into: &edits)
        index = min(text.upperBound + 1, range.upperBound)
      } else {
        let number = value.prefix { Byte.isDigit($0) || "+-.eE".utf8.contains($0) }
        guard !number.isEmpty, let text = Self.replacement(of: number) else { continue }
        edits.append(Edit(range: number.indices, replacement: [Byte.quote] + text + [Byte.quote]))
        index = number.endIndex
      }
    }
  }

  /// Returns the range between the quotation marks of a string; it ends with the text where that is cut.
  private func string(from quote: Int, to end: Int, of bytes: [UInt8]) -> Range<Int> {
    var index = quote + 1
    while index < end, bytes[index] != Byte.quote { index += bytes[index] == Byte.backslash ? 2 : 1 }
    return quote + 1..<max(quote + 1, min(index, end))
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    Byte.isBlank(byte) || byte == Byte.lineFeed || byte == Byte.carriageReturn
  }
}

extension [SecretMask.Edit] {
  /// Returns a text with its edits, which are in order.
  func applied(to text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard !isEmpty else { return text }
    var result: [UInt8] = []
    var next = text.startIndex
    for edit in self {
      result += text[next..<edit.range.lowerBound]
      result += edit.replacement
      next = edit.range.upperBound
    }
    result += text[next...]
    return result[...]
  }

  /// Returns the position in the edited text of a position in the original.
  func moved(_ position: Int) -> Int {
    reduce(position) { $1.range.upperBound <= position ? $0 + $1.replacement.count - $1.range.count : $0 }
  }
}
