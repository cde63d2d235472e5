import Primitives

/// The request line, read byte by byte; scanning can resume after any byte (RFC 9112 3).
struct RequestLineScanner: Sendable {
  private enum State: Sendable {
    case start, blankLineFeed, afterBlank, method, target, version, lineFeed
  }

  private var state = State.start
  /// The first index of the method; the limit counts from here.
  private(set) var start = 0
  private(set) var method = 0..<0
  /// The method, if it is one of RFC 9110 9.3 or PATCH.
  private(set) var knownMethod: Method?
  private var letters: UInt64 = 0
  private(set) var target = 0..<0
  /// The index of the target's first `?`.
  private(set) var question: Int?
  private(set) var hasPercent = false
  private(set) var version = Version.http11
  private var versionStart = 0
  /// The first byte of a TLS connection: the type of a handshake record (RFC 8446 section 5.1).
  private static let handshake: UInt8 = 22
  /// The letters of `HTTP/1.1`, the version of nearly all requests.
  private static let http11: UInt64 = 0x48_54_54_50_2F_31_2E_31

  /// True if no byte was read except the one empty line that is ignored.
  var isPristine: Bool { state == .start || state == .afterBlank }
  /// True if the method has begun, so that `start` is valid.
  var hasBegun: Bool { !isPristine && state != .blankLineFeed }

  /// Continues at `position`. Returns true when the line is complete, false if more bytes are needed.
  mutating func scan(
    _ buffer: borrowing ContiguousArray<UInt8>, _ position: inout Int, _ limits: Limits
  ) throws(Rejection) -> Bool {
    let bytes = buffer.span
    while position < bytes.count {
      switch state {
      case .start, .blankLineFeed, .afterBlank: try begin(bytes[position], &position)
      case .method: try scanMethod(bytes, &position, limits.method)
      case .target: try scanTarget(bytes, &position, limits)
      case .version: try scanVersion(bytes, &position)
      case .lineFeed:
        guard bytes[position] == Byte.lineFeed else { throw .bareCarriageReturn }
        position += 1
        return true
      }
      if position - start >= limits.requestLine, hasBegun { throw .requestLineTooLong }
    }
    return false
  }

  private mutating func begin(_ byte: UInt8, _ position: inout Int) throws(Rejection) {
    switch (state, byte) {
    case (.blankLineFeed, Byte.lineFeed): state = .afterBlank
    case (.blankLineFeed, _): throw .bareCarriageReturn
    case (.start, Byte.carriageReturn): state = .blankLineFeed
    case (_, Byte.carriageReturn): throw .blankLines
    case (_, Byte.lineFeed): throw .bareLineFeed
    case (_, Byte.space): throw .methodMissing
    default:
      guard ByteSet.token.contains(byte) else { throw byte == Self.handshake ? .encrypted : .methodByte }
      start = position
      letters = UInt64(byte)
      state = .method
    }
    position += 1
  }

  private mutating func scanMethod(
    _ bytes: Span<UInt8>, _ position: inout Int, _ limit: Int
  ) throws(Rejection) {
    let end = min(bytes.count, start + limit + 1)
    var index = position
    while index < end, ByteSet.token.contains(bytes[index]) {
      letters = letters << 8 | UInt64(bytes[index])
      index += 1
    }
    position = index
    guard index - start <= limit else { throw .methodTooLong }
    guard index < end else { return }
    switch bytes[index] {
    case Byte.space: break
    case Byte.lineFeed: throw .bareLineFeed
    case Byte.carriageReturn: throw .targetMissing
    default: throw .methodByte
    }
    method = start..<index
    knownMethod = Method(letters: letters)
    target = index + 1..<index + 1
    position = index + 1
    state = .target
  }

  private mutating func scanTarget(
    _ bytes: Span<UInt8>, _ position: inout Int, _ limits: Limits
  ) throws(Rejection) {
    let end = min(bytes.count, start + limits.requestLine)
    var index = position
    scanning: while true {
      while index < end, ByteSet.plainTarget.contains(bytes[index]) { index += 1 }
      guard index < end else { break }
      switch bytes[index] {
      case Byte.question: question = question ?? index
      case Byte.percent: hasPercent = true
      case 0x80... where limits.acceptsUnencodedTargets: break
      default: break scanning
      }
      index += 1
    }
    position = index
    guard index < end else { return }
    switch bytes[index] {
    case Byte.space:
      guard index > target.lowerBound else { throw .targetMissing }
    case Byte.lineFeed: throw .bareLineFeed
    case Byte.carriageReturn: throw index > target.lowerBound ? .simpleRequest : .targetMissing
    default: throw .targetByte
    }
    target = target.lowerBound..<index
    versionStart = index + 1
    position = index + 1
    state = .version
  }

  private mutating func scanVersion(_ bytes: Span<UInt8>, _ position: inout Int) throws(Rejection) {
    if position == versionStart, bytes.count - position > 8, bytes.word(at: position) == Self.http11,
      bytes[position + 8] == Byte.carriageReturn
    {
      position += 9
      state = .lineFeed
      return
    }
    while state == .version, position < bytes.count {
      let byte = bytes[position]
      let fits =
        switch position - versionStart {
        case 0: byte == 0x48
        case 1, 2: byte == 0x54
        case 3: byte == 0x50
        case 4: byte == Byte.slash
        case 5, 7: Byte.isDigit(byte)
        case 6: byte == Byte.dot
        default: byte == Byte.carriageReturn
        }
      guard fits else { throw byte == Byte.lineFeed ? .bareLineFeed : .versionSyntax }
      if position - versionStart == 8 {
        guard bytes[versionStart + 5] == Byte.zero + 1 else { throw .versionUnsupported }
        version = bytes[versionStart + 7] == Byte.zero ? .http10 : .http11
        state = .lineFeed
      }
      position += 1
    }
  }
}
