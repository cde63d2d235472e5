import Primitives

@testable import Understudy

extension Client {
  /// The events that a client got of a stream.
  struct Stream {
    /// The ids of all events that have begun.
    let ids: [String]
    /// The ids of those that are complete.
    let wholeIDs: [String]
  }

  /// Follows a stream until it ends, but at most for a time, and calls `then` with what came.
  func follow(_ call: Call, for duration: Duration, then: @escaping (Stream) -> Void) {
    send(call, timeout: duration, usesCache: false) { [self] _ in then(Self.stream(lastBytes)) }
  }

  private static func stream(_ bytes: [UInt8]) -> Stream {
    // The frames of chunks are lines of their own, so they are no part of an event's lines.
    let events = String(decoding: bytes, as: UTF8.self).split(separator: "event: rooms\n").dropFirst()
    func id(_ event: Substring) -> String? {
      event.hasPrefix("id: ") ? String(event.dropFirst(4).prefix { $0 != "\n" }) : nil
    }
    return Stream(ids: events.compactMap(id), wholeIDs: events.filter { $0.contains("\n\n") }.compactMap(id))
  }
}
