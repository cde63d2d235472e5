/// One question about a client, updated with the exchanges that tell it something: a pure value of bounded size.
///
/// Its place on the card is that in `CheckRunner.all`, the one list of all checks.
protocol Check: Sendable {
  static var id: String { get }

  /// The exchanges that it observes from now on: those with one of these traits. A check that waits for something may be
  /// interested in more of them for as long as it waits.
  var interest: Traits { get }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role)

  mutating func record(_ event: SandboxEvent)

  /// Returns the current finding.
  func finding(_ context: CheckContext) -> Finding
}

extension Check {
  mutating func record(_ event: SandboxEvent) {}

  /// Observes an exchange, and returns its interest from then on.
  mutating func consider(_ seen: Observation, _ role: LogicalRequests.Role) -> Traits {
    observe(seen, role)
    return interest
  }
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
  /// It is a further attempt.
  static let retry = Traits(rawValue: 1 << 4)
  /// Its client's transport repeated it.
  static let replay = Traits(rawValue: 1 << 5)
  /// A GET with an entity tag and success.
  static let tagged = Traits(rawValue: 1 << 6)
  /// Its operation limits how often it is asked, or how long its response may be reused.
  static let timed = Traits(rawValue: 1 << 7)
  /// A read of one record that told its client the version.
  static let sight = Traits(rawValue: 1 << 8)
  /// Its response took long, or asked for a wait.
  static let delayed = Traits(rawValue: 1 << 10)
  /// It opened a stream of events, or tried to.
  static let stream = Traits(rawValue: 1 << 11)
  /// It has an `Idempotency-Key`.
  static let keyed = Traits(rawValue: 1 << 12)
}
