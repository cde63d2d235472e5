import Contract
import Faults
import Primitives

/// The streams of events of each client and API, and the ids of the events that the client was sent.
struct StreamHistory: Sendable {
  static let maximumKnown = 128
  static let maximumOpen = 8

  /// The history of one client's streams of one API.
  private struct Row: Sendable {
    /// The hashes of the ids that the client was sent, or came with at first.
    var known: [UInt64] = []
    /// The requests whose streams have no known end.
    var open: [Int] = []
    var lastRequest = 0
    /// The number of returns without an id.
    var anew = 0
    /// True if it may have been sent events that are not known here.
    var isPartial = false

    mutating func add(_ tag: UInt64) {
      guard !known.contains(tag) else { return }
      if known.count == StreamHistory.maximumKnown {
        known.removeFirst()
        isPartial = true
      }
      known.append(tag)
    }
  }

  /// The way in which a client opened a stream that it had opened before.
  struct Opening: Sendable {
    enum Resumption: Sendable {
      /// With the id of an event, or of a read, that the client had.
      case resumed
      /// With the id of an event that the client had not received completely.
      case unknownID
      /// Without an id, soon after the stream was broken: the number of times so far.
      case anew(Int)
      /// In a way that says nothing.
      case unjudged
    }

    let resumption: Resumption
    /// The request that had opened the stream before; 0 if it is not known.
    let last: Int
  }

  private var rows = RecentTable<Row>(capacity: 256)
  private var ends = RecentTable<StreamEnd>(capacity: 256)

  var isEmpty: Bool { rows.count == 0 }

  private static func key(of seen: Observation) -> UInt64 { seen.client.mixed(with: UInt64(seen.api ?? 255)) }

  /// True if the client of a request follows a stream of the same API, which shows it what its writes do.
  func isFollowed(by seen: Observation) -> Bool {
    guard let index = rows.index(of: Self.key(of: seen)) else { return false }
    return rows.values[index].open.contains { ends.index(of: UInt64($0)) == nil }
  }

  mutating func close(_ end: StreamEnd) { ends[UInt64(end.request)] = end }

  /// Adds a plain read, whose tag is an id, too.
  mutating func read(_ seen: Observation) {
    guard let index = rows.index(of: Self.key(of: seen)), let tag = seen.tag else { return }
    rows.values[index].add(tag)
  }

  /// Adds the opening of a stream.
  mutating func open(_ seen: Observation) -> Opening? {
    guard seen.isGet else { return nil }
    let key = Self.key(of: seen)
    let isKnown = rows.index(of: key) != nil
    let index = rows.index(of: key) ?? rows.insert(Row(), for: key)
    collectEnds(at: index)
    let resumption = resumption(seen, at: index, isKnown: isKnown)
    let last = rows.values[index].lastRequest
    if let claim = seen.lastEvent { rows.values[index].add(claim) }
    begin(seen, at: index)
    return Opening(resumption: resumption, last: last)
  }

  private mutating func resumption(_ seen: Observation, at index: Int, isKnown: Bool) -> Opening.Resumption {
    if let claim = seen.lastEvent {
      guard isKnown else { return .unjudged }
      if rows.values[index].known.contains(claim) { return .resumed }
      return rows.values[index].open.isEmpty && !rows.values[index].isPartial ? .unknownID : .unjudged
    }
    guard let last = ends[UInt64(rows.values[index].lastRequest)], rows.values[index].open.isEmpty, last.isBroken,
      !last.tags.isEmpty, seen.arrival - last.time <= StreamResumed.window
    else { return .unjudged }
    rows.values[index].anew += 1
    return .anew(rows.values[index].anew)
  }

  /// Adds the events of the client's streams that have ended.
  private mutating func collectEnds(at index: Int) {
    for request in rows.values[index].open {
      guard let end = ends[UInt64(request)] else { continue }
      for tag in end.tags { rows.values[index].add(tag) }
      if end.isPartial { rows.values[index].isPartial = true }
    }
    rows.values[index].open.removeAll { ends.index(of: UInt64($0)) != nil }
  }

  /// Records the stream that a request opened, or its one event where the plan made it finite.
  private mutating func begin(_ seen: Observation, at index: Int) {
    rows.values[index].lastRequest = seen.id
    switch seen.result {
    case .success:
      if let tag = seen.tag { rows.values[index].add(tag) } else { rows.values[index].isPartial = true }
      guard seen.plan.allowsStream else { return }
      if rows.values[index].open.count == Self.maximumOpen {
        rows.values[index].open.removeFirst()
        rows.values[index].isPartial = true
      }
      rows.values[index].open.append(seen.id)
    case .rejected, .unavailable: break
    case .lost where seen.plan.ending?.isWithinMessage == true: break
    case .damaged, .lost, .cut: rows.values[index].isPartial = true
    }
  }
}

extension TransportFault {
  /// True if a part of the message is certain to be missing.
  fileprivate var isWithinMessage: Bool {
    switch first {
    case .nothing, .statusLine, .body: true
    case .whole, .events: false
    }
  }
}
