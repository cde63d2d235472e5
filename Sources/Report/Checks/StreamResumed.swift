import Contract
import Faults
import Primitives

/// Checks that a client comes back to a stream of events without a gap: with the id of an event that it was sent.
///
/// An event is sent when its blank line is (HTML standard, section 9.2.6): a client that takes the id of an event that was
/// cut claims to have what it never got, and the server then keeps that back. An older id leaves no gap, nor does the entity
/// tag of a plain read. Without an id everything comes again, which works only while each event shows the whole state.
struct StreamResumed: Check {
  static let id = "stream-resumed"
  /// A client that comes back this soon after a break comes because of it; later it may have been started anew.
  static let window = Duration.seconds(60)
  /// The number of returns without an id that is a habit.
  static let minimumAnew = 2
  static let maximumKnown = 128
  static let maximumOpen = 8

  /// The knowledge of one client about one API.
  private struct Row: Sendable {
    /// The hashes of the ids that it was sent, or came with at first.
    var known: [UInt64] = []
    /// The requests whose streams have no known end.
    var open: [Int] = []
    var lastRequest = 0
    var anew = 0
    /// True if it may have been sent events that are not known here.
    var isPartial = false

    mutating func add(_ tag: UInt64) {
      guard !known.contains(tag) else { return }
      if known.count == StreamResumed.maximumKnown {
        known.removeFirst()
        isPartial = true
      }
      known.append(tag)
    }
  }

  private var rows = RecentTable<Row>(capacity: 256)
  private var ends = RecentTable<StreamEnd>(capacity: 256)
  private var resumed = 0
  private var claimed = 0
  private var mayBeClaimed = 0
  private var anew = 0
  private var example = ""
  private var evidence = Evidence()

  /// The tag of a plain read is an id, too; it matters once there are streams.
  var interest: Traits { rows.count == 0 ? .stream : [.stream, .tagged] }

  mutating func record(_ event: SandboxEvent) {
    if case .streamEnded(let end) = event { ends[UInt64(end.request)] = end }
  }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard seen.isGet else { return }
    let key = seen.client.mixed(with: UInt64(seen.api ?? 255))
    let known = rows.index(of: key)
    guard seen.operation?.isStream == true else {
      if let known, let tag = seen.tag { rows.values[known].add(tag) }
      return
    }
    let index = known ?? rows.insert(Row(), for: key)
    // Moved out and back, so that nothing is copied.
    var row = Row()
    swap(&row, &rows.values[index])
    let last = ends[UInt64(row.lastRequest)]
    collectEnds(&row)
    if let claim = seen.lastEvent {
      if known != nil { judge(claim, of: seen, row) }
      row.add(claim)
    } else if let last, row.open.isEmpty, last.isBroken, !last.tags.isEmpty, seen.isNamed,
      seen.arrival - last.time <= Self.window
    {
      row.anew += 1
      if row.anew >= Self.minimumAnew {
        anew += 1
        record(seen, after: row)
      }
    }
    begin(seen, &row)
    swap(&row, &rows.values[index])
  }

  /// Adds the events of the client's streams that have ended.
  private func collectEnds(_ row: inout Row) {
    for request in row.open {
      guard let end = ends[UInt64(request)] else { continue }
      for tag in end.tags { row.add(tag) }
      if end.isPartial { row.isPartial = true }
    }
    row.open.removeAll { ends.index(of: UInt64($0)) != nil }
  }

  private mutating func judge(_ claim: UInt64, of seen: Observation, _ row: Row) {
    if row.known.contains(claim) {
      resumed += 1
    } else if row.open.isEmpty, !row.isPartial {
      if seen.isNamed { claimed += 1 } else { mayBeClaimed += 1 }
      record(seen, after: row)
    }
  }

  private mutating func record(_ seen: Observation, after row: Row) {
    if example.isEmpty { example = ReportText.request(seen) }
    if row.lastRequest > 0 { evidence.add(row.lastRequest) }
    evidence.add(seen.id)
  }

  /// Records the stream that a request opened, or of its one event where the plan made it finite.
  private func begin(_ seen: Observation, _ row: inout Row) {
    row.lastRequest = seen.id
    switch seen.result {
    case .success:
      if let tag = seen.tag { row.add(tag) } else { row.isPartial = true }
      guard seen.plan.allowsStream else { return }
      if row.open.count == Self.maximumOpen {
        row.open.removeFirst()
        row.isPartial = true
      }
      row.open.append(seen.id)
    case .rejected, .unavailable: break
    case .lost where seen.plan.ending?.isWithinMessage == true: break
    case .damaged, .lost, .cut: row.isPartial = true
    }
  }

  func finding(_ context: CheckContext) -> Finding {
    if claimed > 0 {
      return Finding(
        .fail,
        "A client resumed a stream with the id of an event that it had not received completely, "
          + "\(ReportText.count(claimed, "time")): \(example). The server does not send this event again. Store an event's id "
          + "only when its blank line has arrived.",
        evidence)
    }
    if mayBeClaimed > 0 {
      return Finding(
        .warn,
        "A client resumed a stream with the id of an event that it had perhaps not received completely, "
          + "\(ReportText.count(mayBeClaimed, "time")): \(example). Store an event's id only when its blank line has arrived."
          + ReportText.clientNameAdvice, evidence)
    }
    if anew > 0 {
      return Finding(
        .warn,
        "A client reopened a broken stream without Last-Event-ID, and not for the first time, "
          + "\(ReportText.count(anew, "time")): \(example). Send the id of the last event, so that the server sends only later "
          + "events.", evidence)
    }
    guard resumed > 0 else { return Finding(.notExercised, "No client reopened a stream of events.") }
    return Finding(.pass, "\(ReportText.were(resumed, "stream")) resumed without a gap.")
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
