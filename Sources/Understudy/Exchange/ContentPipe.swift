import Contract
import Faults
import Primitives
import Services

/// Content that is passed on as it comes, with a bounded amount in between: from a backend to the stream of a
/// connection, or from a connection to a backend. It is used on the loop's thread only.
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
  private var isClosed = false
  /// The hash of all content so far; nil if it is not wanted.
  var hash: ContentHash?
  /// Called when content or its end has come.
  var whenAppended: () -> Void = {}
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

  func append(_ content: [UInt8]) {
    guard !isClosed else { return }
    bytes += content
    hash?.add(content[...])
    whenAppended()
  }

  func finish(_ end: End) {
    guard self.end == nil, !isClosed else { return }
    self.end = end
    whenAppended()
  }

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
    isClosed = true
    (bytes, start) = ([], 0)
    whenClosed()
  }
}

/// A reader of content that is passed on as it comes.
struct ContentFollower: Sendable {
  let pipe: ContentPipe
  let kind: Kind
  /// The announced length; nil if there is none.
  let length: Int?
  /// The journal's id of its request.
  var request = 0
  /// True if the request can change something.
  var isWrite = false
  /// The fault that strikes after a part of the content; nil if the plan has none, or if it has occurred.
  private(set) var strike: Strike?
  /// True if a fault of the plan strikes, sooner or later.
  private(set) var isStruck = false
  /// The first bytes for the journal; nil if it stores none.
  private(set) var journaled: [UInt8]?
  /// The way of the client's bytes, if both ends speak another protocol; nil if they do not.
  var tunnel: ContentPipe?
  /// The rate of the content; nil if it is not limited.
  var pace: Pace?
  private var events = EventCounter()

  /// A kind of content, by how its sender ends it.
  enum Kind: Sendable {
    case finite
    /// Events, which need not have an end (`text/event-stream`).
    case events
    /// Parts or lines, which need not have an end.
    case endless
  }

  /// A fault with the part of the content that precedes it.
  struct Strike: Sendable {
    let fault: TransportFault
    let limit: Limit

    enum Limit: Sendable {
      case events(Int)
      case bytes(Int)
    }
  }

  init(_ pipe: ContentPipe, _ kind: Kind, length: Int?) {
    self.pipe = pipe
    self.kind = kind
    self.length = length
  }

  var isEndless: Bool { kind != .finite }

  /// Plans a fault; returns false if no part of this content can precede it.
  mutating func plan(_ fault: TransportFault) -> Bool {
    guard let limit = limit(of: fault) else { return false }
    strike = Strike(fault: fault, limit: limit)
    isStruck = true
    return true
  }

  /// Returns the part of the content that precedes a fault. A share of content without an end is a short beginning of it.
  private func limit(of fault: TransportFault) -> Strike.Limit? {
    if let count = fault.eventLimit { return kind == .events ? .events(count) : nil }
    guard fault.at != nil, isEndless else { return nil }
    return kind == .events ? .events(1) : .bytes(Self.beginning)
  }

  /// The number of bytes before a fault in content without an end and without events.
  private static let beginning = 1 << 10

  /// Stores the first bytes for the journal.
  mutating func journal() { journaled = [] }

  var end: ContentPipe.End? { pipe.endOfAll }

  /// True if the entry of its request waits for the end. That of an endless stream may never come, but a fault ends it, and
  /// the one to a write tells whether its client can know what became of it.
  var hasRecordedEnd: Bool { !isEndless || isWrite || isStruck }

  /// Returns the plan's fault once, after the events that precede it.
  mutating func takeFault() -> TransportFault? {
    guard let strike else { return nil }
    switch strike.limit {
    case .events(let count) where events.count < count: return nil
    case .bytes(let count) where count > 0: return nil
    default:
      self.strike = nil
      return strike.fault
    }
  }

  /// Returns the bytes since the last call, at most up to the end of the event that the fault follows.
  mutating func content(within budget: inout JournalFollower.Budget) -> [UInt8] {
    guard !budget.isSpent else { return [] }
    let maximum = min(Self.maximumBytes, pace?.chunk ?? .max)
    let bytes = pipe.removeFirst { bytes in
      count(of: bytes.prefix(maximum))
    }
    if let journaled {
      self.journaled = journaled + bytes.prefix(Journal.maximumBodyBytes - journaled.count)
    }
    // The work is copying: a unit of the budget is about 10 µs.
    if !bytes.isEmpty { budget.countReader(bytes: bytes.count >> 4) }
    if !pipe.isEmpty { budget.leavesContent = true }
    return bytes
  }

  /// Returns how many of these bytes precede the fault.
  private mutating func count(of bytes: ArraySlice<UInt8>) -> Int {
    switch strike?.limit {
    case nil: return bytes.count
    case .events(let limit)?: return events.read(bytes, upToEvent: limit)
    case .bytes(let limit)?:
      let count = min(limit, bytes.count)
      strike = strike.map { Strike(fault: $0.fault, limit: .bytes(limit - count)) }
      return count
    }
  }

  /// The maximum number of bytes per call, which bounds the unsent bytes of a slow reader.
  private static let maximumBytes = 64 << 10
}
