import Report

/// The values of exchanges that are needed until they are judged.
extension Journal {
  /// Stores the values of an exchange that contain references, and returns their index.
  mutating func store(_ new: ExchangeParts) -> Int32 {
    parts.append(new)
    return Int32(parts.count - 1)
  }

  /// Returns the index of the values of a client's plain reads of a route.
  mutating func storePlain(_ subject: Subject, _ client: Observation.Client) -> Int32 {
    if let last = parts.last, last.arePlain(subject, client) { return Int32(parts.count - 1) }
    return store(ExchangeParts(subject, client))
  }

  /// Shows an exchange that is not judged yet.
  func show(_ id: Int, in seen: inout Observation) { show(entries[index(of: id)], in: &seen) }

  func show(_ entry: borrowing ExchangeRecord, in seen: inout Observation) {
    seen.show(entry, parts[Int(entry.parts)], ring.slice(entry.texts.range))
  }

  /// Discards the values of exchanges that are judged.
  ///
  /// - Parameter waiting: The ids of those that are not.
  mutating func discardParts(except waiting: [Int]) {
    if waiting.isEmpty { return parts.removeAll(keepingCapacity: true) }
    guard parts.count > Self.maximumParts else { return }
    let old = parts
    parts = []
    for id in waiting where isHeld(id) {
      let index = index(of: id)
      entries[index].parts = store(old[Int(entries[index].parts)])
    }
  }

  /// More than this many are discarded though some exchanges wait for an earlier one.
  private static let maximumParts = 1_024

  /// True if an entry is stored, and still is when these bytes are added.
  func isHeld(_ id: Int, adding bytes: Int) -> Bool {
    isHeld(id) && entries[index(of: id)].texts.start >= ring.start(adding: bytes)
  }

  /// True if an entry is evicted when another one is added, or these bytes are.
  func evicts(_ id: Int, adding bytes: Int) -> Bool {
    id <= lastID + 1 - Self.maximumEntries || entries[index(of: id)].texts.start < ring.start(adding: bytes)
  }
}
