import Contract

/// Checks that no write goes over another client's change that its client has not seen, although the entity tag that it had
/// been given could have prevented that with `If-Match` (RFC 9110 section 13.1.1).
///
/// A client that reads again before it writes has seen the change.
struct LostUpdate: Check {
  static let id = "lost-update"
  static let rank = 67

  private struct Change: Sendable {
    let id: Int
    let client: UInt64
    let version: Int
    let members: Set<String>
  }

  private struct Sight: Sendable {
    let version: Int
    let hadTag: Bool
  }

  /// The last change of each record.
  private var changes = RecentTable<UInt64, Change>(capacity: 1_024)
  /// The version of the state at which each client last read each record.
  private var sights = RecentTable<UInt64, Sight>(capacity: 2_048)
  private var overwritten = 0
  private var guarded = 0
  private var example = ""
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    guard let intent = seen.intent, let record = intent.record, let versions = seen.versions else { return }
    let place = record.mixed(with: UInt64(seen.api ?? 255))
    let own = place.mixed(with: seen.client)
    switch intent.kind {
    case .reads where seen.result == .success:
      let hadTag = sights[own]?.hadTag ?? false
      sights[own] = Sight(version: versions.upperBound, hadTag: seen.tag != nil || hadTag)
    case .sets where seen.isWrite:
      write(seen, intent, versions, place: place, own: own)
    default: return
    }
  }

  private mutating func write(
    _ seen: Observation, _ intent: Intent, _ versions: Range<Int>, place: UInt64, own: UInt64
  ) {
    if seen.isConditionalWrite { guarded += 1 }
    guard seen.isApplied else { return }
    let change = changes[place]
    if let change, let sight = sights[own], change.client != seen.client, change.version > sight.version, sight.hadTag,
      !change.members.isDisjoint(with: intent.members), !seen.isConditionalWrite,
      seen.operation?.heedsPreconditions == true
    {
      overwritten += 1
      if example.isEmpty { example = Words.request(seen) }
      evidence.add(change.id, seen.id)
    }
    if change.map({ $0.version <= versions.upperBound }) ?? true {
      changes[place] = Change(
        id: seen.id, client: seen.client, version: versions.upperBound, members: intent.members)
    }
    if let sight = sights[own] {
      sights[own] = Sight(version: max(sight.version, versions.upperBound), hadTag: sight.hadTag)
    }
  }

  func finding(_ moment: CheckContext) -> Finding {
    if overwritten > 0 {
      return Finding(
        .warn,
        "\(Words.count(overwritten, "write")) went over a change of another client that its own had not seen: \(example). "
          + "Send the entity tag of the last read as If-Match, and read again after 412.", evidence)
    }
    guard guarded > 0 else {
      return Finding(.notExercised, "No client wrote over what another one had changed since it last looked.")
    }
    return Finding(.pass, "\(Words.count(guarded, "write")) said by If-Match which version it built on.")
  }
}
