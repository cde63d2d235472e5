import Contract
import JSON
import Understudy

/// An entry of an HTTP Archive (HAR 1.2), as browsers, proxies and test tools write it.
///
/// The format has no member for a request that failed, so that each tool has its own (`Dialects`). This server's own
/// archives have the members of the journal, with an underscore.
struct ArchivedEntry {
  private let entry: JSONValue
  private let request: JSONValue
  private let response: JSONValue
  private let creator: String

  init(_ entry: JSONValue, by creator: String) {
    self.entry = entry
    self.creator = creator
    request = entry["request"] ?? .null
    response = entry["response"] ?? .null
  }

  func reading(_ routes: MockServer.RecordedRoutes) -> Trace.Reading {
    guard entry["_replayOf"]?.int == nil else { return .nothing }
    guard let method = request["method"]?.string, let url = request["url"]?.string else {
      return .unreadable("expected a request with its method and URL")
    }
    let (host, target) = Self.parts(of: url)
    // An archive that this server wrote in front of the backend has this server's origin in its URLs.
    let isOwn = routes.backend != nil && entry["_outcome"] != nil
    let recorded = isOwn ? nil : MockServer.RecordedURL(url, host: host)
    guard
      let route = routes.route(
        method: method.uppercased(), target: target, api: entry["_api"]?.string, url: recorded)
    else { return .omitted(.foreign) }
    if isCached { return .omitted(.cached) }
    guard let at = entry["startedDateTime"].flatMap(RecordedTime.instant) else {
      return .unreadable("expected an RFC 3339 date in \"startedDateTime\"")
    }
    guard hasPlausibleTimes else { return .unreadable("expected times of at most a day, in milliseconds") }
    let end: End
    do throws(Left) {
      end = try self.end(method)
    } catch {
      guard error.reason == .unreadable else { return .omitted(error.reason) }
      return .unreadable("expected a status from 100 to 599")
    }
    return .exchange(
      Trace.Exchange(
        at: at, route: route, n: entry["_n"]?.int, status: end.status, wait: wait, receive: receive,
        retryAfter: Trace.Wait(field("retry-after"), date: field("date"), since: at),
        effects: entry["_plan"]?["effects"]?.array, outcome: end.outcome, isApplied: entry["_applied"]?.bool ?? false,
        body: end.body, isOffline: end.isOffline || isPlannedOffline, isPaused: entry["_network"] == "held"))
  }

  /// Returns the host of a URL without its port, and the target.
  private static func parts(of url: String) -> (host: String, target: String) {
    let text = url.utf8.prefix { $0 != UInt8(ascii: "#") }
    let scheme = text.prefix { $0 != UInt8(ascii: ":") }
    let afterScheme = text[scheme.endIndex...]
    let rest = afterScheme.starts(with: "://".utf8) ? afterScheme.dropFirst(3) : text
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let host = authority.split(separator: UInt8(ascii: "@")).last ?? authority[authority.endIndex...]
    return (
      Substring(host.prefix { $0 != UInt8(ascii: ":") }).lowercased(), String(Substring(rest[authority.endIndex...]))
    )
  }

  private var isPlannedOffline: Bool { entry["_network"] == "offline" || entry["_plan"]?["fault"] == "offline" }
}

extension ArchivedEntry {
  /// The members with which tools say what HAR has no member for, each as the names on the way to it from the entry.
  private enum Dialects {
    /// Their text says why the exchange failed: Chrome's and Safari's, Playwright's, those of proxies, Charles'.
    static let reasons = [
      ["response", "_error"], ["response", "_failureText"], ["_error"], ["_failureText"],
      ["response", "_charlesStatus"], ["_charlesStatus"],
    ]
    /// The same where there is no response; elsewhere they are its text.
    static let reasonsWithoutResponse = [["response", "comment"], ["comment"], ["response", "statusText"]]
    /// The client cancelled the request: Playwright's.
    static let cancelled = [["_wasAborted"]]
    /// A test, a cache or a service worker gave the response instead of the backend: Playwright's, Chrome's, Safari's.
    static let cached = [["_wasFulfilled"], ["_fromCache"], ["_fetchType"]]
    /// The texts of these members that say nothing of the kind, in small letters.
    static let meaningless: Set = ["", "complete", "network load"]
  }

  /// Returns the first of these members that says something; nil if none does.
  private func value(_ members: [[String]]) -> JSONValue? {
    members.lazy.compactMap { path in path.reduce(Optional(entry)) { $0?[$1] } }.first { value in
      value != .null && value != false && !Dialects.meaningless.contains(value.string?.lowercased() ?? "?")
    }
  }
}

extension ArchivedEntry {
  /// The end of the exchange.
  private struct End {
    let status: Int?
    /// In the journal's words.
    let outcome: String
    var body: (received: Int, announced: Int)?
    var isOffline = false
  }

  /// The reason why the exchange says nothing about the backend.
  private struct Left: Error {
    let reason: Trace.Omission
  }

  private func end(_ method: String) throws(Left) -> End {
    let status = try status
    if let outcome = entry["_outcome"]?.string {
      let isOwn = outcome == "peer gone" && entry["_plan"] == nil && entry["_network"] == nil
      if isOwn || outcome == "cut" || outcome == "pending" { throw Left(reason: .cancelled) }
      return End(status: status, outcome: outcome, body: ownBody)
    }
    if value(Dialects.cancelled) != nil { throw Left(reason: .cancelled) }
    let failure = reason.map { RecordedFailure($0) }
    guard let status else {
      switch failure {
      case .cancelled: throw Left(reason: .cancelled)
      case .unsent: throw Left(reason: .unsent)
      case .unfinished: throw Left(reason: .unfinished)
      case .unreachable: return End(status: nil, outcome: "reset", isOffline: true)
      case .late: return End(status: nil, outcome: "peer gone")
      case .closed: return End(status: nil, outcome: "closed")
      case .lost: return End(status: nil, outcome: "reset")
      case nil:
        // Without a reason only the time of waiting proves that the request was sent.
        guard let wait, wait > .zero else { throw Left(reason: .unfinished) }
        return End(status: nil, outcome: "reset")
      }
    }
    let size = body(of: method, status)
    // An error status tells more than the failure that a tool made of it.
    guard status < 400, let failure else {
      let isCut = size.map { $0.received < $0.announced } ?? false
      return End(status: status, outcome: isCut ? "closed" : "sent", body: size)
    }
    switch failure {
    case .cancelled: throw Left(reason: .cancelled)
    case .unsent: throw Left(reason: .unsent)
    case .unfinished: throw Left(reason: .unfinished)
    case .unreachable, .late, .closed, .lost:
      return End(status: status, outcome: "closed", body: size.flatMap { $0.received < $0.announced ? $0 : nil })
    }
  }

  /// The status; nil if there was no response.
  private var status: Int? {
    get throws(Left) {
      let member = response["status"] ?? .null
      let number = RecordedNumber.number(member)
      guard number != nil || member == .null else { throw Left(reason: .unreadable) }
      let value = number ?? 0
      // Tools write 0, -1 or 999 where there is none.
      if value < 1 || value > 599 && reason != nil { return nil }
      guard value >= 100, value < 600, value == value.rounded(.down) else { throw Left(reason: .unreadable) }
      return Int(value)
    }
  }

  /// The words in which the tool says why the exchange failed.
  private var reason: String? {
    let hasResponse = (response["status"].flatMap(RecordedNumber.number) ?? 0) >= 100
    let value = value(Dialects.reasons) ?? (hasResponse ? nil : value(Dialects.reasonsWithoutResponse))
    return value.map { $0.string ?? $0.text }
  }

  /// True if the response came from a cache, from a service worker or from a test instead of the backend.
  private var isCached: Bool {
    if value(Dialects.cached) != nil { return true }
    // Safari says whence each response came.
    if entry["_fetchType"] != nil { return false }
    if response["_fetchedViaServiceWorker"]?.bool == true, response["_serviceWorkerResponseSource"] != "network" {
      return true
    }
    let status = response["status"].flatMap(RecordedNumber.number) ?? 0
    guard status >= 200, status != 304, reason == nil else { return false }
    let transferred = response["_transferSize"].flatMap(RecordedNumber.number)
    if transferred == 0 { return true }
    let cache = entry["cache"]
    let hasEntry = cache?["beforeRequest"] != nil || cache?["afterRequest"] != nil
    guard hasEntry else { return false }
    // Firefox has the member only for a response from its cache; elsewhere it may tell that the response was stored.
    if creator == "Firefox" { return true }
    return (transferred ?? response["bodySize"].flatMap(RecordedNumber.number) ?? -1) <= 0 && (wait ?? .zero) == .zero
  }
}

extension ArchivedEntry {
  /// Returns a field of the response by its name in small letters. Some tools write an object instead of a list.
  private func field(_ name: String) -> String? {
    func isNamed(_ other: String?) -> Bool { other?.utf8.count == name.utf8.count && other?.lowercased() == name }
    let headers = response["headers"]
    return headers?.array?.first { isNamed($0["name"]?.string) }?["value"]?.string
      ?? headers?.object?.members.first { isNamed($0.name) }?.value.string
  }

  private func size(_ name: String, in parent: JSONValue?) -> Int? {
    guard let value = parent?[name].flatMap(RecordedNumber.number), value >= 0, value < 1e15 else { return nil }
    return Int(value)
  }

  /// The sizes of a body in an archive of this server.
  private var ownBody: (received: Int, announced: Int)? {
    guard let received = size("bodySize", in: response), let announced = size("size", in: response["content"]) else {
      return nil
    }
    return (received, announced)
  }

  /// Returns the sizes of the body; nil if they are not known, or if nothing was announced.
  ///
  /// Tools that do not store bodies write 0, and browsers do not read the body of a redirection.
  private func body(of method: String, _ status: Int) -> (received: Int, announced: Int)? {
    let content = response["content"]
    let sizes = [size("bodySize", in: response), size("size", in: content), content?["text"]?.string?.utf8.count]
    guard let received = sizes.compactMap({ $0 }).max(), received > 0 else { return nil }
    let hasContent = method != "HEAD" && method != "OPTIONS" && status >= 200 && status != 204 && status / 100 != 3
    let announced = hasContent ? field("content-length").flatMap { Int($0) } : nil
    return (received, announced ?? received)
  }

  /// True if no time is longer than an exchange can last; capped, it would pass for a slow backend.
  private var hasPlausibleTimes: Bool {
    let timings = entry["timings"]
    let times = [entry["time"], timings?["wait"], timings?["receive"]].compactMap { $0.flatMap(RecordedNumber.number) }
    return times.allSatisfy { $0 <= RecordedNumber.maximumMilliseconds }
  }

  private func time(_ name: String) -> Duration? {
    entry["timings"]?[name].flatMap(RecordedNumber.number).flatMap(RecordedNumber.milliseconds)
  }

  private var wait: Duration? {
    time("wait") ?? entry["time"].flatMap(RecordedNumber.number).flatMap(RecordedNumber.milliseconds)
  }

  /// A stream of events is open as long as its reader wants, not as long as its content needs.
  private var receive: Duration {
    let isStream = response["content"]?["mimeType"]?.string?.hasPrefix("text/event-stream") == true
    return isStream ? .zero : time("receive") ?? .zero
  }
}
