import JSON

/// A minimal second implementation of devices, activities and rooms, which computes the expected state after a change.
struct Model: Equatable {
  /// The installation dates as JSON.
  private(set) var dates: [String: String] = [:]
  private(set) var archived: [String: Bool] = [:]
  private(set) var spots: [String: Int] = [:]
  private var archivedAtFirst: [String: Bool] = [:]

  /// Reads a state.
  ///
  /// - Parameter document: The response of `/_mock/state`.
  init(_ document: JSONValue) {
    for device in document["devices"]?.array ?? [] {
      dates[device["id"]?.string ?? ""] = device["installationDate"]?.text
    }
    for activity in document["activities"]?.array ?? [] {
      archived[activity["id"]?.int.map(String.init) ?? ""] = activity["is_archived"]?.bool
    }
    for room in document["booking"]?["rooms"]?.array ?? [] {
      spots[room["name"]?.string ?? ""] = room["spots"]?.int
    }
    archivedAtFirst = archived
  }

  /// Applies a request; returns false if there is nothing to change.
  mutating func apply(_ meaning: SimulatedRequest.Meaning) -> Bool {
    let before = self
    switch meaning {
    case .control, .read: return false
    case .other: return true
    case .install(let device, let date):
      guard dates[device] != nil else { return false }
      dates[device] = date.map { "\"\($0)\"" } ?? "null"
    case .archive(let activity, let isArchived):
      guard archived[activity] != nil else { return false }
      archived[activity] = isArchived
    case .resetActivities: archived = archivedAtFirst
    case .book(let room): return move(room, by: -1)
    }
    return self != before
  }

  /// Applies a rival's event in the journal; nil for other events.
  mutating func apply(event: String) -> Bool? {
    let parts = event.split(separator: "\"", omittingEmptySubsequences: false)
    guard event.hasPrefix("a rival "), parts.count == 3 else { return nil }
    return move(String(parts[1]), by: event.hasPrefix("a rival took") ? -1 : 1)
  }

  private mutating func move(_ room: String, by count: Int) -> Bool {
    guard let left = spots[room], left + count >= 0 else { return false }
    spots[room] = left + count
    return true
  }

  /// Returns true if the model equals a document, whatever its initial state was.
  func agrees(with document: JSONValue) -> Bool {
    let shown = Model(document)
    return shown.dates == dates && shown.archived == archived && shown.spots == spots
  }
}
