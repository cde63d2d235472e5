/// Checks that entity tags that were offered come back as `If-None-Match`, so that what has not changed is not sent again
/// (RFC 9110 section 13.1.2).
struct ConditionalRequests: Check {
  static let id = "conditional-requests"
  /// So many full replies with one and the same tag, to one client for one target, are a habit.
  static let maximumUnchanged = 3

  private var tags = RecentTable<Known>(capacity: 2_048)
  private var conditional = 0
  private var wasteful = 0
  private var unchanged = 0
  private var example = ""
  private var evidence = Evidence()

  private struct Known: Sendable {
    /// The tag that the client was given last, and the few before it.
    var last: UInt64?
    var older: [UInt64] = []
    var id = 0
    var unchanged = 0

    func has(_ tag: UInt64) -> Bool { last == tag || older.contains(tag) }

    mutating func add(_ tag: UInt64) {
      if let last { older = older.suffix(2) + [last] }
      last = tag
    }
  }

  var interest: Traits { .tagged }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    // A stream is resumed by Last-Event-ID.
    guard seen.isGet, !seen.isWrite, !seen.isStream, let tag = seen.tag, seen.isSuccess else { return }
    let index = tags.index(of: seen.identity) ?? tags.insert(Known(), for: seen.identity)
    // A tag that the client was never given, here, is made up or from another run: it proves nothing.
    let isConditional = seen.namedTags.contains { tags.values[index].has($0) }
    if isConditional { conditional += 1 }
    guard seen.status == 200 else { return }
    let isUnchanged = tags.values[index].last == tag
    if !isConditional, isUnchanged {
      tags.values[index].unchanged += 1
      unchanged += 1
      let count = tags.values[index].unchanged
      if count == Self.maximumUnchanged {
        wasteful += 1
        if example.isEmpty { example = ReportText.request(seen) }
        evidence.add(tags.values[index].id)
      }
      if count >= Self.maximumUnchanged { evidence.add(seen.id) }
    }
    if !isUnchanged { tags.values[index].add(tag) }
    tags.values[index].id = seen.id
  }

  func finding(_ context: CheckContext) -> Finding {
    if wasteful > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(wasteful, "resource")) fetched whole three times or more although the "
          + "entity tag had not changed (\(ReportText.count(unchanged, "needless response"))): "
          + "\(example). Send the tag as If-None-Match.", evidence)
    }
    guard conditional > 0 else {
      return Finding(.notExercised, "No unchanged resource was fetched often enough to need If-None-Match.")
    }
    return Finding(
      .pass,
      "\(ReportText.count(conditional, "request")) sent a known entity tag, and no unchanged resource was fetched whole three times."
    )
  }
}
