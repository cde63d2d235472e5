import Contract
import Exploration
import JSON
import Understudy

/// Recorded exchanges: a journal, as JSON or JSON Lines, or an HTTP Archive of any tool.
struct Trace {
  /// The maximum size of a file.
  static let maximumBytes = 512 << 20

  /// The properties of one exchange that a scenario can reproduce.
  struct Exchange {
    var at: Instant
    var route: MockServer.Route
    /// Its number in its stream; nil if it was not counted.
    let n: Int?
    let status: Int?
    /// The time until the first byte of the response; nil if it is not known.
    let wait: Duration?
    /// The time from the first byte of the body to the last.
    let receive: Duration
    let retryAfter: Wait?
    /// The effects that were planned for it, as members of rules; nil if no plan was recorded.
    let effects: [JSONValue]?
    /// The outcome, in the journal's words.
    let outcome: String
    let isApplied: Bool
    /// The number of bytes of the body that were received, and the number that was announced; nil if they are not
    /// known.
    let body: (received: Int, announced: Int)?
    let isOffline: Bool
    /// True if the network switch held the response, so that its delay says nothing about the backend.
    let isPaused: Bool
  }

  /// The value of `Retry-After`.
  struct Wait {
    let duration: Duration
    /// True if it was given as a date.
    let isDate: Bool
  }

  /// The reason for which an entry says nothing about the backend.
  enum Omission: Int, CaseIterable {
    case foreign, unsent, cancelled, cached, unfinished, unreadable, inexact

    /// The end of a sentence about entries that are left out for this reason.
    ///
    /// - Parameter backend: The backend of the trace; nil if it is about the five APIs.
    func clause(of backend: String?) -> String {
      switch self {
      case .foreign:
        backend.map { "to another server than \($0)" } ?? "for which no operation of the five APIs is declared"
      case .unsent: "that the client blocked or never sent"
      case .cancelled: "that the client cancelled"
      case .cached: "that a cache, a service worker or a test answered"
      case .unfinished: "without a response and without a reason"
      case .unreadable: "whose URL, time or status cannot be read"
      case .inexact: "whose path no rule can name, as it has a * or is too long"
      }
    }
  }

  /// The exchanges in the order of their times.
  private(set) var exchanges: [Exchange] = []
  /// The numbers of the entries that were left out, counted from 1.
  private(set) var omitted: [Omission: [Int]] = [:]
  /// The backend whose requests are read; nil for those to the five APIs.
  private let backend: String?
  /// True if each request is to be planned as it was recorded, instead of by ratios.
  let isExact: Bool

  /// The error of a file that is not a trace.
  struct TraceError: Error, CustomStringConvertible {
    let description: String
  }

  init(
    _ bytes: [UInt8], _ routes: MockServer.RecordedRoutes = MockServer.RecordedRoutes(), isExact: Bool = false
  ) throws(TraceError) {
    let recording = try Recording(bytes)
    backend = routes.backend
    self.isExact = isExact
    var defect: String?
    for (index, entry) in recording.entries.enumerated() {
      let read: Reading
      switch recording.format {
      case .archive: read = ArchivedEntry(entry, by: recording.creator).reading(routes)
      case .journal: read = JournalledEntry(entry).reading(routes)
      }
      switch read {
      case .exchange(let exchange) where isExact && !exchange.route.hasExactPath:
        omitted[.inexact, default: []].append(index + 1)
      case .exchange(let exchange): exchanges.append(exchange)
      case .omitted(let reason): omitted[reason, default: []].append(index + 1)
      case .unreadable(let detail):
        defect = defect ?? "entry \(index + 1): \(detail)"
        omitted[.unreadable, default: []].append(index + 1)
      case .nothing: break
      }
    }
    for line in recording.unreadableLines { omitted[.unreadable, default: []].append(line) }
    guard !exchanges.isEmpty else {
      let reasons = (defect.map { [$0] } ?? []) + remarks
      throw TraceError(
        description: reasons.isEmpty
          ? "it has no request that ended"
          : "no request tells about the backend: " + reasons.joined(separator: "; "))
    }
    exchanges.sort { $0.at < $1.at }
    removePauses()
    if backend != nil { findGlobs() }
  }

  /// The number of requests that no operation serves, so that no rule can match them.
  var foreignCount: Int { omitted[.foreign]?.count ?? 0 }

  /// The result of reading an entry.
  enum Reading {
    case exchange(Exchange)
    case omitted(Omission)
    /// It is left out because of a defect.
    case unreadable(String)
    /// It is no request, or a repetition by the transport.
    case nothing
  }

  /// The remarks on entries that were left out, one for each reason.
  var remarks: [String] {
    Omission.allCases.compactMap { reason in
      guard let numbers = omitted[reason]?.sorted(), !numbers.isEmpty else { return nil }
      let shown = numbers.prefix(Self.maximumShown).map(String.init).joined(separator: ", ")
      let rest = numbers.count > Self.maximumShown ? " and \(numbers.count - Self.maximumShown) more" : ""
      let (noun, list) = numbers.count == 1 ? ("request", "entry") : ("requests", "entries")
      let advice = reason == .foreign && backend == nil ? "; for those to another backend, add --upstream URL" : ""
      return
        "left out \(numbers.count) \(noun) \(reason.clause(of: backend)) (\(list) \(shown)\(rest))\(advice)"
    }
  }

  /// Finds the globs of a backend's paths, whose operations are not known.
  private mutating func findGlobs() {
    let paths = RecordedPaths(exchanges.map(\.route.path))
    for index in exchanges.indices { exchanges[index].route.glob = paths.glob(of: exchanges[index].route.path) }
  }

  /// The maximum number of entries that a remark names.
  private static let maximumShown = 20

  /// A longer pause separates two recordings, whose times are not related.
  private static let maximumPause = Duration.seconds(86_400)

  /// Lets each recording begin where the one before it ended.
  private mutating func removePauses() {
    var removed = Duration.zero
    var last = exchanges.first?.at
    for index in exchanges.indices {
      let at = exchanges[index].at
      if let last, at - last > Self.maximumPause { removed += at - last }
      last = at
      exchanges[index].at = at + (.zero - removed)
    }
  }
}

/// The entries of a file.
struct Recording {
  enum Format {
    case archive, journal
  }

  let format: Format
  let entries: [JSONValue]
  /// The program that made the archive.
  var creator = ""
  /// The numbers of the lines of a journal that are not JSON.
  var unreadableLines: [Int] = []

  init(_ bytes: [UInt8]) throws(Trace.TraceError) {
    let document: JSONValue
    do throws(JSONFileError) {
      document = try JSONValue(file: bytes, asRecording: true)
    } catch {
      let lines = Self.lines(bytes)
      guard lines.values.contains(where: { $0["outcome"] != nil || $0["event"] != nil }) else {
        throw Trace.TraceError(
          description: "line \(error.position.line), column \(error.position.column): \(error.detail)")
      }
      (format, entries, unreadableLines) = (.journal, lines.values, lines.unreadable)
      return
    }
    if let log = document["log"], let list = log["entries"]?.array {
      (format, entries) = (.archive, list)
      creator = log["creator"]?["name"]?.string ?? ""
    } else if let list = document["entries"]?.array {
      (format, entries) = (.journal, list)
    } else if document["id"] != nil, document["at"] != nil {
      (format, entries) = (.journal, [document])
    } else {
      throw Trace.TraceError(
        description: "expected a HAR file (\"log\"), a journal (\"entries\") or JSON Lines of its entries")
    }
  }

  private static func lines(_ bytes: [UInt8]) -> (values: [JSONValue], unreadable: [Int]) {
    var values: [JSONValue] = []
    var unreadable: [Int] = []
    let lines = bytes.withoutByteOrderMark.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
      if let value = try? JSONValue(file: Array(line), asRecording: true) {
        values.append(value)
      } else {
        unreadable.append(number + 1)
        // Of a file of another format no line is an entry; a recording has few bad ones.
        if values.isEmpty, unreadable.count > 10 { break }
      }
    }
    return (values, unreadable)
  }
}

/// An entry of a journal.
struct JournalledEntry {
  private let entry: JSONValue

  init(_ entry: JSONValue) { self.entry = entry }

  func reading(_ routes: MockServer.RecordedRoutes) -> Trace.Reading {
    guard entry["event"] == nil, entry["replayOf"]?.int == nil, let outcome = entry["outcome"]?.string,
      outcome != "pending", outcome != "cut"
    else { return .nothing }
    guard let method = entry["method"]?.string, let target = entry["target"]?.string else {
      return .unreadable("expected a request with its method and target")
    }
    guard let at = entry["at"].flatMap(RecordedTime.instant) else {
      return .unreadable("expected an RFC 3339 date in \"at\"")
    }
    guard let route = routes.route(method: method, target: target, api: entry["api"]?.string) else {
      return .omitted(.foreign)
    }
    let (plan, network) = (entry["plan"], entry["network"])
    let effects = plan?["effects"]?.array
    // Nothing was planned for which the client could have left.
    if outcome == "peer gone", effects?.isEmpty != false, network == nil { return .omitted(.cancelled) }
    let response = entry["response"]
    let headers = response?["headers"]?.object?.members ?? []
    func field(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value.string }
    let timing = entry["timing"]
    // A stream of events is open as long as its reader wants.
    let isStream = field("content-type")?.hasPrefix("text/event-stream") == true
    func duration(_ name: String) -> Duration? { timing?[name]?.string.flatMap { DurationText($0)?.duration } }
    let wait = duration("actual")
    var body: (Int, Int)?
    if let bytes = response?["bytes"]?.int, let of = response?["of"]?.int { body = (bytes, of) }
    return .exchange(
      Trace.Exchange(
        at: at, route: route, n: entry["n"]?.int, status: response?["status"]?.int, wait: wait,
        receive: isStream ? .zero : max(.zero, (duration("total") ?? .zero) - (wait ?? .zero)),
        retryAfter: Trace.Wait(field("retry-after"), date: field("date"), since: at), effects: effects,
        outcome: outcome,
        isApplied: entry["applied"]?.bool ?? false, body: body,
        isOffline: network == "offline" || plan?["fault"] == "offline", isPaused: network == "held"))
  }
}
