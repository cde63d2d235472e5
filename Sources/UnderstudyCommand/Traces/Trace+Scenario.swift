import Contract
import JSON
import Primitives
import Understudy

extension Trace {
  /// The maximum number of rules of a scenario.
  private static let maximumRules = 1_000

  /// Returns a scenario that does to requests what the trace recorded.
  ///
  /// - Throws: `TraceError` if an exact one is wanted, and the trace has no plans, or needs too many rules.
  func scenario() throws(TraceError) -> JSONValue { isExact ? try exactScenario() : scenarioOfRatios() }

  /// Returns a scenario that plans each request as the trace recorded it, by rules on request numbers.
  private func exactScenario() throws(TraceError) -> JSONValue {
    var parts: [Part: [Int]] = [:]
    var order: [Part] = []
    let counted = exchanges.filter { $0.n != nil }
    guard counted.contains(where: { $0.effects != nil }) else {
      throw TraceError(
        description: "--exact needs plans that were recorded: a journal, or the HAR file that it gives")
    }
    for exchange in counted {
      for effect in exchange.effects ?? [] {
        // A rule with `offline` cannot be limited to one request; for one request, `reset-bare` has the same effect.
        let isOffline = effect["effect"]?["offline"] != nil
        var rule = isOffline ? ["effect": ["fault": "reset-bare"]] : effect
        // For a read the phases are equivalent, and a rule about reads may not have one.
        if !exchange.route.changes { rule = rule.merging(["phase": .null]) }
        let part = Part(route: exchange.route, effect: rule)
        if parts[part] == nil { order.append(part) }
        parts[part, default: []].append(exchange.n ?? 1)
      }
    }
    let rules = order.flatMap { part in
      Self.ranges(parts[part] ?? []).map { range -> JSONValue in
        let when: JSONValue = ["requests": .string("\(range.lowerBound)...\(range.upperBound)")]
        return Self.rule(nil, part.route, exact: true, when: when, part.effect)
      }
    }
    guard rules.count <= Self.maximumRules else {
      throw TraceError(
        description: "--exact would take \(rules.count) rules, and a scenario has at most \(Self.maximumRules); "
          + "record fewer requests, or leave --exact out")
    }
    return Self.scenario("recorded", "Plans \(counted.count) requests as they were recorded.", rules)
  }

  /// Returns a scenario with the trace's latencies, failure ratios and outages.
  private func scenarioOfRatios() -> JSONValue {
    let outages = outages
    var rules = outages.enumerated().map { index, outage -> JSONValue in
      [
        "name": .string("outage \(index + 1)"),
        "when": [
          "from": .string(DurationText.text(outage.lowerBound)), "until": .string(DurationText.text(outage.upperBound)),
        ], "effect": ["offline": true],
      ]
    }
    var groups: [MockServer.Route: [Exchange]] = [:]
    var order: [MockServer.Route] = []
    for exchange in exchanges where !outages.contains(where: { $0.contains(sinceStart(exchange)) }) {
      let route = exchange.route.withoutPath
      if groups[route] == nil { order.append(route) }
      groups[route, default: []].append(exchange)
    }
    for route in order { rules += Self.rules(route, groups[route] ?? []) }
    let source = exchanges.count == 1 ? "one recorded exchange" : "\(exchanges.count) recorded exchanges"
    return Self.scenario("recorded", "Made of \(source).", rules)
  }

  private static func scenario(_ name: String, _ about: String, _ rules: [JSONValue]) -> JSONValue {
    ["name": .string(name), "about": .string(about), "rules": .array(rules)]
  }

  private func sinceStart(_ exchange: Exchange) -> Duration { exchange.at - (exchanges.first?.at ?? exchange.at) }

  /// The periods without responses: each from the first failed exchange of a series to the end of the last one, or to
  /// the next response if that came no later than another failure would have.
  private var outages: [Range<Duration>] {
    var found: [Range<Duration>] = []
    var run: [Exchange] = []
    func close(before next: Exchange? = nil) {
      defer { run = [] }
      guard let first = run.first, let last = run.last, run.contains(where: \.isOffline) || run.count >= 3 else {
        return
      }
      let start = Self.milliseconds(sinceStart(first))
      // The window includes the arrival of the last one.
      var end = max(Self.milliseconds(sinceStart(last) + (last.wait ?? .zero)), Self.milliseconds(sinceStart(last)) + 1)
      let interval = zip(run, run.dropFirst()).map { $1.at - $0.at }.max() ?? .zero
      if let next, next.at - last.at <= interval { end = max(start + 1, Self.milliseconds(sinceStart(next))) }
      if end <= Self.latestMilliseconds { found.append(.milliseconds(start) ..< .milliseconds(end)) }
    }
    for exchange in exchanges {
      guard exchange.isOffline || exchange.isUnreached else {
        close(before: exchange)
        continue
      }
      // The recording does not say what was between two failures that are far from each other.
      if let last = run.last, exchange.at - last.at > Self.maximumSilence { close() }
      run.append(exchange)
    }
    close()
    // A scenario has room for the longest ones; the failures of the others count for their routes.
    let longest = found.sorted { $0.upperBound - $0.lowerBound > $1.upperBound - $1.lowerBound }
    return longest.prefix(Self.maximumOutages).sorted { $0.lowerBound < $1.lowerBound }
  }

  private static let maximumOutages = 100
  /// The maximum number of effects of one route; rarer ones are left out.
  private static let maximumKinds = 20

  private static let maximumSilence = Duration.seconds(60)
  /// The end of the longest schedule, a year.
  private static let latestMilliseconds: Int64 = 8_760 * 3_600_000

  private static func milliseconds(_ duration: Duration) -> Int64 { duration.nanoseconds / 1_000_000 }

  private static func rules(_ route: MockServer.Route, _ exchanges: [Exchange]) -> [JSONValue] {
    var rules: [JSONValue] = []
    let delays = exchanges.filter { $0.status != nil && !$0.isPaused }.compactMap(\.wait).sorted()
    if let slowest = delays.last, slowest >= shortestTail || delays[delays.count / 2] >= .milliseconds(1) {
      rules.append(rule("latency", route, ["effect": ["latency": percentiles(delays)]]))
    }
    if let pace = pace(route, exchanges) { rules.append(pace) }
    var kinds: [(effect: JSONValue, count: Int)] = []
    var indices: [String: Int] = [:]
    for effect in exchanges.compactMap(\.failure) {
      if let index = indices[effect.text] {
        kinds[index].count += 1
      } else {
        indices[effect.text] = kinds.count
        kinds.append((effect, 1))
      }
    }
    var left = exchanges.count
    for kind in kinds.sorted(by: { $0.count > $1.count }).prefix(maximumKinds) {
      // Of several faults that apply the first wins, so the chance of each is its share of the requests that the
      // earlier ones leave.
      let when: JSONValue? = kind.count < left ? ["chance": .string("\(kind.count)/\(left)")] : nil
      left -= kind.count
      let effect = kind.effect["effect"] ?? .null
      let word = effect["fault"]?.string ?? effect["status"]?.int.map { "status \($0)" } ?? "fault"
      let phase = kind.effect["phase"] == nil ? "" : " after commit"
      rules.append(rule("\(word)\(phase) \(rules.count + 1)", route, when: when, kind.effect))
    }
    return rules
  }

  /// A response that took so long is slow, even where most take less than a millisecond.
  private static let shortestTail = Duration.milliseconds(10)

  /// Returns the rule that reproduces bodies that came slowly; nil if none did.
  private static func pace(_ route: MockServer.Route, _ exchanges: [Exchange]) -> JSONValue? {
    let whole = exchanges.filter { $0.outcome == "sent" && $0.failure == nil && !$0.isPaused && $0.body != nil }
    let rates = whole.compactMap { exchange -> Int64? in
      guard let bytes = exchange.body?.received, bytes > 0, exchange.receive >= shortestPaced else { return nil }
      return Int64(bytes) * 1_000_000 / (exchange.receive.nanoseconds / 1_000)
    }.sorted()
    guard !rates.isEmpty else { return nil }
    let when: JSONValue? = rates.count < whole.count ? ["chance": .string("\(rates.count)/\(whole.count)")] : nil
    let rate = max(1, min(rates[rates.count / 2], 1_000_000_000))
    return rule("pace", route, when: when, ["effect": ["pace": ["bytesPerSecond": .int(Int(rate))]]])
  }

  /// The bodies of the five APIs arrive in less time, unless they come slowly.
  private static let shortestPaced = Duration.milliseconds(100)

  /// The percentiles of the distribution, in thousandths; between two of them, delays are interpolated linearly.
  private static let ranks = [
    "0": 0, "5": 50, "10": 100, "20": 200, "30": 300, "40": 400, "50": 500, "60": 600, "70": 700, "80": 800,
    "85": 850, "90": 900, "95": 950, "97": 970, "98": 980, "99": 990, "99.5": 995, "99.9": 999, "100": 1_000,
  ].sorted { $0.value < $1.value }

  /// - Parameter delays: At least one delay, in ascending order.
  private static func percentiles(_ delays: [Duration]) -> JSONValue {
    let points = ranks.map { name, rank -> JSONValue.Member in
      let position = (delays.count - 1) * rank
      let (low, part) = (delays[position / 1_000], Int64(position % 1_000))
      let high = delays[min(position / 1_000 + 1, delays.count - 1)]
      let nanoseconds = low.nanoseconds + (high.nanoseconds - low.nanoseconds) * part / 1_000
      return JSONValue.Member(name, .string(DurationText.text(.microseconds(nanoseconds / 1_000))))
    }
    return ["percentiles": .object(JSONValue.Object(points))]
  }

  private static func rule(
    _ name: String?, _ route: MockServer.Route, exact: Bool = false, when: JSONValue? = nil, _ effect: JSONValue
  ) -> JSONValue {
    var members: [JSONValue.Member] = []
    let position = [route.api, route.method, route.glob].compactMap(\.self).joined(separator: " ").printable
    // A rule without a name is identified by its content. A name that is too long is left out: two that were cut could be equal.
    if let name, name.count + position.count <= 97 {
      members.append(JSONValue.Member("name", .string("\(name): \(position)")))
    }
    let match: JSONValue = ["method": .string(route.method), "path": .string(exact ? route.path : route.glob)]
    let api: JSONValue = route.api.map { api -> JSONValue in ["api": .string(api)] } ?? [:]
    members.append(JSONValue.Member("match", api.merging(match)))
    if let when { members.append(JSONValue.Member("when", when)) }
    members += effect.object?.members ?? []
    return .object(JSONValue.Object(members))
  }

  /// The key by which requests are grouped into rules: one effect on one route.
  private struct Part: Hashable {
    let route: MockServer.Route
    let effect: JSONValue

    static func == (left: Part, right: Part) -> Bool { left.route == right.route && left.effect == right.effect }

    func hash(into hasher: inout Hasher) {
      hasher.combine(route)
      hasher.combine(effect.text)
    }
  }

  /// Returns the numbers as ranges of consecutive ones.
  private static func ranges(_ numbers: [Int]) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    for number in Set(numbers).sorted() {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges
  }
}

extension Trace.Exchange {
  /// True if the connection was reset before any byte of a response, and no plan was recorded.
  fileprivate var isUnreached: Bool { status == nil && outcome == "reset" && effects == nil }

  /// The effect, and the phase if it is `after`, of a rule that reproduces the failure; nil if the exchange did not
  /// fail, or if the failure is the API's own.
  fileprivate var failure: JSONValue? {
    let planned = effects?.first { part in
      guard let effect = part["effect"] else { return false }
      return effect["fault"] != nil || effect["status"] != nil
    }
    if let planned { return route.changes ? planned : planned.merging(["phase": .null]) }
    let phase: [JSONValue.Member] = isApplied && route.changes ? [JSONValue.Member("phase", "after")] : []
    func part(_ effect: JSONValue) -> JSONValue {
      .object(JSONValue.Object(phase + [JSONValue.Member("effect", effect)]))
    }
    switch (outcome, status) {
    case ("reset", nil): return part(["fault": "reset-bare"])
    case ("reset", _): return part(["fault": "reset"])
    case ("closed", nil): return part(["fault": "empty"])
    case ("closed", let status?) where status < 500:
      // The fraction is rounded to tenths, so that responses that were truncated at similar positions share a rule.
      let isCut = body.map { $0.received < $0.announced } ?? false
      let tenths = body.flatMap { isCut ? max(0, min(9, $0.received * 10 / max(1, $0.announced))) : nil } ?? 5
      return part(["fault": "truncate", "at": .string("\(tenths)/10")])
    case ("peer gone", nil) where effects == nil && !isPaused: return part(["fault": "hang"])
    case (_, let status?) where status >= 500 || status == 429 || status == 408:
      var effect = JSONValue.Object([JSONValue.Member("status", .int(status))])
      if let retryAfter {
        effect["retryAfter"] = .string(DurationText.text(retryAfter.duration))
        if retryAfter.isDate { effect["retryAfterDate"] = true }
      }
      return part(.object(effect))
    default: return nil
    }
  }
}
