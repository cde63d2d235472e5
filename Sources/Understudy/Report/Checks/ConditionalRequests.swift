/// Checks that entity tags that were offered come back as `If-None-Match`, so that what has not changed is not sent again
/// (RFC 9110 section 13.1.2).
struct ConditionalRequests: Check {
  static let id = "conditional-requests"
  static let rank = 90
  /// So many full replies with one and the same tag, to one client for one target, are a habit.
  static let maximumUnchanged = 3

  private var tags = RecentTable<UInt64, Known>(capacity: 2_048)
  private var conditional = 0
  private var wasteful = 0
  private var unchanged = 0
  private var example = ""
  private var evidence = Evidence()

  private struct Known: Sendable {
    /// Those that the client was given, the newest last.
    var issued: [UInt64] = []
    var id = 0
    var unchanged = 0
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    guard seen.method == "GET", !seen.isWrite, let tag = seen.tag, seen.result == .success else { return }
    let identity = seen.identity
    var known = tags[identity] ?? Known()
    // A tag that the client was never given, here, is made up or from another run: it proves nothing.
    let isConditional = seen.namedTags.contains { known.issued.contains($0) }
    if isConditional { conditional += 1 }
    guard seen.status == 200 else { return }
    if !isConditional, known.issued.last == tag {
      known.unchanged += 1
      unchanged += 1
      if known.unchanged == Self.maximumUnchanged {
        wasteful += 1
        if example.isEmpty { example = Words.request(seen) }
        evidence.add(known.id)
      }
      if known.unchanged >= Self.maximumUnchanged { evidence.add(seen.id) }
    }
    if known.issued.last != tag { known.issued = known.issued.suffix(3) + [tag] }
    known.id = seen.id
    tags[identity] = known
  }

  func finding(_ moment: CheckContext) -> Finding {
    if wasteful > 0 {
      return Finding(
        .warn,
        "\(Words.count(wasteful, "resource")) \(Words.were(wasteful)) fetched whole three times or more although the "
          + "entity tag had not changed (\(Words.count(unchanged, "needless reply", "needless replies"))): "
          + "\(example). If-None-Match avoids that.", evidence)
    }
    guard conditional > 0 else {
      return Finding(.notExercised, "Nothing unchanged was fetched often enough to need If-None-Match.")
    }
    return Finding(
      .pass,
      "\(Words.count(conditional, "request")) named a known entity tag, and no resource was fetched in vain often.")
  }
}
