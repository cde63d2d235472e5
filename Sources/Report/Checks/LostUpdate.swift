import Contract

/// Checks that no write goes over another client's change that its client has not seen, although the entity tag that it had
/// been given could have prevented that with `If-Match` (RFC 9110 section 13.1.1).
///
/// A client that reads again before it writes has seen the change.
struct LostUpdate: Check {
  static let id = "lost-update"

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

  /// The last change of each record.
  private var changes = RecentTable<Change>(capacity: 1_024)
  /// The version of the state at which each client last read each record.
  private var sights = RecentTable<Sight>(capacity: 2_048)
  private var overwritten = 0
  private var guarded = 0
  private var example = ""
  private var evidence = Evidence()

  var interest: Traits { [.sight, .write] }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard let versions = seen.versions else { return }
    if let record = seen.recordRead {
      guard seen.isSuccess else { return }
      let own = key(of: record, seen).mixed(with: seen.client)
      if let index = sights.index(of: own) {
        sights.values[index].version = versions.upperBound
        if seen.tag != nil { sights.values[index].hadTag = true }
      } else {
        sights[own] = Sight(version: versions.upperBound, hadTag: seen.tag != nil)
      }
    } else if seen.isWrite, let intent = seen.intent, intent.overwrites, let record = intent.record {
      let recordKey = key(of: record, seen)
      write(seen, intent, versions, recordKey: recordKey, own: recordKey.mixed(with: seen.client))
    }
  }

  private func key(of record: UInt64, _ seen: Observation) -> UInt64 {
    record.mixed(with: UInt64(seen.api ?? 255))
  }

  private mutating func write(
    _ seen: Observation, _ intent: Intent, _ versions: Range<Int>, recordKey: UInt64, own: UInt64
  ) {
    if seen.isConditionalWrite { guarded += 1 }
    guard seen.isApplied else { return }
    let last = changes.index(of: recordKey)
    if let change = last.map({ changes.values[$0] }), let sight = sights[own], change.client != seen.client,
      change.version > sight.version, sight.hadTag,
      change.members.contains(where: intent.members.contains), !seen.isConditionalWrite,
      seen.operation?.evaluatesPreconditions == true
    {
      overwritten += 1
      if example.isEmpty { example = ReportText.request(seen) }
      evidence.add(change.id, seen.id)
    }
    let new = Change(id: seen.id, client: seen.client, version: versions.upperBound, members: intent.members)
    if let last {
      if changes.values[last].version <= new.version { changes.values[last] = new }
    } else {
      _ = changes.insert(new, for: recordKey)
    }
    if let index = sights.index(of: own) {
      sights.values[index].version = max(sights.values[index].version, versions.upperBound)
    }
  }

  func finding(_ context: CheckContext) -> Finding {
    if overwritten > 0 {
      return Finding(
        .warn,
        "\(ReportText.count(overwritten, "write")) replaced another client's change that the writing client had not read: \(example). "
          + "Send the entity tag of the last read as If-Match, and read again after 412.", evidence)
    }
    guard guarded > 0 else {
      return Finding(.notExercised, "No client replaced a change that another client had made since its own last read.")
    }
    return Finding(.pass, "\(ReportText.count(guarded, "write")) carried If-Match, and none replaced an unread change.")
  }
}
