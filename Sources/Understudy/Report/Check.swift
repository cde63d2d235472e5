import Contract
import JSON

/// One question about a client, updated with each exchange: a pure value of bounded size.
protocol Check: Sendable {
  static var id: String { get }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial)

  mutating func note(_ event: SandboxEvent)

  /// Returns the current finding.
  func finding(_ moment: Judgement) -> Finding
}

extension Check {
  mutating func note(_ event: SandboxEvent) {}
}

/// An event in a sandbox that is not a request.
enum SandboxEvent: Sendable {
  /// A scenario was armed, with these rules, by their identities.
  case armed(rules: [String])
  /// A connection was refused before it sent a request, because of these rules.
  case refused(rules: [String])
  /// A rival took a spot, or returned one.
  case rival(takes: Bool, versions: Range<Int>)
  /// The state is another at one stroke: restored, patched or reset.
  case replaced(Judgement.State, at: Tick)
}

/// The time and the state for which a card is requested.
struct Judgement: Sendable {
  /// Real time plus the clock's advances, as in observations.
  let now: Tick
  /// The time for which the sandbox was offline so far, as in observations.
  let timeOffline: Duration
  /// True if no more requests will come: an action that is missing now will not follow.
  let isFinal: Bool
  /// The current state, for checks that compare it.
  let state: State?

  /// The state of a sandbox as the audit asks for it.
  struct State: Sendable {
    let version: Int
    let value: @Sendable (Register) -> String?
    /// The counters that operations count down, such as free spots.
    let counters: [Register: Int]
  }

  init(now: Tick, timeOffline: Duration = .zero, isFinal: Bool = false, state: State? = nil) {
    self.now = now
    self.timeOffline = timeOffline
    self.isFinal = isFinal
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

  mutating func add(_ new: Int...) {
    for id in new where ids.count < Self.most && !ids.contains(id) { ids.append(id) }
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

  private static func decimal(_ value: Int, _ unit: Int) -> String {
    let tenths = (value * 10 + unit / 2) / unit
    return tenths >= 1_000 || tenths % 10 == 0 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
