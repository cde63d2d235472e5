import Contract
import HTTP1
import JSON

extension ControlBehaviour {
  static func getJournal(_ command: Command) throws(Problem) -> Reply {
    let query = command.call.query
    try query.allow(["after", "limit"])
    let after = try query.integer("after", in: 0...Int.max) ?? 0
    let limit = try query.integer("limit", in: 1...Journal.mostEntries) ?? Journal.mostEntries
    let journal = command.sandbox.journal
    let accept = Accept(command.request.combined("accept") ?? "")
    let weight = accept.weight(ofNamed: "application/jsonl") ?? 0
    let isInLines = weight > 0 && weight >= accept.weight(ofNamed: "application/json") ?? 0
    return command.made {
      let entries = journal.entries(after: after, limit: limit).map { journal.json($0) }
      let vary = [ReplyField("Vary", "Accept")]
      guard isInLines else { return Reply(200, Representation(["entries": .array(entries)]), fields: vary) }
      var lines: [UInt8] = []
      for entry in entries {
        entry.write(to: &lines)
        lines.append(UInt8(ascii: "\n"))
      }
      return Reply(200, Representation(lines, .jsonLines), fields: vary)
    }
  }

  /// Returns the journal as a live stream. A reader that lost its connection resumes by `Last-Event-ID`.
  static func streamJournal(_ command: Command) throws(Problem) -> Reply {
    let query = command.call.query
    try query.allow(["after"])
    let last = command.request.value(named: "Last-Event-ID").flatMap { Int(command.request.text($0)) }
    let asked = try query.integer("after", in: 0...Int.max)
    let newest = command.sandbox.journal.lastSeq
    let after = last ?? asked ?? newest
    var reply = Reply(200)
    // A position after the newest entry belongs to another server's journal, before a restart, so the reader gets
    // everything.
    reply.follower = JournalFollower(sandbox: command.sandbox.name, seq: after > newest ? 0 : max(0, after))
    return reply
  }
}

/// A reader of a sandbox's journal, and its position: server-sent events (HTML standard, section 9.2).
struct JournalFollower: Sendable {
  let sandbox: String
  private(set) var seq: Int

  init(sandbox: String, seq: Int) {
    self.sandbox = sandbox
    self.seq = seq
  }

  /// The limit of work for all readers together in one turn of the loop.
  struct Budget {
    /// One unit is about 10 µs, or 1 ms in a debug build.
    private var units = 48
    private(set) var writtenEntries = 0

    var isSpent: Bool { units <= 0 }
    var remainingEntries: Int { max(0, units) }

    /// Counts one reader that got entries.
    mutating func countReader(entries: Int) {
      units -= entries + 1
      writtenEntries += entries
    }
  }

  /// The number of entries per event batch; a slow reader may leave this many unsent.
  private static let batch = 32

  /// Returns the events since the last call; none if there are none, or if `budget` is spent.
  mutating func events(from journal: Journal, within budget: inout Budget) -> [UInt8] {
    guard journal.lastSeq > seq, !budget.isSpent else { return [] }
    var events: [UInt8] = []
    let entries = journal.entries(after: seq, limit: min(Self.batch, budget.remainingEntries))
    for entry in entries {
      events += "id: \(entry.seq)\ndata: ".utf8
      journal.json(entry).write(to: &events)
      events += "\n\n".utf8
    }
    seq = entries.last?.seq ?? journal.lastSeq
    budget.countReader(entries: entries.count)
    return events
  }
}
