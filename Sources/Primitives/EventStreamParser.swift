/// An event of a stream (HTML standard, section 9.2).
package struct ServerSentEvent: Sendable, Equatable {
  /// The id that a client sends as `Last-Event-ID` when it resumes the stream.
  package var id: String?
  package var name = "message"
  package var data = ""

  package init(id: String? = nil, name: String = "message", data: String = "") {
    self.id = id
    self.name = name
    self.data = data
  }
}

/// Parses server-sent events from the pieces of a response's content, wherever these are divided.
package struct EventStreamParser: Sendable {
  private var line: [UInt8] = []
  /// True if the last byte was CR, after which LF belongs to the same line end.
  private var isAfterReturn = false
  private var isFirstLine = true
  private var name: String?
  private var data: [String] = []
  /// The id of the last event that had one; it holds for later events, too.
  private var lastID: String?

  /// The maximum number of bytes in a line. No state of an API is longer.
  package static let maximumLine = 16 << 20

  /// A line is longer than the maximum.
  package struct LineTooLong: Error, Equatable {}

  package init() {}

  /// Returns the events that end in a piece.
  package mutating func events(in piece: some Sequence<UInt8>) throws(LineTooLong) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in piece {
      switch byte {
      case Byte.lineFeed where isAfterReturn: isAfterReturn = false
      case Byte.lineFeed, Byte.carriageReturn:
        isAfterReturn = byte == Byte.carriageReturn
        if let event = endLine() { events.append(event) }
      default:
        isAfterReturn = false
        guard line.count < Self.maximumLine else { throw LineTooLong() }
        line.append(byte)
      }
    }
    return events
  }

  /// Reads a complete line; returns the event that it ends.
  private mutating func endLine() -> ServerSentEvent? {
    // A byte order mark may precede the first line.
    let start = isFirstLine && line.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let text = String(decoding: line[start...], as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    isFirstLine = false
    guard !text.isEmpty else {
      defer { (name, data) = (nil, []) }
      // Without data there is no event.
      guard !data.isEmpty else { return nil }
      return ServerSentEvent(id: lastID, name: name ?? "message", data: data.joined(separator: "\n"))
    }
    let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = sides.count > 1 ? String(sides[1].hasPrefix(" ") ? sides[1].dropFirst() : sides[1]) : ""
    switch sides[0] {
    case "id" where !value.contains("\0"): lastID = value
    case "event": name = value.isEmpty ? nil : value
    case "data": data.append(value)
    // A comment has an empty name; unknown fields are ignored.
    default: break
    }
    return nil
  }
}
