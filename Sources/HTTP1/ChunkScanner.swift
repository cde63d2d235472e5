import Primitives

/// The chunk lines and data of a chunked body, up to the trailer section (RFC 9112 7.1).
///
/// The data is moved over the framing as it arrives, so that the decoded body is contiguous.
struct ChunkScanner: Sendable {
  private enum State: Sendable {
    case size, beforeSemicolon, beforeName, name, afterName, beforeValue, value, quoted, escaped, afterQuoted
    case lineFeed, data, dataReturn, dataLineFeed
  }

  /// The range of the decoded body so far.
  private(set) var body = 0..<0
  private var state = State.size
  private var size: UInt64 = 0
  private var digits = 0
  private var lineLength = 0
  private var remaining = 0
  private var overhead = 0

  mutating func begin(at position: Int) {
    self = ChunkScanner()
    body = position..<position
  }

  /// Continues at `position`. Returns true after the last chunk's line, false if more bytes are needed.
  mutating func scan(
    _ buffer: inout ContiguousArray<UInt8>, _ position: inout Int, _ limits: Limits
  ) throws(Rejection) -> Bool {
    while position < buffer.count {
      if state == .data {
        moveData(&buffer, &position)
        continue
      }
      let byte = buffer[position]
      position += 1
      switch state {
      case .data: break
      case .dataReturn:
        guard byte == Byte.carriageReturn else { throw .chunkEnd }
        state = .dataLineFeed
      case .dataLineFeed:
        guard byte == Byte.lineFeed else { throw .bareCarriageReturn }
        state = .size
      case .lineFeed:
        guard byte == Byte.lineFeed else { throw .bareCarriageReturn }
        if try endLine(limits) { return true }
      default:
        lineLength += 1
        guard lineLength <= limits.chunkLine else { throw .chunkLineTooLong }
        try readLine(byte)
      }
    }
    return false
  }

  private mutating func moveData(_ buffer: inout ContiguousArray<UInt8>, _ position: inout Int) {
    let count = min(remaining, buffer.count - position)
    let destination = body.upperBound
    var bytes = buffer.mutableSpan
    for offset in 0..<count { bytes[destination + offset] = bytes[position + offset] }
    position += count
    remaining -= count
    body = body.lowerBound..<destination + count
    if remaining == 0 { state = .dataReturn }
  }

  /// Applies the size of a complete chunk line; returns true after the last chunk, whose size is 0.
  private mutating func endLine(_ limits: Limits) throws(Rejection) -> Bool {
    guard size <= UInt64(max(0, limits.body - body.count)) else { throw .bodyTooLarge }
    remaining = Int(size)
    // A response may have no limit, and a chunk of any size.
    overhead = max(0, overhead + lineLength - 16 - 2 * min(remaining, .max / 4))
    guard overhead <= limits.chunkOverhead else { throw .chunkOverhead }
    size = 0
    digits = 0
    lineLength = 0
    state = .data
    return remaining == 0
  }

  private mutating func readLine(_ byte: UInt8) throws(Rejection) {
    switch state {
    case .size: try readSize(byte)
    case .quoted: try readQuoted(byte)
    case .escaped:
      guard Byte.isFieldContent(byte) else { throw byte == Byte.lineFeed ? .bareLineFeed : .chunkExtension }
      state = .quoted
    default: try readExtension(byte)
    }
  }

  private mutating func readSize(_ byte: UInt8) throws(Rejection) {
    if let digit = Byte.hexValue(byte) {
      // Sixteen digits fill 64 bits. Leading zeros count too: no sender needs them.
      guard digits < 16 else { throw .chunkSize }
      size = size << 4 | UInt64(digit)
      digits += 1
    } else if byte == Byte.lineFeed {
      throw .bareLineFeed
    } else {
      guard digits > 0, let next = endOfPart(byte, blank: .beforeSemicolon) else { throw .chunkSize }
      state = next
    }
  }

  private mutating func readQuoted(_ byte: UInt8) throws(Rejection) {
    switch byte {
    case Byte.quote: state = .afterQuoted
    case Byte.backslash: state = .escaped
    case Byte.lineFeed: throw .bareLineFeed
    default:
      guard Byte.isFieldContent(byte) else { throw .chunkExtension }
    }
  }

  /// Reads a byte of `*( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )` (RFC 9112 7.1.1).
  private mutating func readExtension(_ byte: UInt8) throws(Rejection) {
    let isToken = ByteSet.token.contains(byte)
    let next: State? =
      switch state {
      case .beforeSemicolon: Byte.isBlank(byte) ? state : byte == Byte.semicolon ? .beforeName : nil
      case .beforeName: Byte.isBlank(byte) ? state : isToken ? .name : nil
      case .name:
        isToken ? state : byte == Byte.equals ? .beforeValue : endOfPart(byte, blank: .afterName)
      case .afterName:
        Byte.isBlank(byte) ? state : byte == Byte.equals ? .beforeValue : byte == Byte.semicolon ? .beforeName : nil
      case .beforeValue:
        Byte.isBlank(byte) ? state : isToken ? .value : byte == Byte.quote ? .quoted : nil
      case .value: isToken ? state : endOfPart(byte, blank: .beforeSemicolon)
      default: endOfPart(byte, blank: .beforeSemicolon)
      }
    guard let next else { throw byte == Byte.lineFeed ? .bareLineFeed : .chunkExtension }
    state = next
  }

  /// Returns the state after a complete size, name or value.
  private func endOfPart(_ byte: UInt8, blank: State) -> State? {
    switch byte {
    case Byte.carriageReturn: .lineFeed
    case Byte.semicolon: .beforeName
    case Byte.space, Byte.tab: blank
    default: nil
    }
  }

  /// Continues at `position` without the decoded bytes so far, which a reader has taken.
  mutating func dropBody(at position: Int) { body = position..<position }

  /// Discards the framing that was read; otherwise a peer that sends tiny chunks could make it pile up without bound.
  mutating func discardFraming(_ buffer: inout ContiguousArray<UInt8>, _ position: inout Int) {
    buffer.removeSubrange(body.upperBound..<position)
    position = body.upperBound
  }
}
