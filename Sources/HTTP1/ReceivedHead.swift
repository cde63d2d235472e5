import Primitives

/// The head of a received response, as ranges into its bytes (RFC 9112 4).
package struct ReceivedHead: Sendable {
  /// The bytes from the status line through the empty line.
  package let bytes: [UInt8]
  package let version: Version
  package let status: Int
  /// The reason phrase; nil if even the space before it is missing, which RFC 9112 4 requires.
  package let reason: Range<Int>?
  package let fields: [Field]
  /// The delimitation of the content.
  package let content: ContentEnd
  /// True if the connection may persist after the response (RFC 9112 9.3).
  package let persists: Bool

  /// The delimitation of a response's content (RFC 9112 6.3).
  package enum ContentEnd: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
    /// The content ends with the connection.
    case close
  }
}

extension ReceivedHead {
  /// True for a response that precedes the final one. After 101 the connection has another protocol, so it is final
  /// (RFC 9110 15.2.2).
  package var isInterim: Bool { 100..<200 ~= status && status != 101 }

  package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Returns the values of all fields of this name, combined into one (RFC 9110 5.3); nil if there is none.
  package subscript(name: String) -> String? {
    let spelling = name.lowercased()
    let values = fields.filter { bytes.span.holdsIgnoringCase(spelling, at: $0.name) }.map { text($0.value) }
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }
}

extension ReceivedHead {
  /// Reads the meaning of a complete head.
  ///
  /// - Parameters:
  ///   - bytes: The head's bytes.
  ///   - line: The result of reading its first line.
  ///   - isToHead: True if it answers HEAD.
  init(_ bytes: [UInt8], _ line: StatusLine, _ fields: [Field], isToHead: Bool) throws(Rejection) {
    var codings = TransferCodings()
    var length: Range<Int>?
    var closes = false
    var keepsAlive = false
    for field in fields {
      switch field.known {
      case .contentLength:
        guard length == nil else { throw .lengthRepeated }
        length = field.value
      case .transferEncoding: codings.read(bytes.span, field.value)
      case .connection:
        TokenList.forEach(bytes.span, field.value) { token in
          if bytes.span.holdsIgnoringCase("close", at: token) { closes = true }
          if bytes.span.holdsIgnoringCase("keep-alive", at: token) { keepsAlive = true }
        }
      default: break
      }
    }
    // The fields are checked even where the status or the method leaves no content.
    let content = try Framing.content(
      bytes.span, codings: codings, length: length, version: line.version, limits: .response)
    let isWithoutContent = isToHead || 100..<200 ~= line.status || line.status == 204 || line.status == 304
    self.content =
      switch content {
      case _ where isWithoutContent: .none
      case .none: .close
      case .length(let length): .length(length)
      case .chunked: .chunked
      }
    persists = !closes && (line.version == .http11 || keepsAlive) && self.content != .close
    self.bytes = bytes
    self.fields = fields
    version = line.version
    status = line.status
    reason = line.reason
  }
}

/// The first line of a response (RFC 9112 4).
struct StatusLine: Sendable {
  let version: Version
  let status: Int
  let reason: Range<Int>?
  /// The index after its line end.
  let end: Int

  private static let start = Array("HTTP/1.".utf8)

  /// Reads the line at the beginning of the bytes; returns nil if it is incomplete. An error is found at its first byte.
  init?(_ bytes: borrowing ContiguousArray<UInt8>, limit: Int) throws(ResponseError) {
    let bytes = bytes.span
    let count = Self.start.count
    for index in 0..<min(count, bytes.count) where bytes[index] != Self.start[index] { throw .statusLine }
    // HTTP/1.1 200 and CR LF.
    guard bytes.count > count else { return nil }
    guard Byte.isDigit(bytes[count]) else { throw .statusLine }
    var status = 0
    for index in count + 1..<min(count + 5, bytes.count) {
      guard index > count + 1 ? Byte.isDigit(bytes[index]) : bytes[index] == Byte.space else { throw .statusLine }
      if index > count + 1 { status = status * 10 + Int(bytes[index] - Byte.zero) }
    }
    guard bytes.count > count + 5 else { return nil }
    let afterStatus = count + 5
    var index = afterStatus
    guard status >= 100, bytes[index] == Byte.space || bytes[index] == Byte.carriageReturn else { throw .statusLine }
    while index < bytes.count, Byte.isFieldContent(bytes[index]) { index += 1 }
    guard index < limit else { throw .statusLine }
    guard index < bytes.count else { return nil }
    guard bytes[index] == Byte.carriageReturn else { throw .statusLine }
    guard index + 1 < bytes.count else { return nil }
    guard bytes[index + 1] == Byte.lineFeed else { throw .statusLine }
    version = bytes[count] == Byte.zero ? .http10 : .http11
    self.status = status
    reason = bytes[afterStatus] == Byte.space ? afterStatus + 1..<index : nil
    end = index + 2
  }
}

extension Limits {
  /// The limits of a response, whose content is unlimited: its reader decides how much of it to hold.
  package static let response = Limits(
    head: 64 << 10, fields: 512, body: Int.max, chunkLine: 8 << 10, trailers: 64 << 10, trailerFields: 512)
}
