import Contract
import JSON

@testable import Primitives
@testable import Understudy

/// One request of a client.
struct Call {
  var method = "GET"
  var path: String
  var body: String?
  /// The `Idempotency-Key`.
  var key: String?
  /// The `Prefer` field, by which a planted mistake selects the fault that it needs.
  var prefer: String?
  var ifMatch: String?
  /// The `Last-Event-ID` of a request for a stream.
  var lastEventID: String?
  /// True for a read that must not come from the client's own cache.
  var isForced = false
  /// The media type of the body.
  var type = "application/json"
  /// Further fields, with their names.
  var fields: [String: String] = [:]
  /// False for a client that does not know entity tags.
  var usesCache = true

  /// Stands for the entity tag of the last response, be it a whole one or not.
  static let lastTag = "last"

  /// True if HTTP or the key makes repetition safe.
  var isRepeatable: Bool { method != "POST" || key != nil }
}

/// The outcome of a request as the client knows it.
enum Outcome {
  case response(Response)
  /// The connection ended, or the client closed it, before a complete response had arrived.
  case lost

  var status: Int? {
    switch self {
    case .response(let response): response.status
    case .lost: nil
    }
  }

  /// True if the response's status is below 400 and its content is readable.
  var isSuccess: Bool {
    guard case .response(let response) = self else { return false }
    return response.status < 400 && response.isReadable
  }

  /// True if another attempt may succeed.
  var isTransient: Bool {
    guard case .response(let response) = self else { return true }
    return [408, 425, 429].contains(response.status) || response.status >= 500 || !response.isReadable
  }
}

/// An HTTP client with a connection pool, a cache of entity tags, and the retry rule of a library.
final class Client {
  struct Identity {
    /// The value of `Understudy-Client`, if it is sent.
    var name: String?
    var userAgent: String
    var address: String
  }

  let identity: Identity
  let network: Network
  let library: Library
  /// The time that one attempt may take.
  var timeout: Duration
  /// Called with a line for each request that has ended.
  var log: ((String) -> Void)?
  /// The bytes that came for the last request that has ended.
  private(set) var lastBytes: [UInt8] = []
  private var idle: [Wire] = []
  private var cache: [String: (tag: String, freshUntil: MonotonicInstant)] = [:]
  /// The end of the server's last `Retry-After`.
  private var notBefore = MonotonicInstant(nanoseconds: 0)

  init(_ identity: Identity, _ network: Network, _ library: Library, timeout: Duration) {
    self.identity = identity
    self.network = network
    self.library = library
    self.timeout = timeout
  }

  var time: VirtualTime { network.time }

  /// Returns a key that is unique in the run.
  func newKey() -> String { network.newKey() }

  /// True if the client holds a response that its `max-age` still lets it use.
  func isFresh(_ path: String) -> Bool { cache[path].map { $0.freshUntil > time.now } ?? false }

  /// Sends a request once, and calls `then` with the outcome.
  ///
  /// - Parameter usesCache: False for a client that does not know entity tags.
  func send(_ call: Call, timeout: Duration? = nil, usesCache: Bool = true, then: @escaping (Outcome) -> Void) {
    let wire = idle.popLast { $0.ending == nil } ?? network.connect(from: identity.address)
    wire.received = []
    var isDone = false
    let began = time.now
    let finish: (Outcome) -> Void = { [self] outcome in
      guard !isDone else { return }
      isDone = true
      wire.onChange = {}
      lastBytes = wire.received
      if case .response(let response) = outcome { remember(response, call) }
      log?(line(call, outcome, began))
      then(outcome)
    }
    wire.minimum = 0
    wire.onChange = { [self] in
      guard wire.received.count >= wire.minimum || wire.ending != nil else { return }
      switch Response.read(wire.received, isEnded: wire.ending != nil, toHead: call.method == "HEAD") {
      case .incomplete(let minimum): wire.minimum = minimum
      case .broken:
        network.abandon(wire)
        finish(.lost)
      case .whole(let response):
        if response["connection"] == "close" || wire.ending != nil { network.abandon(wire) } else { idle.append(wire) }
        finish(.response(response))
      }
    }
    network.send(bytes(of: call, usesCache: usesCache), on: wire)
    time.after(timeout ?? self.timeout) { [self] in
      guard !isDone else { return }
      network.abandon(wire)
      finish(.lost)
    }
  }

  private func bytes(of call: Call, usesCache: Bool) -> [UInt8] {
    var text = "\(call.method) \(call.path) HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: \(identity.userAgent)\r\n"
    if let name = identity.name { text += "Understudy-Client: \(name)\r\n" }
    if let key = call.key { text += "Idempotency-Key: \"\(key)\"\r\n" }
    if let prefer = call.prefer { text += "Prefer: \(prefer)\r\n" }
    if let tag = call.ifMatch == Call.lastTag ? lastTag : call.ifMatch { text += "If-Match: \(tag)\r\n" }
    if let id = call.lastEventID { text += "Last-Event-ID: \(id)\r\n" }
    if call.isForced { text += "Cache-Control: no-cache\r\n" }
    if usesCache, call.method == "GET", let tag = cache[call.path]?.tag { text += "If-None-Match: \(tag)\r\n" }
    for (name, value) in call.fields.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
    if let body = call.body { text += "Content-Type: \(call.type)\r\nContent-Length: \(body.utf8.count)\r\n" }
    return Array((text + "\r\n" + (call.body ?? "")).utf8)
  }

  private var lastTag: String? {
    String(decoding: lastBytes, as: UTF8.self).split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }
      .map { String($0.dropFirst(6)) }
  }

  private func remember(_ response: Response, _ call: Call) {
    if let wait = response.retryAfter { notBefore = max(notBefore, time.now + wait) }
    guard call.method == "GET", response.isReadable, response.status == 200 || response.status == 304 else { return }
    let age = response["cache-control"].flatMap { text in
      text.firstRange(of: "max-age=").flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
    }
    let until = age.map { time.now + .seconds($0) } ?? time.now
    guard let tag = response["etag"] ?? cache[call.path]?.tag else { return }
    cache[call.path] = (tag, until)
  }

  private func line(_ call: Call, _ outcome: Outcome, _ began: MonotonicInstant) -> String {
    func seconds(_ tick: MonotonicInstant) -> String { "\(Double(tick.nanoseconds / 1_000_000) / 1_000)" }
    var result = outcome.status.map { "\($0)\(outcome.isTransient && $0 < 300 ? " unreadable" : "")" } ?? "lost"
    if case .response(let response) = outcome, let id = response["understudy-request"] { result += " [\(id)]" }
    return
      "\(seconds(began)) – \(seconds(time.now)) \(identity.name ?? identity.userAgent) \(call.method) \(call.path) "
      + "\(call.body ?? "") \(call.key.map { "key \($0.suffix(4)) " } ?? "")\(call.prefer.map { "[\($0)] " } ?? "")→ \(result)"
  }
}

extension Client {
  /// Sends a request as often as the library would, and calls `then` with the last outcome.
  func perform(_ call: Call, attempt: Int = 1, then: @escaping (Outcome) -> Void) {
    afterPermission { [self] in
      send(call) { [self] outcome in
        let mayRepeat = call.method == "GET" || library.repeatsUnsafe && call.isRepeatable
        let isRetried = outcome.isTransient || attempt > 1 && outcome.isStillUnderWay(call)
        guard isRetried, mayRepeat, attempt < library.attempts else { return then(outcome) }
        time.after(wait(before: attempt, outcome)) { [self] in perform(call, attempt: attempt + 1, then: then) }
      }
    }
  }

  /// Returns the wait before retry `number`: `Retry-After` if the library reads it, otherwise never less than that.
  func wait(before number: Int, _ outcome: Outcome) -> Duration {
    let drawn = Duration.milliseconds(Int(library.wait(number) { time.fraction() } * 1_000))
    guard case .response(let response) = outcome, let asked = response.retryAfter else { return drawn }
    return library.readsRetryAfter ? asked : max(drawn, asked)
  }

  /// Calls `then` as soon as `Retry-After` allows a request.
  func afterPermission(_ then: @escaping () -> Void) {
    guard notBefore > time.now else { return then() }
    time.at(notBefore + time.milliseconds(1...500)) { [self] in afterPermission(then) }
  }
}

extension Outcome {
  /// Returns true if the response says that an earlier attempt with the same key is still in progress.
  func isStillUnderWay(_ call: Call) -> Bool {
    guard call.key != nil, case .response(let response) = self, response.status == 409 else { return false }
    let problem = try? JSONValue(parsing: response.body)
    // Conflicts of a booking have a member of their own, so they are told by their type; users have empty ones.
    return problem?["success"] == nil || problem?["type"]?.string?.hasSuffix(":" + Problem.keyInFlight("").kind) == true
  }
}

extension Response {
  /// The duration of `Retry-After`: a number of seconds, or a date relative to the response's `Date`.
  var retryAfter: Duration? {
    guard let text = self["retry-after"] else { return nil }
    if let seconds = Int(text) { return .seconds(seconds) }
    guard let until = Self.seconds(text), let now = self["date"].flatMap(Self.seconds) else { return nil }
    return .seconds(max(0, until - now))
  }

  /// Returns the seconds since the month began of an HTTP-date (RFC 9110 §5.6.7).
  private static func seconds(_ date: String) -> Int? {
    let parts = date.split(separator: " ")
    guard parts.count == 6, let day = Int(parts[1]) else { return nil }
    let clock = parts[4].split(separator: ":").compactMap { Int($0) }
    return clock.count == 3 ? ((day * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2] : nil
  }
}

extension Array {
  /// Removes and returns the last element that meets a condition, and removes the elements after it.
  fileprivate mutating func popLast(where isWanted: (Element) -> Bool) -> Element? {
    while let last = popLast() { if isWanted(last) { return last } }
    return nil
  }
}
