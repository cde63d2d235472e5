import Contract
import Faults
import JSON

/// One question about a client, updated with each exchange: a pure value of bounded size.
protocol Check: Sendable {
  static var id: String { get }

  /// Its place on the card: the lower, the earlier.
  static var rank: Int { get }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind)

  mutating func note(_ event: SandboxEvent)

  /// Returns the current finding.
  func finding(_ moment: CheckContext) -> Finding
}

extension Check {
  mutating func note(_ event: SandboxEvent) {}
}

/// An event in a sandbox that is not a request.
enum SandboxEvent: Sendable {
  /// A scenario begins.
  case armed(rules: [ArmedRule])
  /// A connection was refused before it could ask anything; the rules that kept it out.
  case refused(rules: [String])
  /// A rival took from a counter somewhere, or gave something back; the rules that sent it.
  case rival(takes: Bool, versions: Range<Int>, rules: [String])
  /// The state is another at one stroke: restored, patched or reset.
  case replaced(CheckContext.State, at: MonotonicInstant)
}

/// A rule as the report counts its strikes.
struct ArmedRule: Sendable {
  let identity: String
  /// The API that it is about; nil for all of them.
  let api: String?
  let isOfRivals: Bool

  init(_ identity: String, api: String? = nil, isOfRivals: Bool = false) {
    self.identity = identity
    self.api = api
    self.isOfRivals = isOfRivals
  }

  init(_ rule: Rule) {
    self.init(rule.identity, api: rule.match.api, isOfRivals: rule.effect.kind == Rivals.kind)
  }
}

/// When and about what a card is asked for.
struct CheckContext: Sendable {
  /// Real time plus the clock's advances, as in observations.
  let now: MonotonicInstant
  /// The time for which the sandbox was offline so far, as in observations.
  let timeOffline: Duration
  /// The total advance of the sandbox's clock.
  let advanced: Duration
  /// True if no more requests will come: an action that is missing now will not follow.
  let isFinal: Bool
  /// True if the sandbox is about to be reset under its clients: their next actions stay unknown.
  let isReset: Bool
  /// The current state, for checks that compare it.
  let state: State?

  /// The moment by a clock that is never advanced, and that stands still while the sandbox is off the network.
  var online: MonotonicInstant { now - advanced - timeOffline }

  /// The state of a sandbox as the audit asks for it.
  struct State: Sendable {
    let version: Int
    let value: @Sendable (Register) -> String?
    /// The counters that operations count down, such as free spots.
    let counters: [Register: Int]
  }

  init(
    now: MonotonicInstant, timeOffline: Duration = .zero, advanced: Duration = .zero, isFinal: Bool = false,
    isReset: Bool = false,
    state: State? = nil
  ) {
    self.now = now
    self.timeOffline = timeOffline
    self.advanced = advanced
    self.isFinal = isFinal
    self.isReset = isReset
    self.state = state
  }
}

enum Verdict: String, Sendable, Comparable, CaseIterable {
  case notExercised = "not exercised"
  case pass, warn, fail

  static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .notExercised: 0
    case .pass: 1
    case .warn: 2
    case .fail: 3
    }
  }
}

/// The result of a check.
struct Finding: Sendable, Equatable {
  let verdict: Verdict
  let sentence: String
  let evidence: [Int]

  init(_ verdict: Verdict, _ sentence: String, _ evidence: Evidence = Evidence()) {
    self.verdict = verdict
    self.sentence = sentence
    self.evidence = evidence.ids
  }
}

/// The first ids that prove a finding, each once; more are not needed.
struct Evidence: Sendable, Equatable {
  static let most = 20

  private(set) var ids: [Int] = []

  init() {}

  init(ids: [Int]) { self.ids = Array(ids.prefix(Self.most)) }

  /// A list of arguments would be an allocation, also where the evidence is full.
  mutating func add(_ id: Int) {
    if ids.count < Self.most, !ids.contains(id) { ids.append(id) }
  }

  mutating func add(_ first: Int, _ second: Int) {
    add(first)
    add(second)
  }
}

/// Texts with numbers.
enum Words {
  /// Returns `1 request`, `2 requests`.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  /// Returns `1 was`, `2 were`.
  static func were(_ number: Int) -> String { number == 1 ? "was" : "were" }

  /// Returns a duration for people: three digits, in milliseconds or seconds.
  static func span(_ duration: Duration) -> String {
    let microseconds = max(0, Int(duration.nanoseconds / 1_000))
    if microseconds < 1_000_000 { return "\(decimal(microseconds, 1_000)) ms" }
    return "\(decimal(microseconds, 1_000_000)) s"
  }

  /// A request for people: its method, its target and its client.
  static func request(_ seen: Observation) -> String {
    let target = String(decoding: seen.target.prefix(120), as: UTF8.self)
    let text = String(decoding: seen.clientText.prefix(80), as: UTF8.self)
    let client =
      if seen.isNamed {
        text.isEmpty ? "" : " by \(text)"
      } else {
        " by the client at \(seen.peer)" + (text.isEmpty ? "" : " (\(text))")
      }
    return "\(seen.method) \(target)\(client)"
  }

  /// The advice where two people may have been taken for one.
  static let tellApart =
    " If these are several clients, have each send a field Understudy-Client with a name of its own."

  private static func decimal(_ value: Int, _ unit: Int) -> String {
    let tenths = (value * 10 + unit / 2) / unit
    return tenths >= 1_000 || tenths % 10 == 0 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
