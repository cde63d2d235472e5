import Faults
public import Foundation
import JSON

extension Backend {
  /// One exchange in the journal, or one change of state that came without a request.
  public struct Entry: Sendable, Identifiable {
    public let id: Int
    /// Rises with each change of any entry.
    public let sequence: Int
    /// The machine's time at which the request was complete.
    public let date: Date
    /// The API, or nil for a path that none has.
    public let api: API?
    /// The method; nil where the state changed without a request.
    public let method: Method?
    /// The path without labels and query.
    public let path: String
    /// The target as it was sent.
    public let target: String
    /// The number of the request among those of its method and path, from 1; nil where it was not counted.
    public let ordinal: Int?
    /// Header fields by their names as sent; secrets are masked.
    public let headers: [String: String]
    /// The request's content as text, cut at 4 KiB.
    public let body: String
    /// The plan in words, as in `reset after commit`; nil where nothing was planned.
    public let plan: String?
    /// The response's status, or nil if none was sent.
    public let status: Int?
    public let responseHeaders: [String: String]
    public let outcome: Outcome
    /// True if the state changed.
    public let isApplied: Bool
    /// The delay that was planned, and the time to the end of the response.
    public let plannedDelay: Duration, duration: Duration
    /// The entry whose request a transport sent once more.
    public let repetitionOf: Int?
    /// The change of the state without a request.
    public let event: String?
    /// The entry as the server sent it.
    public let json: Data

    /// The end of an exchange, as the journal words it.
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
      /// The client went away before the response was complete.
      public static let peerGone = Outcome(rawValue: "peer gone")
      /// The fault had nothing to damage; the whole response was sent.
      public static let notDeliverable = Outcome(rawValue: "not deliverable")
      /// The server stopped, or the sandbox was deleted.
      public static let cut = Outcome(rawValue: "cut")
      /// There was no request.
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
  /// A date and time of RFC 3339 in UTC, with a fraction of any length or none.
  init?(timestamp text: String) {
    let parts = text.dropLast(text.hasSuffix("Z") ? 1 : 0).split(separator: ".", maxSplits: 1)
    guard let whole = parts.first, let date = try? Date(whole + "Z", strategy: .iso8601) else { return nil }
    self = date + (parts.count == 2 ? Double("0." + parts[1]) ?? 0 : 0)
  }
}

extension Backend {
  /// Returns the entries of the journal, the oldest first.
  ///
  /// - Parameter sequence: Only entries that changed later than this are returned.
  public func entries(after sequence: Int = 0) async throws(BackendError) -> [Entry] {
    let bytes = try await client.send(.get, "/_mock/journal?after=\(sequence)", accept: "application/jsonl")
    return try bytes.split(separator: 0x0A).map { line throws(BackendError) in try Entry(Array(line)) }
  }

  /// Returns the requests by method and path that were received up to now, the oldest first.
  ///
  /// - Parameter path: A glob, as in ``next(_:_:until:within:)``.
  public func requests(_ method: Method, _ path: String) async throws(BackendError) -> [Entry] {
    let glob = try Self.glob(path)
    return try await entries().filter { $0.method == method && glob.matches($0.path) }
  }

  /// Returns the journal as it is written. An entry comes when it is made, and again whenever it has changed.
  public func stream(after sequence: Int = 0) -> AsyncThrowingStream<Entry, any Error> {
    stream(after: sequence, within: nil)
  }

  fileprivate func stream(after sequence: Int, within limit: Duration?) -> AsyncThrowingStream<Entry, any Error> {
    let events = client.events("/_mock/journal/stream?after=\(sequence)", within: limit)
    return AsyncThrowingStream { continuation in
      let reading = Task {
        do {
          for try await event in events { continuation.yield(try Entry(event)) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in reading.cancel() }
    }
  }

  fileprivate static func glob(_ path: String) throws(BackendError) -> PathGlob {
    guard let glob = PathGlob(path) else {
      throw .unusable("\(path) is no glob of a path: it begins with /, and has ** only as a whole segment.")
    }
    return glob
  }
}

extension Backend {
  /// The point up to which a request has come when a wait ends.
  public enum Progress: Sendable {
    /// The request is complete, and its response is pending.
    case received
    /// The exchange has ended: a response was sent, or the connection was reset or closed.
    case finished
  }

  /// Returns the next request by method and path, and waits for it if it has not come yet.
  ///
  /// The requests of a backend are given out once each, the oldest first: a request that came before the call counts, and one that an
  /// earlier call returned does not. So it makes no difference whether the app was faster than the test.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: A path in which `*` stands for any run within a segment, and a segment `**` for any number of segments.
  ///   - progress: Whether to wait for the end of the exchange or for the request alone.
  ///   - limit: The time after which `BackendError.timedOut` is thrown, which lists what came instead.
  public func next(
    _ method: Method, _ path: String, until progress: Progress = .finished, within limit: Duration
  ) async throws(BackendError) -> Entry {
    let glob = try Self.glob(path)
    var received: [Int: Entry] = [:]
    func matches(_ entry: Entry) -> Bool { entry.method == method && glob.matches(entry.path) }
    do {
      for try await entry in stream(after: 0, within: limit) where !taken.contains(entry.id) {
        received[entry.id] = entry
        guard matches(entry), progress == .received || entry.outcome != .pending else { continue }
        if taken.insert(entry.id) { return entry }
        received[entry.id] = nil
      }
      throw Task.isCancelled
        ? BackendError.cancelled : .unreachable("The journal of \(name) has ended: was it deleted?")
    } catch let error as BackendError {
      throw error
    } catch {}
    let others = received.values.filter { $0.method != nil }.sorted { $0.id < $1.id }
    throw .timedOut(
      UnmetExpectation(
        request: "\(method) \(path)", limit: limit, received: others, unanswered: others.first(where: matches)))
  }
}

/// The ids of the entries that `next` has returned.
final class TakenEntries: @unchecked Sendable {
  private let lock = NSLock()
  private var ids: Set<Int> = []

  func contains(_ id: Int) -> Bool { lock.withLock { ids.contains(id) } }

  /// Returns false if the id was there.
  func insert(_ id: Int) -> Bool { lock.withLock { ids.insert(id).inserted } }
}
