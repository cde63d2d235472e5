import Faults
public import Foundation
import JSON

extension Backend {
  /// An entry of the journal: an exchange, or a change of state without a request.
  public struct Entry: Sendable, Identifiable {
    public let id: Int
    /// Increases with each change of any entry.
    public let sequence: Int
    /// The server's wall-clock time at which the request was complete.
    public let date: Date
    /// The API; nil if no API has the path.
    public let api: API?
    /// The method; nil for a change of state without a request.
    public let method: Method?
    /// The path without labels and query.
    public let path: String
    /// The target as it was sent.
    public let target: String
    /// The number of the request among those with the same method and path, starting at 1; nil if it was not counted.
    public let ordinal: Int?
    /// Header fields by their names as sent. A server outside of this process masks secrets.
    public let headers: [String: String]
    /// The request's body as text, truncated at 4 KiB.
    public let body: String
    /// The plan in words, such as `reset after commit`; nil if nothing was planned.
    public let plan: String?
    /// The response's status, or nil if none was sent.
    public let status: Int?
    public let responseHeaders: [String: String]
    /// The response's body as it was sent, truncated at 4 KiB, if a fault changed or cut it, or with `--journal-bodies`; else nil.
    public let responseBody: String?
    public let outcome: Outcome
    /// True if the state changed.
    public let isApplied: Bool
    /// The planned delay, and the time from the request to the end of the response.
    public let plannedDelay: Duration, duration: Duration
    /// The id of the entry whose request the client's transport sent again; nil if this is no repetition.
    public let repetitionOf: Int?
    /// The kind of a change without a request, such as `reset`; nil for an exchange.
    public let event: String?
    /// The entry's JSON as the server sent it.
    public let json: Data

    /// The outcome of an exchange, in the journal's words.
    public struct Outcome: RawRepresentable, Sendable, Hashable {
      public let rawValue: String

      public init(rawValue: String) { self.rawValue = rawValue }

      /// The response is not complete yet.
      public static let pending = Outcome(rawValue: "pending")
      /// The whole response was sent.
      public static let sent = Outcome(rawValue: "sent")
      /// The connection was reset.
      public static let reset = Outcome(rawValue: "reset")
      /// The connection was closed before the response was complete.
      public static let closed = Outcome(rawValue: "closed")
      /// The client closed the connection before the response was complete.
      public static let peerGone = Outcome(rawValue: "peer gone")
      /// The fault could not be applied to the response, which was sent unchanged.
      public static let notDeliverable = Outcome(rawValue: "not deliverable")
      /// The server stopped, or the sandbox was deleted.
      public static let cut = Outcome(rawValue: "cut")
      /// The entry is a change of state without a request.
      public static let event = Outcome(rawValue: "event")
    }

    /// The entry in one line, as in `PATCH /devices/A → 200 (#3, reset after commit)`.
    public var summary: String {
      guard let method else { return "\(event ?? "event") (#\(id))" }
      let end = status.map(String.init) ?? outcome.rawValue
      return "\(method) \(path)\(target.drop { $0 != "?" }) → \(end) (#\(id)\(plan.map { ", " + $0 } ?? ""))"
    }
  }
}

extension Backend.Entry {
  init(_ bytes: [UInt8]) throws(BackendError) {
    let entry = try JSONValue(response: bytes)
    guard let id = entry["id"]?.int, let sequence = entry["seq"]?.int,
      let date = entry["at"]?.string.flatMap(Date.init(timestamp:))
    else { throw .unusable("The server's journal has an entry without id, seq or at.") }
    (self.id, self.sequence, self.date, json) = (id, sequence, date, Data(bytes))
    api = entry["api"]?.string.map { Backend.API(rawValue: $0) }
    method = entry["method"]?.string.map { Backend.Method(rawValue: $0) }
    (path, target) = (entry["path"]?.string ?? "", entry["target"]?.string ?? "")
    ordinal = entry["n"]?.int
    headers = Self.fields(entry["request"])
    body = entry["request"]?["body"]?.string ?? ""
    plan = entry["plan"]?["words"]?.string
    status = entry["response"]?["status"]?.int
    responseHeaders = Self.fields(entry["response"])
    responseBody = entry["response"]?["body"]?.string
    event = entry["event"]?.string
    outcome = entry["outcome"]?.string.map { Outcome(rawValue: $0) } ?? (event == nil ? .pending : .event)
    isApplied = entry["applied"]?.bool ?? false
    plannedDelay = Self.duration(entry["timing"]?["planned"])
    duration = Self.duration(entry["timing"]?["total"])
    repetitionOf = entry["replayOf"]?.int
  }

  private static func fields(_ message: JSONValue?) -> [String: String] {
    let members = message?["headers"]?.object?.members ?? []
    return Dictionary(members.map { ($0.name, $0.value.string ?? "") }, uniquingKeysWith: { first, _ in first })
  }

  private static func duration(_ value: JSONValue?) -> Duration {
    value?.string.flatMap(DurationText.init)?.duration ?? .zero
  }
}

extension Date {
  /// Parses an RFC 3339 date-time in UTC, with a fraction of any length or none.
  init?(timestamp text: String) {
    let parts = text.dropLast(text.hasSuffix("Z") ? 1 : 0).split(separator: ".", maxSplits: 1)
    guard let whole = parts.first, let date = try? Date(whole + "Z", strategy: .iso8601) else { return nil }
    self = date + (parts.count == 2 ? Double("0." + parts[1]) ?? 0 : 0)
  }
}

extension Backend {
  /// Returns the entries of the journal, the oldest first.
  ///
  /// - Parameter sequence: Only entries with a greater sequence number are returned.
  public func entries(after sequence: Int = 0) async throws(BackendError) -> [Entry] {
    let bytes = try await client.send(.get, "/_mock/journal?after=\(sequence)", accept: "application/jsonl")
    return try bytes.split(separator: 0x0A).map { line throws(BackendError) in try Entry(Array(line)) }
  }

  /// Returns the requests received so far with this method and path, the oldest first.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: A glob, as in ``next(_:_:until:within:)``.
  public func requests(_ method: Method, _ path: String) async throws(BackendError) -> [Entry] {
    let glob = try Self.glob(path)
    return try await entries().filter { $0.method == method && glob.matches($0.path) }
  }

  /// Returns the journal as a stream. An entry is sent when it is created, and again after each change.
  public func stream(after sequence: Int = 0) -> AsyncThrowingStream<Entry, any Error> {
    stream(after: sequence, within: Self.lifetime)
  }

  /// A time that no process reaches.
  private static let lifetime = Duration.seconds(1 << 40)

  fileprivate func stream(after sequence: Int, within limit: Duration) -> AsyncThrowingStream<Entry, any Error> {
    client.events("/_mock/journal/stream?after=\(sequence)", within: limit) { event throws(BackendError) in
      try Entry(event)
    }
  }

  fileprivate static func glob(_ path: String) throws(BackendError) -> PathGlob {
    guard let glob = PathGlob(path) else {
      throw .unusable("\(path) is not a glob of a path: it must begin with /, and have ** only as a whole segment.")
    }
    return glob
  }
}

extension Backend {
  /// The progress of a request at which a wait ends.
  public enum Progress: Sendable {
    /// The request is complete, and its response is pending.
    case received
    /// The exchange has ended: a response was sent, or the connection was reset or closed.
    case finished
  }

  /// Returns the next request with this method and path, and waits for it if it has not arrived yet.
  ///
  /// Each request is returned once, the oldest first: a request that arrived before the call counts, and one that an
  /// earlier call returned does not. So the result does not depend on whether the app or the test was faster.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: A path in which `*` matches any run of characters within a segment, and a segment `**` any number of
  ///     segments.
  ///   - progress: The progress to wait for: the end of the exchange, or only the complete request.
  ///   - limit: The time after which `BackendError.timedOut` is thrown; it lists the requests that arrived instead.
  public func next(
    _ method: Method, _ path: String, until progress: Progress = .finished, within limit: Duration
  ) async throws(BackendError) -> Entry {
    let glob = try Self.glob(path)
    func matches(_ entry: Entry) -> Bool { entry.method == method && glob.matches(entry.path) }
    func isAwaited(_ entry: Entry) -> Bool { matches(entry) && (progress == .received || entry.outcome != .pending) }
    do {
      // Reads the entries so far first: a reset among them discards the requests that earlier calls have seen.
      inbox.add(try await entries(after: inbox.lastSequence))
      // The start of the stream is fixed before the search, so that the stream also contains what a concurrent call
      // adds after it.
      let start = inbox.lastSequence
      if let entry = inbox.removeFirst(where: isAwaited) { return entry }
      for try await entry in stream(after: start, within: limit) {
        inbox.add([entry])
        if let entry = inbox.removeFirst(where: isAwaited) { return entry }
      }
      throw Task.isCancelled
        ? BackendError.cancelled
        : .unreachable(
          "The journal of \(name) has ended; the sandbox may have been "
            + "deleted.")
    } catch let error as BackendError {
      throw error
    } catch {}
    let others = inbox.requests
    throw .timedOut(
      UnmetExpectation(
        request: "\(method) \(path)", limit: limit, received: others, unanswered: others.first(where: matches)))
  }
}

/// The requests that `next` has seen but not returned. All copies of a `Backend` share one inbox.
final class Inbox: @unchecked Sendable {
  private let lock = NSLock()
  private var waiting: [Int: Backend.Entry] = [:]
  private var taken: Set<Int> = []
  private var newest = 0

  /// The position in the journal up to which it has been read.
  var lastSequence: Int { lock.withLock { newest } }

  /// The requests in the order of arrival.
  var requests: [Backend.Entry] { lock.withLock { waiting.values.sorted { $0.id < $1.id } } }

  /// Adds entries in the order of the journal, except those that a concurrent call has already added.
  func add(_ entries: [Backend.Entry]) {
    lock.withLock {
      for entry in entries where entry.sequence > newest {
        newest = entry.sequence
        if entry.event == Self.reset {
          waiting = waiting.filter { $0.key > entry.id }
        } else if entry.method != nil, !taken.contains(entry.id) {
          waiting[entry.id] = entry
        }
      }
    }
  }

  /// Removes and returns the oldest request that matches.
  func removeFirst(where matches: (Backend.Entry) -> Bool) -> Backend.Entry? {
    lock.withLock {
      guard let entry = waiting.values.filter(matches).min(by: { $0.id < $1.id }) else { return nil }
      waiting[entry.id] = nil
      taken.insert(entry.id)
      return entry
    }
  }

  /// The event that begins a journal after a reset.
  private static let reset = "reset"
}
