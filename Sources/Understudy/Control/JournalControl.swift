import Contract
import HTTP1
import JSON

extension ControlService {
  static func getJournal(_ command: Command) throws(Problem) -> Response {
    let query = command.call.query
    try query.allow(["after", "before", "limit", "format"])
    let after = try query.integer("after", in: 0...Int.max)
    let before = try query.integer("before", in: 1...Int.max)
    let limit = try query.integer("limit", in: 1...Journal.maximumEntries) ?? Journal.maximumEntries
    let (journal, name) = (command.sandbox.journal, command.sandbox.name)
    let format = try JournalFormat(query["format"], command.request.combined("accept"))
    return command.respondOffLoop {
      let entries =
        before.map { journal.entries(before: $0, after: after ?? 0, limit: limit) }
        ?? journal.entries(after: after ?? 0, limit: limit)
      return Response(200, format.representation(of: entries, journal, name), fields: [ResponseField("Vary", "Accept")])
    }
  }

  /// Returns the journal as a live stream. After a lost connection a reader resumes with `Last-Event-ID`.
  static func streamJournal(_ command: Command) throws(Problem) -> Response {
    let query = command.call.query
    try query.allow(["after"])
    let last = command.request.value(named: "Last-Event-ID").flatMap { Int(command.request.text($0)) }
    let asked = try query.integer("after", in: 0...Int.max)
    let newest = command.sandbox.journal.lastSeq
    let after = last ?? asked ?? newest
    var response = Response(200)
    // A position after the newest entry belongs to another server's journal, before a restart, so the reader gets
    // everything.
    response.follower = .journal(
      JournalFollower(sandbox: command.sandbox.name, seq: after > newest ? 0 : max(0, after)))
    return response
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

    /// Counts the work for one reader.
    mutating func countReader(entries: Int) {
      units -= entries + 1
      writtenEntries += entries
    }

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
      journal.json(entry).write(to: &events)
      events += "\n\n".utf8
    }
    seq = entries.last?.seq ?? journal.lastSeq
    budget.countReader(entries: entries.count)
    return events
  }
}

/// The formats of the journal.
enum JournalFormat: String, CaseIterable {
  case json, jsonl, har

  private var mediaType: MediaType {
    switch self {
    case .json: .json
    case .jsonl: .jsonLines
    case .har: .archive
    }
  }

  /// - Parameters:
  ///   - name: The format in the query, if there is one.
  ///   - accept: The value of `Accept`; of the formats with the greatest weight, the first is chosen, but JSON Lines
  ///     before JSON.
  init(_ name: String?, _ accept: String?) throws(Problem) {
    if let name {
      guard let format = Self(rawValue: name) else {
        let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
        throw .parameter("format", "expected one of \(names), found \(name)")
      }
      self = format
      return
    }
    let accept = Accept(accept ?? "")
    let weights = Self.allCases.map { ($0, accept.weight(ofNamed: $0.mediaType.rawValue) ?? 0) }
    let best = weights.reduce((Self.json, 0)) { best, next in
      // If JSON Lines and JSON have the same weight, JSON Lines are chosen: a client that lists them can read them.
      next.1 > best.1 || next.1 == best.1 && next.1 > 0 && next.0 == .jsonl ? next : best
    }
    self = best.0
  }

  func representation(of entries: [JournalEntry], _ journal: Journal, _ sandbox: String) -> Representation {
    switch self {
    case .json:
      var text = Array("{\"entries\":".utf8)
      text.appendList(of: entries) { journal.json($0) }
      text += "}".utf8
      return Representation(text, mediaType)
    case .har: return Representation(journal.archive(entries, of: sandbox), mediaType)
    case .jsonl:
      var lines: [UInt8] = []
      for entry in entries {
        journal.json(entry).write(to: &lines)
        lines.append(UInt8(ascii: "\n"))
      }
      return Representation(lines, mediaType)
    }
  }
}
