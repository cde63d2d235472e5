import Faults
import Primitives
import Services

/// Content that is passed on as it comes: from a source of responses to the stream of a connection, with a bounded amount
/// in between. It is used on the loop's thread only.
final class ContentPipe: @unchecked Sendable {
  enum End: Sendable {
    case complete
    /// The source failed before the content was complete.
    case cut(UpstreamOutcome.Failure)
  }

  /// The content from `start` on; the bytes before it were taken, and are removed together.
  private var bytes: [UInt8] = []
  private var start = 0
  private var end: End?
  /// Called when there is room again.
  var whenDrained: () -> Void = {}
  /// Called when no more content is wanted, because the client has left or the plan has cut the response.
  var whenClosed: () -> Void = {}

  /// The number of bytes above which the source pauses.
  private static let capacity = 256 << 10

  /// True if the source may go on.
  var hasRoom: Bool { byteCount < Self.capacity }

  /// The number of bytes that wait to be taken.
  var byteCount: Int { bytes.count - start }

  var isEmpty: Bool { bytes.count == start }

  /// The end of the content, if all of it was taken; nil if more may follow.
  var endOfAll: End? { isEmpty ? end : nil }

  func append(_ content: [UInt8]) { bytes += content }

  func finish(_ end: End) { self.end = end }

  /// Removes and returns the next bytes.
  ///
  /// - Parameter limit: Returns how many of the bytes that are there to remove.
  func removeFirst(_ limit: (ArraySlice<UInt8>) -> Int) -> [UInt8] {
    let (hadRoom, count) = (hasRoom, limit(bytes[start...]))
    guard count > 0 else { return [] }
    let taken = Array(bytes[start..<start + count])
    start += count
    // Each byte is moved once at most, however small the parts are that are taken.
    if start >= bytes.count - start {
      bytes.removeFirst(start)
      start = 0
    }
    if !hadRoom, hasRoom { whenDrained() }
    return taken
  }

  /// Records that no more content is wanted.
  func close() {
    (bytes, start) = ([], 0)
    whenClosed()
  }
}

/// A reader of content that is passed on as it comes.
struct ContentFollower: Sendable {
  let pipe: ContentPipe
  /// True for an event stream, which need not have an end.
  let isEndless: Bool
  /// The announced length; nil if there is none.
  let length: Int?
  /// The journal's id of its request.
  var request = 0
  /// True if the request can change something.
  var isWrite = false
  /// The fault that follows an event of the stream; nil if the plan has none, or if it has occurred.
  var fault: TransportFault?
  /// The rate of the content; nil if it is not limited.
  var pace: Pace?
  /// The number of events so far, each of which ends with an empty line.
  private var eventCount = 0
  private var isLineEmpty = true

  init(_ pipe: ContentPipe, isEndless: Bool, length: Int?) {
    self.pipe = pipe
    self.isEndless = isEndless
    self.length = length
  }

  var end: ContentPipe.End? { pipe.endOfAll }

  /// True if the record of its request waits for the end: that of an endless stream may never come, but the one to a write
  /// tells whether its client can know what became of it.
  var hasRecordedEnd: Bool { !isEndless || isWrite }

  /// Returns the plan's fault once, after the events that precede it.
  mutating func takeFault() -> TransportFault? {
    guard let limit = fault?.eventLimit, eventCount >= limit else { return nil }
    defer { fault = nil }
    return fault
  }

  /// Returns the bytes since the last call, at most up to the end of the event that the fault follows.
  mutating func content(within budget: inout JournalFollower.Budget) -> [UInt8] {
    guard !budget.isSpent else { return [] }
    let maximum = min(Self.maximumBytes, pace?.chunk ?? .max)
    let bytes = pipe.removeFirst { bytes in
      guard let limit = fault?.eventLimit else { return min(bytes.count, maximum) }
      return count(of: bytes.prefix(maximum), upToEvent: limit)
    }
    // The work is copying: a unit of the budget is about 10 µs.
    if !bytes.isEmpty { budget.countReader(bytes: bytes.count >> 4) }
    if !pipe.isEmpty { budget.leavesContent = true }
    return bytes
  }

  private mutating func count(of bytes: ArraySlice<UInt8>, upToEvent limit: Int) -> Int {
    for (offset, byte) in bytes.enumerated() {
      switch byte {
      case Byte.lineFeed:
        if isLineEmpty { eventCount += 1 }
        isLineEmpty = true
        if eventCount >= limit { return offset + 1 }
      case Byte.carriageReturn: break
      default: isLineEmpty = false
      }
    }
    return bytes.count
  }

  /// The maximum number of bytes per call, which bounds the unsent bytes of a slow reader.
  private static let maximumBytes = 64 << 10
}
