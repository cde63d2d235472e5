/// One question about a client, answered for each exchange from what the history knows of it. A check has no state: what it
/// found is in its tally.
///
/// Its place on the card is that in `CheckRunner.all`, the one list of all checks.
protocol ReportCheck: Sendable {
  static var id: String { get }

  /// The subject of its verdict.
  static var subject: CheckSubject { get }

  /// The exchanges that it judges: those with one of these traits.
  var interest: Traits { get }

  /// True if it can judge only where the records of the API are known.
  var needsState: Bool { get }

  /// Judges an exchange.
  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally)

  /// Judges what became of a write whose outcome its client did not know.
  func judge(_ fate: WriteFate, _ tally: inout Tally)

  /// Returns the verdict, with its sentence and its proof.
  func finding(_ tally: Tally, _ history: History) -> Finding
}

/// The subject of a check's verdict. Only verdicts on clients count for a card's own, and for the exit code of a run.
enum CheckSubject: Sendable {
  case client
  case backend
  /// The run itself: whether it tested anything.
  case run
}

extension ReportCheck {
  static var subject: CheckSubject { .client }
  var interest: Traits { [] }
  var needsState: Bool { false }
  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {}
  func judge(_ fate: WriteFate, _ tally: inout Tally) {}
}

/// The facts of an exchange by which checks are interested in it. A plain GET has few, and so reaches few checks.
struct Traits: OptionSet, Sendable {
  let rawValue: UInt16

  /// Every exchange has it.
  static let any = Traits(rawValue: 1)
  /// It may change the sandbox's state.
  static let write = Traits(rawValue: 1 << 1)
  /// A client that sends the same again may be retrying.
  static let failed = Traits(rawValue: 1 << 2)
  /// Rules applied to it.
  static let planned = Traits(rawValue: 1 << 3)
  /// It is another attempt after a failure.
  static let retry = Traits(rawValue: 1 << 4)
  /// It asks for the same again after a refusal.
  static let repeated = Traits(rawValue: 1 << 5)
  /// Its client's transport repeated it.
  static let replay = Traits(rawValue: 1 << 6)
  /// A GET with an entity tag and success.
  static let tagged = Traits(rawValue: 1 << 7)
  /// Its operation limits how often it is asked, or how long its response may be reused.
  static let timed = Traits(rawValue: 1 << 8)
  /// It opened a stream of events, or tried to.
  static let stream = Traits(rawValue: 1 << 9)
  /// It has an `Idempotency-Key`.
  static let keyed = Traits(rawValue: 1 << 10)
  /// It makes a loop of equal requests certain.
  static let loop = Traits(rawValue: 1 << 11)
  /// It follows a broken response with an entity tag.
  static let broken = Traits(rawValue: 1 << 12)
  /// It came while a 429 told its client to wait.
  static let limited = Traits(rawValue: 1 << 13)
  /// Its client waited for a response that did not come, or gave it up.
  static let patience = Traits(rawValue: 1 << 14)
}
