import Foundation

/// An event of a stream (HTML standard, section 9.2).
struct ServerSentEvent: Sendable, Equatable {
  /// The id that a client sends as `Last-Event-ID` when it resumes the stream.
  var id: String?
  var name = "message"
  var data = ""
}

/// Parses server-sent events from the pieces of a body, wherever these are divided.
struct ServerSentEventParser {
  private var rest = Data()
  private var event = ServerSentEvent()
  private var data: [String] = []
  /// The id of the last event that had one; it holds for later events, too.
  private var lastID: String?

  /// The maximum length of a line. No state of an API is longer.
  static let maximumLine = 16 << 20

  /// Returns the events that end in a piece.
  mutating func events(in piece: Data) throws(FailureReason) -> [ServerSentEvent] {
    rest += piece
    var events: [ServerSentEvent] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      var line = rest[rest.startIndex..<end]
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      if let event = read(String(decoding: line, as: UTF8.self)) { events.append(event) }
      rest = rest[rest.index(after: end)...]
    }
    rest = Data(rest)
    guard rest.count <= Self.maximumLine else { throw .unreadable("The stream has a line without an end.") }
    return events
  }

  /// Reads a line; returns the event that it ends.
  private mutating func read(_ line: String) -> ServerSentEvent? {
    guard !line.isEmpty else {
      defer { (event, data) = (ServerSentEvent(), []) }
      // Without data there is no event.
      guard !data.isEmpty else { return nil }
      event.id = lastID
      event.data = data.joined(separator: "\n")
      return event
    }
    let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = sides.count > 1 ? String(sides[1].hasPrefix(" ") ? sides[1].dropFirst() : sides[1]) : ""
    switch sides[0] {
    case "id" where !value.contains("\0"): lastID = value
    case "event": event.name = value
    case "data": data.append(value)
    // A comment has an empty name; unknown fields are ignored.
    default: break
    }
    return nil
  }
}
