import JSON
import Report

/// A reader of a sandbox's journal, and its position: server-sent events (HTML standard, section 9.2).
struct JournalFollower: Sendable {
  private(set) var seq: Int

  /// The limit of work for all readers together in one turn of the loop.
  struct Budget {
    /// One unit is about 10 µs, or 1 ms in a debug build.
    private var units = 48
    /// True if content is left that could be passed on at once.
    var leavesContent = false

    var isSpent: Bool { units <= 0 }
    var remainingEntries: Int { max(0, units) }

    /// Counts the work for one reader.
    mutating func countReader(entries: Int) { units -= entries + 1 }

    /// Counts one reader that got a state of this size: rendering 1 KiB takes about as long as an entry.
    mutating func countReader(bytes: Int) { units -= 1 + bytes >> 10 }
  }

  /// The maximum number of entries per call, which bounds the unsent bytes of a slow reader.
  private static let batch = 32

  /// Returns the events since the last call; empty if there are none, or if `budget` is spent.
  mutating func events(from journal: Journal, within budget: inout Budget) -> [UInt8] {
    guard journal.lastSeq > seq, !budget.isSpent else { return [] }
    var events: [UInt8] = []
    let entries = journal.entries(after: seq, limit: min(Self.batch, budget.remainingEntries))
    for entry in entries {
      events += "id: \(entry.seq)\ndata: ".utf8
      entry.json.write(to: &events)
      events += "\n\n".utf8
    }
    seq = entries.last?.seq ?? journal.lastSeq
    budget.countReader(entries: entries.count)
    return events
  }
}
