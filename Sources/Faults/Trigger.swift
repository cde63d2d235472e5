import JSON
import Primitives

/// The conditions under which a rule applies to a request that it matches. All of them must hold, including the chance.
public struct Trigger: Sendable, Equatable {
  package var chance: Ratio?
  /// Matches the first requests: `n <= first`.
  package var first: Int?
  /// Matches every nth request: `n % nth == 0`.
  package var nth: Int?
  package var requests: Ordinals?
  /// The requests that `first`, `nth` and `requests` count.
  package var per = Counting.path
  /// The window of time since the scenario was armed, by the sandbox's clock: `from` is inclusive, `until` exclusive.
  /// With `every` the window repeats.
  package var from: Duration?
  package var until: Duration?
  package var every: Duration?

  package init(
    chance: Ratio? = nil, first: Int? = nil, nth: Int? = nil, requests: Ordinals? = nil, per: Counting = .path,
    from: Duration? = nil, until: Duration? = nil, every: Duration? = nil
  ) {
    self.chance = chance
    self.first = first
    self.nth = nth
    self.requests = requests
    self.per = per
    self.from = from
    self.until = until
    self.every = every
  }

  /// The requests that are counted together.
  package enum Counting: String, Sendable, CaseIterable {
    /// Those of one stream: with one method and path.
    case path
    /// All that the rule's match admits: for paths that a client makes anew in each run.
    case rule
  }

  /// A range of n, written `5...9` or `5...`.
  package struct Ordinals: Sendable, Equatable {
    package let lower: Int
    package let upper: Int?

    package init(lower: Int, upper: Int?) {
      self.lower = lower
      self.upper = upper
    }

    package var text: String { "\(lower)..." + (upper.map(String.init) ?? "") }
  }
}

extension Trigger {
  var isTimed: Bool { from != nil || until != nil || every != nil }
  var isOrdinal: Bool { first != nil || nth != nil || requests != nil }

  /// True if it counts requests of several streams together, so that the order in which they arrive matters.
  var countsByRule: Bool { isOrdinal && per == .rule }

  /// The requests of its ordinals, in words: `each third request of one path`.
  package var ordinalDescription: String {
    let parts = [
      first.map { $0 == 1 ? "the first request" : "the first \($0) requests" },
      nth.map { $0 == 1 ? nil : "each \(Self.ordinalWord($0)) request" } ?? nil,
      requests.map { $0.lower == $0.upper ? "request \($0.lower)" : "requests \($0.text)" },
    ].compactMap(\.self)
    let requests = parts.isEmpty ? "each request" : parts.joined(separator: ", of these ")
    return requests + (per == .rule ? " that the rule matches" : " of one path")
  }

  /// The requests that it chooses, in words; nil if the clock decides.
  package var choiceDescription: String? {
    guard !isTimed else { return nil }
    let drawn = chance.map { "\($0.text) of the requests, drawn by the seed" }
    let parts = [isOrdinal ? ordinalDescription : nil, drawn].compactMap(\.self)
    return parts.isEmpty ? "every request" : parts.joined(separator: ", and of these ")
  }

  private static func ordinalWord(_ number: Int) -> String {
    let words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
    return words.indices.contains(number - 1) ? words[number - 1] : "\(number)th"
  }

  package func holds(_ position: Ordinal) -> Bool { OrdinalWindow(self).contains(position.n) }

  package func holds(_ elapsed: Duration) -> Bool { TimeWindow(self).contains(max(0, elapsed.nanoseconds)) }

  /// Returns the time up to `elapsed` during which the window was open.
  package func openTime(until elapsed: Duration) -> Duration {
    let time = max(elapsed, .zero).nanoseconds
    func open(until time: Int64) -> Int64 {
      max(0, min(time, until?.nanoseconds ?? time) - (from?.nanoseconds ?? 0))
    }
    guard let every = every?.nanoseconds else { return .nanoseconds(open(until: time)) }
    return .nanoseconds(time / every * open(until: every) + open(until: time % every))
  }

  func holds(_ draw: UInt64) -> Bool { chance?.holds(draw) ?? true }

  /// Returns the next time after `elapsed` at which the window opens or closes; nil if it never does again.
  package func nextChange(after elapsed: Duration) -> Duration? {
    guard isTimed else { return nil }
    let time = max(elapsed, .zero).nanoseconds
    var edges = [from, until].compactMap { $0?.nanoseconds }
    var start: Int64 = 0
    if let every = every?.nanoseconds {
      // The beginning of a period may be an edge too, for windows that begin or end with it.
      start = time - time % every
      edges += [0] + (edges + [0]).map { $0 + every }
    }
    return edges.map { start + $0 }.filter { $0 > time }.min().map { .nanoseconds($0) }
  }
}

extension Trigger {
  package static let members = [
    chance.member, first.member, nth.member, requests.member, per.member, from.member, until.member, every.member,
  ]
  static let maximumRequests = 1_000_000_000
  private static let schedule = Duration.zero...Duration.longestSchedule

  private static let chance = Key.ratio("chance", "The probability of each request.")
  private static let first = Key.integer(
    "first", in: 1...maximumRequests, "The first requests of the stream: `n ≤ first`.")
  private static let nth = Key.integer(
    "nth", in: 1...maximumRequests, "Every nth request of the stream: `n % nth = 0`.")
  private static let requests = Key<Ordinals>(
    "requests", .form(.ordinals, expectation: Ordinals.expectation),
    "A range of the stream's requests, counted from 1, including both ends.", expectation: Ordinals.expectation
  ) {
    $0.string.flatMap(Ordinals.init)
  }
  private static let from = Key.duration(
    "from", in: schedule, "The start of the window, as time since the scenario was armed.")
  private static let per = Key<Counting>.choice(
    "per", of: Counting.allCases,
    "The requests that `first`, `nth` and `requests` count: `path`: those of one stream. `rule`: all that `match` admits, "
      + "for paths that a client makes anew in each run. A chance always draws by the stream.",
    fallback: .path)
  private static let until = Key.duration(
    "until", in: schedule, "The end of the window, after `from`; the window does not include it.")
  private static let every = Key.duration(
    "every", in: .milliseconds(1) ... .longestSchedule,
    "The period with which the window repeats. It requires `from` or `until`, and both must be within the period."
  )

  init(_ json: JSONValue, at pointer: JSONPointer) throws(ValidationError) {
    let reader = try Reader(json, at: pointer, "an object, as in {\"chance\": \"1/10\"}")
    try reader.allow(Self.members.map(\.name))
    self.init(
      chance: try reader.optional(Self.chance), first: try reader.optional(Self.first),
      nth: try reader.optional(Self.nth), requests: try reader.optional(Self.requests),
      per: try reader.value(Self.per), from: try reader.optional(Self.from), until: try reader.optional(Self.until),
      every: try reader.optional(Self.every))
    guard isOrdinal || reader.object[Self.per.name] == nil else {
      throw ValidationError(
        pointer / Self.per.name, "expected \"first\", \"nth\" or \"requests\" beside it, which it counts")
    }
    try checkOrdinals(pointer)
    try checkWindow(pointer)
  }

  /// Throws if no request can meet all conditions on n.
  private func checkOrdinals(_ pointer: JSONPointer) throws(ValidationError) {
    let last = min(first ?? .max, requests?.upper ?? .max)
    let firstLeft = requests?.lower ?? 1
    guard last < .max else { return }
    let step = nth ?? 1
    guard last / step * step >= firstLeft, last >= step else {
      throw ValidationError(pointer, "expected first, nth and requests that some request can meet together")
    }
  }

  private func checkWindow(_ pointer: JSONPointer) throws(ValidationError) {
    if let until, until <= from ?? .zero {
      throw ValidationError(pointer / "until", "expected a time after \"from\", found an empty window")
    }
    guard let every else { return }
    guard from != nil || until != nil else {
      throw ValidationError(
        pointer / "every", "expected \"from\" or \"until\" beside it, to say which part of each period")
    }
    if let until, until > every {
      throw ValidationError(pointer / "until", "expected a time within the period of \(DurationText.text(every))")
    }
    if let from, from >= every {
      throw ValidationError(pointer / "from", "expected a time within the period of \(DurationText.text(every))")
    }
  }

  var json: JSONValue? {
    var members: [JSONValue.Member] = []
    if let chance { members.append(JSONValue.Member("chance", .string(chance.text))) }
    if let first { members.append(JSONValue.Member("first", .int(first))) }
    if let nth { members.append(JSONValue.Member("nth", .int(nth))) }
    if let requests { members.append(JSONValue.Member("requests", .string(requests.text))) }
    if per != .path { members.append(JSONValue.Member("per", .string(per.rawValue))) }
    if let from { members.append(JSONValue.Member("from", .duration(from))) }
    if let until { members.append(JSONValue.Member("until", .duration(until))) }
    if let every { members.append(JSONValue.Member("every", .duration(every))) }
    return members.isEmpty ? nil : .object(JSONValue.Object(members))
  }
}

extension Trigger.Ordinals {
  package static let expectation = "a range of requests counted from 1, as in \"5...9\" or \"5...\""

  package init?(_ text: String) {
    guard let dots = text.utf8.firstIndex(of: UInt8(ascii: ".")), text[dots...].hasPrefix("...") else { return nil }
    let after = text[dots...].dropFirst(3)
    guard let lower = Self.ordinal(text[..<dots]) else { return nil }
    guard !after.isEmpty else {
      self.init(lower: lower, upper: nil)
      return
    }
    guard let upper = Self.ordinal(after), upper >= lower else { return nil }
    self.init(lower: lower, upper: upper)
  }

  private static func ordinal(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy(Byte.isDigit), let value = Int(text) else { return nil }
    return 1...Trigger.maximumRequests ~= value ? value : nil
  }
}
