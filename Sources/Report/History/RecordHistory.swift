import Contract
import Primitives

/// The last change of each record, and the version that each client has seen of it, by reading the record or its list.
struct RecordHistory: Sendable {
  private struct Change: Sendable {
    let id: Int
    let client: UInt64
    let version: Int
    let members: [String]
  }

  private struct Sight: Sendable {
    var version: Int
    var hadTag: Bool
  }

  private var changes = RecentTable<Change>(capacity: 1_024)
  private var sights = RecentTable<Sight>(capacity: 2_048)
  /// The last look, which the next one mostly repeats: the hash of its request, and the version that it showed.
  private var lastLook: (request: UInt64, version: Int)?

  /// Adds an exchange of known version. Returns the change of another client that it replaced unseen, though a tag was
  /// offered; 0 if there is none.
  mutating func add(_ seen: Observation) -> Int {
    guard let versions = seen.versions else { return 0 }
    if let lastLook, lastLook.request == seen.identity, lastLook.version == versions.upperBound { return 0 }
    if let read = seen.readIntent {
      if seen.isSuccess, seen.entry.method != .head { look(seen, at: read.record, version: versions.upperBound) }
    } else if seen.isWrite, seen.isApplied, let intent = seen.intent, intent.overwrites, let record = intent.record {
      return write(seen, intent, record, versions)
    }
    return 0
  }

  /// The key of a record, or of all records of an API.
  private func key(of record: UInt64?, _ seen: Observation) -> UInt64 {
    (record ?? 0).mixed(with: UInt64(seen.api ?? 255))
  }

  private mutating func look(_ seen: Observation, at record: UInt64?, version: Int) {
    let own = key(of: record, seen).mixed(with: seen.client)
    if seen.tag != nil { lastLook = (seen.identity, version) }
    let index = sights.index(of: own) ?? sights.insert(Sight(version: version, hadTag: false), for: own)
    sights.values[index].version = max(sights.values[index].version, version)
    if seen.tag != nil { sights.values[index].hadTag = true }
  }

  private mutating func write(_ seen: Observation, _ intent: Intent, _ record: UInt64, _ versions: Range<Int>) -> Int {
    lastLook = nil
    let key = key(of: record, seen)
    let own = key.mixed(with: seen.client)
    let sight = [sights[own], sights[self.key(of: nil, seen).mixed(with: seen.client)]].compactMap { $0 }
      .max { $0.version < $1.version }
    let last = changes[key]
    var overwritten = 0
    if let last, let sight, last.client != seen.client, last.version > sight.version, sight.hadTag,
      last.members.contains(where: intent.members.contains), !seen.isConditionalWrite,
      seen.operation?.caching.evaluatesPreconditions == true
    {
      overwritten = last.id
    }
    if last.map({ $0.version <= versions.upperBound }) ?? true {
      changes[key] = Change(id: seen.id, client: seen.client, version: versions.upperBound, members: intent.members)
    }
    // The response to a write shows its client the record.
    if let index = sights.index(of: own) {
      sights.values[index].version = max(sights.values[index].version, versions.upperBound)
    } else if let sight {
      sights[own] = Sight(version: versions.upperBound, hadTag: sight.hadTag)
    }
    return overwritten
  }
}
