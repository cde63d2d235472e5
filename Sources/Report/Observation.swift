import Contract
import Faults
package import Primitives

/// One finished exchange, reduced to the values that the checks use.
///
/// A flat value: what all exchanges of a client or of a route share is behind a reference to it, what only few exchanges
/// have behind another, and the target's text is in a buffer of the runner's. So a plain GET leaves it without an
/// allocation, and no check looks into a request or a response.
package struct Observation: Sendable {
  /// The journal's id.
  package var id = 0
  /// The client, as a hash of its own identification.
  var client: UInt64 = 0
  private var identification: Client?
  private var subject: Subject?
  private var rare: SharedDetails?
  /// The body of a response that shows a record that can be audited.
  private var shown: [UInt8]?
  /// The target, which only a sentence needs; it is there while the exchange is judged.
  var target: ArraySlice<UInt8> = []
  /// The range of the target in the runner's buffer.
  var targetRange = 0..<0
  /// The number of the connection; 0 where it is not known.
  package var connection = 0
  /// True if the client said who it is by `Understudy-Client`; else two people may be taken for one.
  var isNamed = true
  /// True if the request may change the sandbox's state.
  package var isWrite = false
  package var isApplied = false
  /// True if the request says on which version of its record it builds: `If-Match`.
  package var isConditionalWrite = false
  /// True if the request asks for a fresh response whatever it has: `Cache-Control: no-cache`.
  package var isRefresh = false
  /// True if it goes on with a steady poll that was under way before: such a read shows no interest in a write.
  var isBackground = false
  /// True if it failed, and its client had been given the entity tag by a whole response before.
  var isTagKnown = false
  /// True if its plan was not empty.
  private(set) var isPlanned = false
  package var outcome = ExchangeOutcome.sent
  private var knownMethod: Method? = .get
  /// The API's index in the catalogue, and the status whose line was sent; below zero where there is none.
  private var apiIndex: Int16 = -1
  private var statusCode: Int16 = 200
  /// The hash of API and canonical path, which a retry, a later write and a re-read share.
  package var pathHash: UInt64 = 0
  /// The hash of what else the target says: its query.
  package var query: UInt64 = 0
  package var body: UInt64 = 0
  /// True if the body is compared by its bytes: it is too long to be parsed for each attempt, and some are refused unread.
  package var isComparedByBytes = false
  /// The hash that attempts of one logical request share, after `identify()`.
  private(set) var identity: UInt64 = 0
  /// The hash of the `Idempotency-Key`.
  package var key: UInt64?
  /// The hash of the response's entity tag.
  package var tag: UInt64?
  /// The versions of the state before and after.
  package var versions: Range<Int>?
  /// The instants at which the request was complete and its exchange ended: real time plus the advances of the
  /// sandbox's clock.
  package var arrival = MonotonicInstant(nanoseconds: 0)
  package var end = MonotonicInstant(nanoseconds: 0)
  /// The time for which schedules had kept the sandbox offline by the end.
  @StoredNanoseconds package var timeOffline: Duration
  /// The time for which the client waited, without the advances, which its own clock does not have.
  @StoredNanoseconds package var waitedTime: Duration
  /// The delay of the response.
  @StoredNanoseconds package var measuredDelay: Duration
  @StoredNanoseconds private var advancedAtArrival: Duration
  @StoredNanoseconds private var advancedAtEnd: Duration

  private final class SharedDetails: Sendable {
    let details: RareDetails

    init(_ details: RareDetails) { self.details = details }
  }

  init() {}

  /// Creates the observation of a request for a route.
  ///
  /// - Parameters:
  ///   - subject: The properties of its route.
  ///   - api: The API's index in the catalogue; nil where there is none.
  ///   - status: The status whose line was sent; nil where none was.
  package init(_ subject: Subject, method: Method?, api: Int?, status: Int?) {
    self.subject = subject
    knownMethod = method
    apiIndex = api.map { Int16(truncatingIfNeeded: $0) } ?? -1
    statusCode = status.map { Int16(truncatingIfNeeded: $0) } ?? -1
  }
}

extension Observation {
  /// Sets the instants at which the request was complete, its response was begun, and the exchange ended.
  package mutating func setTimes(arrival: MonotonicInstant, began: MonotonicInstant, end: MonotonicInstant) {
    (self.arrival, self.end) = (arrival, end)
    $waitedTime = NanosecondDuration(from: arrival, to: end)
    $measuredDelay = NanosecondDuration(from: arrival, to: began)
  }

  var clientText: ArraySlice<UInt8> {
    get { identification?.text[...] ?? [] }
    set { identification = Client(client, newValue, at: peer) }
  }

  /// The client's address.
  var peer: String {
    get { identification?.peer ?? "" }
    set { identification = Client(client, clientText, at: newValue) }
  }

  mutating func identify(as client: Client) {
    self.client = client.hash
    identification = client
  }

  /// The method as sent.
  var method: String {
    get { rare?.details.method ?? knownMethod?.rawValue ?? "" }
    set {
      knownMethod = Method(rawValue: newValue)
      if knownMethod == nil { details.method = newValue }
    }
  }

  var isGet: Bool { knownMethod == .get }

  var api: Int? {
    get { apiIndex < 0 ? nil : Int(apiIndex) }
    set { apiIndex = newValue.map { Int16($0) } ?? -1 }
  }

  /// The status whose line was sent.
  var status: Int? {
    get { statusCode < 0 ? nil : Int(statusCode) }
    set { statusCode = newValue.map { Int16($0) } ?? -1 }
  }

  /// The details that few exchanges have; setting one copies the set.
  package var details: RareDetails {
    get { rare?.details ?? RareDetails() }
    set {
      rare = SharedDetails(newValue)
      isPlanned = !newValue.plan.isEmpty
    }
  }

  var plan: PlanSummary {
    get { rare?.details.plan ?? .none }
    set { details.plan = newValue }
  }

  var replayOf: Int? {
    get { rare?.details.replayOf }
    set { details.replayOf = newValue }
  }

  var retryAfter: Duration? {
    get { rare?.details.retryAfter }
    set { details.retryAfter = newValue }
  }

  var namedTags: [UInt64] {
    get { rare?.details.namedTags ?? [] }
    set { details.namedTags = newValue }
  }

  var lastEvent: UInt64? { rare?.details.lastEvent }

  var operation: Contract.Operation? {
    get { rare?.details.operation ?? subject?.operation }
    set { details.operation = newValue }
  }

  /// True if its response is a stream of events.
  var isStream: Bool { subject?.isStream ?? (rare?.details.operation?.isStream == true) }

  /// The meaning of the request; nil if only its bytes are known.
  var intent: Intent? {
    get { rare?.details.intent ?? subject?.readIntent }
    set { details.intent = newValue }
  }

  /// The content of the request, or of the response.
  var effect: Effect {
    get {
      if let shown, let record = subject?.record { return .read(record, body: shown) }
      return rare?.details.effect ?? .none
    }
    set { details.effect = newValue }
  }

  /// Stores the body of a response, for the audit of the record that its route shows.
  package mutating func show(_ body: [UInt8]) { shown = body }

  /// The total advance of the sandbox's clock when the request came, and at the end.
  package var advanced: ClosedRange<Duration> {
    get { advancedAtArrival...max(advancedAtArrival, advancedAtEnd) }
    set { (advancedAtArrival, advancedAtEnd) = (newValue.lowerBound, newValue.upperBound) }
  }

  var isSuccess: Bool {
    // A result is worked out only where something is out of the ordinary.
    if outcome == .sent, !isPlanned, statusCode >= 0, statusCode < 400 { return true }
    return result == .success
  }

  /// The hash of the record's name, if it reads one record that it names.
  var recordRead: UInt64? {
    if let intent = rare?.details.intent { return intent.kind == .reads ? intent.record : nil }
    return subject?.readIntent?.record
  }

  /// Its traits; what it is among attempts is known apart.
  var traits: Traits {
    var traits = Traits.any
    if isWrite {
      traits.insert(.write)
    } else if isSuccess {
      if tag != nil, isGet { traits.insert(.tagged) }
      if versions != nil, recordRead != nil { traits.insert(.sight) }
    }
    if isApplied || shown != nil { traits.insert(.audited) }
    if $measuredDelay >= .seconds(1) { traits.insert(.delayed) }
    if subject?.isStream == true { traits.insert(.stream) }
    if subject?.isTimed == true || rare?.details.operation?.isTimed == true { traits.insert(.timed) }
    if hasFailed { traits.insert(.failed) }
    guard let rare else { return traits }
    if !rare.details.plan.isEmpty || !rare.details.plan.rules.isEmpty { traits.insert(.planned) }
    if !rare.details.effect.isNone { traits.insert(.audited) }
    if rare.details.retryAfter != nil { traits.insert(.delayed) }
    return traits
  }
}

extension Observation {
  /// Computes the hash that makes requests equal; once, because most checks use it.
  ///
  /// Writes are equal by their meaning, reads by their target.
  mutating func identify() {
    let verb = isGet ? 1 : Self.hash(method)
    guard isWrite else {
      identity = client.mixed(with: pathHash).mixed(with: verb).mixed(with: query).mixed(with: body).mixed(
        with: key ?? 1)
      return
    }
    let meant = intent ?? Intent(.none, record: pathHash, meaning: pathHash.mixed(with: verb).mixed(with: body))
    if intent == nil { intent = meant }
    identity = client.mixed(with: UInt64(api ?? 255))
    guard !isComparedByBytes else {
      return identity = identity.mixed(with: pathHash).mixed(with: verb).mixed(with: body)
    }
    identity = identity.mixed(with: meant.kind.rawValue).mixed(with: meant.meaning)
  }

  package static func hash(_ text: String) -> UInt64 { FNV1a.hash(text) }
  package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 { Fingerprint(of: bytes).value }
}

extension UInt64 {
  /// Returns one hash of two. It withstands accidents, not malice.
  package func mixed(with word: UInt64) -> UInt64 { Fingerprint.mix(word, into: self) }
}
