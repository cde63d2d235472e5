import Contract
import HTTP1
import JSON
import Report
import Services

extension ControlService {
  static func getJournal(_ command: Command) throws(Problem) -> Performance {
    let query = command.call.query
    try query.allow(["after", "before", "limit", "format"])
    let after = try query.integer("after", in: 0...Int.max)
    let before = try query.integer("before", in: 1...Int.max)
    let limit = try query.integer("limit", in: 1...Journal.maximumEntries) ?? Journal.maximumEntries
    let sandbox = command.sandbox
    let format = try JournalFormat(query["format"], command.accept)
    let content = ["journal", format.rawValue] + [after ?? 0, before ?? 0, limit].map(String.init)
    return .rendering(
      limit <= pageSize ? .loop : .worker,
      as: RenderingKey(content, of: sandbox, version: sandbox.traffic.exchangeLog.journal.lastSeq)
    ) {
      let (journal, name) = (sandbox.traffic.journal, sandbox.name)
      return {
        let entries =
          before.map { journal.entries(before: $0, after: after ?? 0, limit: limit) }
          ?? journal.entries(after: after ?? 0, limit: limit)
        return Response(
          200, format.representation(of: entries, name), fields: [ResponseField("Vary", "Accept")])
      }
    }
  }

  /// The number of entries that are rendered in a few milliseconds.
  private static let pageSize = 200

  /// Returns the journal as a live stream. After a lost connection a reader resumes with `Last-Event-ID` or `lastEventId`.
  static func streamJournal(_ command: Command) throws(Problem) -> Response {
    let query = command.call.query
    try query.allow(["after"] + Query.lastEventNames)
    let last = command.lastEventID.flatMap { Int($0) }
    let asked = try query.integer("after", in: 0...Int.max)
    let newest = command.sandbox.traffic.journal.lastSeq
    let after = last ?? asked ?? newest
    var response = Response(200)
    // A position after the newest entry belongs to another server's journal, before a restart, so the reader gets
    // everything.
    response.follower = .journal(
      JournalFollower(seq: after > newest ? 0 : max(0, after)))
    return response
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

  func representation(of entries: [Entry], _ sandbox: String) -> Representation {
    switch self {
    case .json:
      var text = Array("{\"entries\":".utf8)
      text.appendList(of: entries) { $0.json }
      text += "}".utf8
      return Representation(text, mediaType)
    case .har: return Representation(HAR.archive(entries, of: sandbox), mediaType)
    case .jsonl:
      var lines: [UInt8] = []
      for entry in entries {
        entry.json.write(to: &lines)
        lines.append(UInt8(ascii: "\n"))
      }
      return Representation(lines, mediaType)
    }
  }
}
