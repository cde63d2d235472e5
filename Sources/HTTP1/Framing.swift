import Primitives

/// The meaning of a head's fields for the message and its connection (RFC 9112 3.2, 6, 9.3; RFC 9110 10.1.1).
/// It depends on the version, too.
struct Framing: Sendable {
  /// The delimitation of the content (RFC 9112 6.3).
  enum Content: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
  }

  private(set) var host: Range<Int>?
  private(set) var content = Content.none
  private(set) var persists = true
  private(set) var expectsContinue = false

  init() {}

  init(_ bytes: Span<UInt8>, fields: [Field], version: Version, limits: Limits) throws(Rejection) {
    var codings = TransferCodings()
    var length: Range<Int>?
    var closes = false
    var keepsAlive = false
    for field in fields {
      switch field.known {
      case .host:
        guard host == nil else { throw .hostRepeated }
        host = field.value
      case .contentLength:
        guard length == nil else { throw .lengthRepeated }
        length = field.value
      case .transferEncoding: codings.read(bytes, field.value)
      case .expect: try readExpectation(bytes, field.value, version)
      case .connection:
        TokenList.forEach(bytes, field.value) { token in
          if bytes.holdsIgnoringCase("close", at: token) { closes = true }
          if bytes.holdsIgnoringCase("keep-alive", at: token) { keepsAlive = true }
        }
      default: break
      }
    }
    try checkHost(bytes, version)
    content = try Framing.content(bytes, codings: codings, length: length, version: version, limits: limits)
    if content == .none || content == .length(0) { expectsContinue = false }
    persists = !closes && (version == .http11 || keepsAlive)
  }

  /// Adapts the framing to a section of the same bytes that begins `distance` bytes later.
  mutating func move(by distance: Int) { host = host?.moved(by: distance) }

  /// Returns the framing of a request with this target.
  func adapted(to target: RequestTarget.Form) -> Framing {
    var framing = self
    switch target {
    case .origin, .asterisk: break
    case .absolute(let authority): framing.host = authority
    case .authority:
      // The bytes after CONNECT are not HTTP, whatever its fields say (RFC 9110 9.3.6).
      framing.content = .none
      framing.expectsContinue = false
      framing.persists = false
    }
    return framing
  }

  private func checkHost(_ bytes: Span<UInt8>, _ version: Version) throws(Rejection) {
    if let host {
      guard !host.isEmpty else { throw .hostEmpty }
      guard Authority(bytes, host) != nil else { throw .hostSyntax }
    } else if version == .http11 {
      throw .hostMissing
    }
  }

  private mutating func readExpectation(
    _ bytes: Span<UInt8>, _ value: Range<Int>, _ version: Version
  ) throws(Rejection) {
    guard version == .http11 else { return }
    // The value is a list; its empty elements have no meaning (RFC 9110 5.6.1).
    var isKnown = true
    TokenList.forEach(bytes, value) { expectation in
      let isContinue = bytes.holdsIgnoringCase("100-continue", at: expectation)
      expectsContinue = expectsContinue || isContinue
      isKnown = isKnown && isContinue
    }
    guard isKnown else { throw .expectationUnknown }
  }

  /// Returns the delimitation that the fields state.
  static func content(
    _ bytes: Span<UInt8>, codings: TransferCodings, length: Range<Int>?, version: Version, limits: Limits
  ) throws(Rejection) -> Content {
    if codings.isPresent {
      // Each of these errors closes the connection: the sender may see other message boundaries (RFC 9112 11.2).
      guard version == .http11 else { throw .encodingIn10 }
      guard length == nil else { throw .lengthWithEncoding }
      try codings.check()
      return .chunked
    }
    guard let length else { return .none }
    let limit = min(limits.body, 1 << 56)
    var value = 0
    guard !length.isEmpty else { throw .lengthSyntax }
    for index in length {
      guard Byte.isDigit(bytes[index]) else { throw .lengthSyntax }
      // Above the limit the exact number is irrelevant, so the value cannot overflow.
      if value <= limit { value = value * 10 + Int(bytes[index] - Byte.zero) }
    }
    guard value <= limit else { throw .bodyTooLarge }
    return .length(value)
  }
}

/// The transfer codings of all `Transfer-Encoding` lines together (RFC 9112 6.1).
struct TransferCodings {
  private(set) var isPresent = false
  private var chunked = 0
  private var others = 0
  private var isLast = false
  private var isMalformed = false

  mutating func read(_ bytes: Span<UInt8>, _ value: Range<Int>) {
    isPresent = true
    // Lists usually tolerate empty elements. Here they are rejected, because request smuggling begins with this field.
    TokenList.forEachElement(bytes, value) { element in
      let end = element.firstIndex { index in !ByteSet.token.contains(bytes[index]) } ?? element.upperBound
      let name = element.lowerBound..<end
      let isChunked = bytes.holdsIgnoringCase("chunked", at: name)
      // Well-formed parameters are accepted, except on `chunked`, which has none.
      let isWellFormed = end == element.upperBound || !isChunked && bytes.hasParameters(end..<element.upperBound)
      if name.isEmpty || !isWellFormed || bytes.holdsIgnoringCase("identity", at: name) {
        isMalformed = true
      } else if isChunked {
        chunked += 1
        isLast = true
      } else {
        others += 1
        isLast = false
      }
    }
  }

  func check() throws(Rejection) {
    guard !isMalformed else { throw .encodingSyntax }
    guard chunked == 1, isLast else { throw .encodingNotChunkedLast }
    guard others == 0 else { throw .encodingUnknown }
  }
}

extension Span where Element == UInt8 {
  /// Returns true if the first non-blank of these bytes is a semicolon.
  fileprivate func hasParameters(_ range: Range<Int>) -> Bool {
    range.first { !Byte.isBlank(self[$0]) }.map { self[$0] == Byte.semicolon } ?? false
  }
}

/// A comma-separated list (RFC 9110 5.6.1).
enum TokenList {
  /// Calls `body` for each element without surrounding blanks, empty elements included.
  static func forEachElement(_ bytes: Span<UInt8>, _ value: Range<Int>, _ body: (Range<Int>) -> Void) {
    var start = value.lowerBound
    while true {
      var end = start
      while end < value.upperBound, bytes[end] != Byte.comma { end += 1 }
      let next = end + 1
      while start < end, Byte.isBlank(bytes[start]) { start += 1 }
      while end > start, Byte.isBlank(bytes[end - 1]) { end -= 1 }
      body(start..<end)
      guard next <= value.upperBound else { return }
      start = next
    }
  }

  /// Calls `body` for each element that is not empty.
  static func forEach(_ bytes: Span<UInt8>, _ value: Range<Int>, _ body: (Range<Int>) -> Void) {
    forEachElement(bytes, value) { element in
      if !element.isEmpty { body(element) }
    }
  }
}
