package import JSON

/// What goes wrong when a rule bites: one case, one file, one word of a scenario's JSON each.
package enum Effect: Sendable, Equatable {
  case latency(Latency)
  case status(Status)
  case rateLimit(RateLimit)
  case coldStart(ColdStart)
  case reset(Reset)
  case resetBare(ResetBare)
  case empty(Empty)
  case hang(Hang)
  case stall(Stall)
  case truncate(Truncate)
  case badChunk(BadChunk)
  case garbage(Garbage)
  case corrupt(Corrupt)
  case drift(Drift)
  case wrongType(WrongType)
  case captivePortal(CaptivePortal)
  case stale(Stale)
  case pace(Pace)
  case offline(Offline)
  case rivals(Rivals)

  var body: any EffectBody {
    switch self {
    case .latency(let effect): effect
    case .status(let effect): effect
    case .rateLimit(let effect): effect
    case .coldStart(let effect): effect
    case .reset(let effect): effect
    case .resetBare(let effect): effect
    case .empty(let effect): effect
    case .hang(let effect): effect
    case .stall(let effect): effect
    case .truncate(let effect): effect
    case .badChunk(let effect): effect
    case .garbage(let effect): effect
    case .corrupt(let effect): effect
    case .drift(let effect): effect
    case .wrongType(let effect): effect
    case .captivePortal(let effect): effect
    case .stale(let effect): effect
    case .pace(let effect): effect
    case .offline(let effect): effect
    case .rivals(let effect): effect
    }
  }

  /// The effect's word in a scenario.
  package enum Kind: String, Sendable, CaseIterable {
    case latency, status, rateLimit, coldStart, pace, offline, rivals
    case reset, empty, hang, stall, truncate, garbage, corrupt, drift, stale
    case resetBare = "reset-bare"
    case badChunk = "bad-chunk"
    case wrongType = "wrong-type"
    case captivePortal = "captive-portal"

    var body: any EffectBody.Type {
      switch self {
      case .latency: Latency.self
      case .status: Status.self
      case .rateLimit: RateLimit.self
      case .coldStart: ColdStart.self
      case .reset: Reset.self
      case .resetBare: ResetBare.self
      case .empty: Empty.self
      case .hang: Hang.self
      case .stall: Stall.self
      case .truncate: Truncate.self
      case .badChunk: BadChunk.self
      case .garbage: Garbage.self
      case .corrupt: Corrupt.self
      case .drift: Drift.self
      case .wrongType: WrongType.self
      case .captivePortal: CaptivePortal.self
      case .stale: Stale.self
      case .pace: Pace.self
      case .offline: Offline.self
      case .rivals: Rivals.self
      }
    }

    /// Whether it is written `{"fault": "reset"}` rather than `{"latency": …}`.
    package var isFault: Bool {
      switch self {
      case .latency, .status, .rateLimit, .coldStart, .pace, .offline, .rivals: false
      case .reset, .resetBare, .empty, .hang, .stall, .truncate, .badChunk, .garbage, .corrupt, .drift, .wrongType,
        .captivePortal, .stale:
        true
      }
    }
  }
}

/// What each effect must answer; the compiler lists what a new one has not answered yet.
protocol EffectBody: Sendable, Equatable {
  static var kind: Effect.Kind { get }
  /// The keys that may stand beside the effect's own word.
  static var furtherKeys: [String] { get }
  init(_ reader: Reader) throws(Violation)
  /// The effect's JSON, its own word first.
  var members: [JSON.Member] { get }
  var effect: Effect { get }
  /// A few words, for the lists that people read.
  var words: String { get }
  /// Why phase `after` makes no sense here, or nil when it does.
  static var whyOnlyBefore: String? { get }
  /// Whether what it does follows from the clock or from what came before, so that it cannot be foretold from n alone.
  static var dependence: Dependence? { get }
  /// Adds what it does to the plan of one exchange.
  func add(to plan: inout Plan, _ bite: Bite, _ memory: inout Memory)
}

extension EffectBody {
  static var furtherKeys: [String] { [] }
  static var whyOnlyBefore: String? { nil }
  static var dependence: Dependence? { nil }
}

/// An effect that decides how the exchange comes out; of several the first wins.
protocol FateEffect: EffectBody {
  var fate: Fate { get }
}

extension FateEffect {
  var words: String { fate.words }
  var members: [JSON.Member] { [JSON.Member("fault", .string(Self.kind.rawValue))] }

  func add(to plan: inout Plan, _ bite: Bite, _ memory: inout Memory) {
    plan.settle(fate, bite)
  }
}

/// What a plan depends on beside seed, rule, stream and n.
package enum Dependence: String, Sendable {
  /// The sandbox's clock.
  case time
  /// The clock, and which requests came before.
  case arrival
}

/// One rule biting one exchange: what an effect may know of it.
struct Bite: Sendable {
  let rule: String
  let phase: Phase
  let changes: Bool
  let elapsed: Duration
  let dice: Dice

  /// 64 bits that are this rule's and this exchange's own.
  func draw(_ purpose: Dice.Purpose) -> UInt64 { dice.draw(purpose) }
}

extension Effect {
  package init(json: JSON, at pointer: JSONPointer = .root) throws(Violation) {
    let reader = try Reader(json, at: pointer, "an effect, as in {\"fault\": \"reset\"}")
    let words = Kind.allCases.filter { !$0.isFault }.map(\.rawValue) + ["fault"]
    guard let word = reader.object.members.first(where: { words.contains($0.name) })?.name else {
      try reader.allow(words)
      throw Violation(pointer, "expected one of \(words.joined(separator: ", ")), found nothing")
    }
    let kind = try Self.kind(word, reader)
    try reader.allow([word] + kind.body.furtherKeys)
    self = try kind.body.init(reader).effect
  }

  private static func kind(_ word: String, _ reader: Reader) throws(Violation) -> Kind {
    let faults = Kind.allCases.filter(\.isFault)
    guard word == "fault" else { return try reader.required(word, "an effect") { _ in Kind(rawValue: word) } }
    return try reader.required(word, "one of " + faults.map(\.rawValue).joined(separator: ", ")) { value in
      faults.first { $0.rawValue == value.string }
    }
  }

  package var json: JSON { .object(JSON.Object(body.members)) }
  package var kind: Kind { type(of: body).kind }
  package var words: String { body.words }
  package var dependence: Dependence? { type(of: body).dependence }
}
