import Primitives

/// The field lines of a head or a trailer section and the empty line after them; scanning can resume after any byte
/// (RFC 9112 5).
struct FieldScanner: Sendable {
  private enum State: Sendable {
    case lineStart, name, blankInName, blank, value, lineFeed, lastLineFeed
  }

  /// True if white space before a colon is removed: a proxy must do so in responses (RFC 9112 5.1).
  private let acceptsBlankBeforeColon: Bool
  private(set) var fields: [Field] = []
  /// The known names among the fields.
  private(set) var names = FieldName.Names()
  private var state = State.lineStart
  /// The index of the section's first byte.
  private(set) var start = 0
  private var nameStart = 0
  private var nameEnd = 0
  private var valueStart = 0
  private var valueEnd = 0

  init(acceptsBlankBeforeColon: Bool = false) {
    self.acceptsBlankBeforeColon = acceptsBlankBeforeColon
  }

  /// Discards the fields of the previous message. Their storage is reused if no request holds it.
  mutating func begin(at position: Int) {
    // A live request holds the old array; allocating a new one is cheaper than copying it.
    fields.removeAll(keepingCapacity: true)
    if fields.capacity == 0 { fields.reserveCapacity(8) }
    names = []
    state = .lineStart
    start = position
  }

  /// Adapts the fields to a section of the same bytes that begins at `position`.
  mutating func move(to position: Int) {
    let distance = position - start
    guard distance != 0 else { return }
    for index in fields.indices { fields[index].move(by: distance) }
    start = position
  }

  /// Releases the storage.
  mutating func release() { fields = [] }

  /// Continues at `position`. Returns true after the empty line, false if more bytes are needed.
  mutating func scan(
    _ buffer: borrowing ContiguousArray<UInt8>, _ position: inout Int, size: Int, count: Int, lists: Int = .max
  ) throws(Rejection) -> Bool {
    let bytes = buffer.span
    let end = min(bytes.count, start + size)
    while position < end {
      switch state {
      case .lineStart: try beginLine(bytes[position], &position, count)
      case .name: try scanName(bytes, &position, end)
      case .blankInName: try endBlankInName(bytes[position], &position)
      case .blank:
        while position < end, Byte.isBlank(bytes[position]) { position += 1 }
        valueStart = position
        if position < end { state = .value }
      case .value: try scanValue(bytes, &position, end)
      case .lineFeed:
        guard bytes[position] == Byte.lineFeed else { throw .bareCarriageReturn }
        position += 1
        let name = nameStart..<nameEnd
        let known = FieldName(bytes, name)
        let field = Field(name: name, value: valueStart..<valueEnd, known: known)
        if let known {
          names.insert(FieldName.Names(known))
          if position - start > lists, listBytes + field.listBytes > lists { throw .listsTooLong }
        }
        fields.append(field)
        state = .lineStart
      case .lastLineFeed:
        guard bytes[position] == Byte.lineFeed else { throw .bareCarriageReturn }
        position += 1
        return true
      }
    }
    // All allowed bytes have been read without the empty line, so the head cannot fit.
    if position - start >= size { throw .headTooLarge }
    return false
  }

  /// The number of bytes of the lists so far.
  private var listBytes: Int { fields.reduce(0) { $0 + $1.listBytes } }

  private mutating func beginLine(_ byte: UInt8, _ position: inout Int, _ limit: Int) throws(Rejection) {
    switch byte {
    case Byte.carriageReturn: state = .lastLineFeed
    case Byte.lineFeed: throw .bareLineFeed
    case Byte.space, Byte.tab: throw .lineFolding
    case Byte.colon: throw .fieldNameMissing
    default:
      guard ByteSet.token.contains(byte) else { throw .fieldNameByte }
      guard fields.count < limit else { throw .tooManyFields }
      nameStart = position
      state = .name
    }
    position += 1
  }

  private mutating func scanName(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) throws(Rejection) {
    var index = position
    while index < end, ByteSet.token.contains(bytes[index]) { index += 1 }
    position = index
    guard index < end else { return }
    switch bytes[index] {
    case Byte.colon: break
    case Byte.space, Byte.tab:
      nameEnd = index
      state = .blankInName
      return
    case Byte.carriageReturn: throw .colonMissing
    case Byte.lineFeed: throw .bareLineFeed
    default: throw .fieldNameByte
    }
    nameEnd = index
    position = index + 1
    state = .blank
  }

  /// Chooses the error for white space after a part of a name: the byte that follows decides it.
  private mutating func endBlankInName(_ byte: UInt8, _ position: inout Int) throws(Rejection) {
    switch byte {
    case Byte.space, Byte.tab: position += 1
    case Byte.colon:
      guard acceptsBlankBeforeColon else { throw .blankBeforeColon }
      position += 1
      state = .blank
    case Byte.carriageReturn: throw .colonMissing
    case Byte.lineFeed: throw .bareLineFeed
    default: throw .blankInName
    }
  }

  private mutating func scanValue(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) throws(Rejection) {
    var index = position
    while index + 8 <= end, Byte.areVisible(bytes.word(at: index)) { index += 8 }
    while index < end, Byte.isFieldContent(bytes[index]) { index += 1 }
    position = index
    guard index < end else { return }
    switch bytes[index] {
    case Byte.carriageReturn: break
    case Byte.lineFeed: throw .bareLineFeed
    default: throw .fieldValueByte
    }
    while index > valueStart, Byte.isBlank(bytes[index - 1]) { index -= 1 }
    valueEnd = index
    position += 1
    state = .lineFeed
  }
}
