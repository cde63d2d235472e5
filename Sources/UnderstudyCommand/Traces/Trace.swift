import Contract
import JSON
import Understudy

/// Recorded exchanges: a journal, as JSON or JSON Lines, or an HTTP Archive of any tool.
struct Trace {
  /// The properties of one exchange that a scenario can reproduce.
  struct Exchange {
    let at: Instant
    let route: MockServer.Route
    /// Its number in its stream; nil if it was not counted.
    let n: Int?
    let status: Int?
    /// The time until the first byte of the response.
    let wait: Duration
    let retryAfter: Duration?
    /// The effects that were planned for it, as members of rules; nil if no plan was recorded.
    let effects: [JSONValue]?
    /// The outcome, in the journal's words.
    let outcome: String
    let isApplied: Bool
    /// The received and the announced length of the body, if the body was incomplete.
    let received: (bytes: Int, of: Int)?
    let isOffline: Bool
    /// True if the network switch held the response, so that its delay says nothing about the backend.
    let isPaused: Bool
  }

  /// The exchanges in the order of their times.
  private(set) var exchanges: [Exchange] = []
  /// The number of requests that no operation serves, so that no rule can match them.
  private(set) var foreignCount = 0

  /// The error of a file that is not a trace.
  struct TraceError: Error, CustomStringConvertible {
    let description: String
  }

  init(_ bytes: [UInt8]) throws(TraceError) {
    let entries = try Self.entries(bytes)
    for (index, entry) in entries.enumerated() where entry["event"] == nil && entry["replayOf"]?.int == nil {
      try add(entry, at: index)
    }
    exchanges.sort { $0.at < $1.at }
    guard !exchanges.isEmpty else {
      throw TraceError(
        description: foreignCount > 0
          ? "none of its \(foreignCount) requests is for a route of the five APIs" : "it has no request that ended")
    }
  }

  /// Returns the entries of a trace in the form of the journal.
  private static func entries(_ bytes: [UInt8]) throws(TraceError) -> [JSONValue] {
    if let document = try? JSONValue(parsing: bytes) {
      if let list = document["log"]?["entries"]?.array { return list.map(entry) }
      if let list = document["entries"]?.array { return list }
      if document["id"] != nil, document["at"] != nil { return [document] }
      throw TraceError(
        description: "expected a HAR file (\"log\"), a journal (\"entries\") or JSON Lines of its entries")
    }
    var entries: [JSONValue] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
      do throws(JSONSyntaxError) {
        entries.append(try JSONValue(parsing: line))
      } catch {
        throw TraceError(description: "line \(number + 1): \(error.detail)")
      }
    }
    return entries
  }

  /// Converts an entry of an HTTP Archive to the form of a journal entry.
  private static func entry(_ archived: JSONValue) -> JSONValue {
    let url = archived["request"]?["url"]?.string ?? ""
    let authority = url.range(ofScheme: "://")
    let rest = authority.map { url[$0...] } ?? url[...]
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let status = archived["response"]?["status"]?.int ?? 0
    let times = archived["timings"]
    let wait = times?["wait"]?.double.map { max(0, $0) } ?? archived["time"]?.double ?? 0
    var members = JSONValue.Object([
      JSONValue.Member("at", archived["startedDateTime"] ?? .null),
      JSONValue.Member("method", archived["request"]?["method"] ?? ""),
      JSONValue.Member("target", .string(String(rest.dropFirst(host.count)))),
      JSONValue.Member("host", .string(String(host.prefix { $0 != ":" }))),
      JSONValue.Member(
        "timing", ["actual": .string(DurationText.text(.nanoseconds(Int64(min(wait, 3.6e6) * 1_000) * 1_000)))]),
      JSONValue.Member("outcome", archived["_outcome"] ?? .string(outcome(archived, status))),
    ])
    for name in ["n", "api", "plan", "applied", "network", "replayOf"] {
      if let value = archived["_" + name] { members[name] = value }
    }
    if archived["_network"] == nil, status == 0, isUnreachable(archived) { members["network"] = "offline" }
    if status > 0 {
      let headers = archived["response"]?["headers"]?.array ?? []
      let object = headers.compactMap { header in
        header["name"]?.string.map { JSONValue.Member($0, header["value"] ?? "") }
      }
      members["response"] = ["status": .int(status), "headers": .object(JSONValue.Object(object))]
    }
    return .object(members)
  }

  private static func error(_ archived: JSONValue) -> String {
    (archived["response"]?["_error"]?.string ?? archived["_error"]?.string ?? archived["comment"]?.string ?? "")
      .lowercased()
  }

  private static func outcome(_ archived: JSONValue, _ status: Int) -> String {
    if status > 0 { return "sent" }
    let words = error(archived)
    return words.contains("timed") || words.contains("timeout") || words.contains("abort") ? "peer gone" : "reset"
  }

  private static func isUnreachable(_ archived: JSONValue) -> Bool {
    let words = error(archived)
    return ["refused", "disconnected", "unreachable", "not_resolved", "offline"].contains { words.contains($0) }
  }

  private mutating func add(_ entry: JSONValue, at index: Int) throws(TraceError) {
    guard let outcome = entry["outcome"]?.string, outcome != "pending", outcome != "cut" else { return }
    guard let text = entry["at"]?.string, let at = DateTimeText(text)?.instant else {
      throw TraceError(description: "entry \(index + 1): expected the time at which it came, as an RFC 3339 date")
    }
    let (method, target) = (entry["method"]?.string ?? "", entry["target"]?.string ?? "")
    let api = entry["api"]?.string
    guard let route = MockServer.route(method: method, target: target, api: api, host: entry["host"]?.string) else {
      foreignCount += 1
      return
    }
    let headers = entry["response"]?["headers"]?.object?.members ?? []
    let wait = headers.first { $0.name.lowercased() == "retry-after" }?.value.string.flatMap { Int64($0) }
    let (bytes, of) = (entry["response"]?["bytes"]?.int, entry["response"]?["of"]?.int)
    let fault = entry["plan"]?["fault"]?.string
    exchanges.append(
      Exchange(
        at: at, route: route, n: entry["n"]?.int, status: entry["response"]?["status"]?.int,
        wait: entry["timing"]?["actual"]?.string.flatMap { DurationText($0)?.duration } ?? .zero,
        retryAfter: wait.map { .seconds($0) }, effects: entry["plan"]?["effects"]?.array, outcome: outcome,
        isApplied: entry["applied"]?.bool ?? false,
        received: bytes.flatMap { bytes in of.flatMap { bytes < $0 ? (bytes, $0) : nil } },
        isOffline: entry["network"] == "offline" || fault == "offline", isPaused: entry["network"] == "held"))
  }
}

extension String {
  /// Returns the index after the first occurrence of a text; nil if there is none.
  fileprivate func range(ofScheme mark: String) -> String.Index? { firstRange(of: mark)?.upperBound }
}
