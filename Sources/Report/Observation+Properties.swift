import Contract
import Faults
import Primitives

/// The properties that an observation has from its record and its attachment. Most setters are for tests.
extension Observation {
  /// The journal's id.
  package var id: Int {
    get { record.id }
    set { record.id = newValue }
  }

  /// The number of the connection; 0 where it is not known.
  var connection: Int {
    get { record.connection }
    set { record.connection = newValue }
  }

  /// True if the request may change the sandbox's state.
  var isWrite: Bool {
    get { record[.write] }
    set { record[.write] = newValue }
  }

  var isApplied: Bool {
    get { record[.applied] }
    set { record[.applied] = newValue }
  }

  /// True if the request says on which version of its record it builds: `If-Match`.
  var isConditionalWrite: Bool {
    get { record[.conditionalWrite] }
    set { record[.conditionalWrite] = newValue }
  }

  /// True if the request asks for a fresh response whatever it has: `Cache-Control: no-cache`.
  var isRefresh: Bool {
    get { record[.refresh] }
    set { record[.refresh] = newValue }
  }

  /// True if the body is compared by its bytes: it is too long to be parsed for each attempt, and some are refused unread.
  var isComparedByBytes: Bool { record[.comparedByBytes] }

  /// True if its plan was not empty.
  var isPlanned: Bool { record[.planned] }

  var isGet: Bool { record.method == .get }

  var outcome: ExchangeOutcome {
    get { record.judgedOutcome }
    set { record.judgedOutcome = newValue }
  }

  var api: Int? {
    get { record.api }
    set { record.api = newValue }
  }

  /// The status whose line was sent.
  var status: Int? {
    get { record.status }
    set { record.status = newValue }
  }

  var body: UInt64 {
    get { record.body }
    set { record.body = newValue }
  }

  /// The hash of the response's entity tag.
  var tag: UInt64? {
    get { record.tag }
    set { record.tag = newValue }
  }

  /// The versions of the state before and after.
  var versions: Range<Int>? {
    get { record.versions }
    set { record.versions = newValue }
  }

  /// The time for which schedules had kept the sandbox offline by the end.
  var timeOffline: Duration {
    get { record.timeOffline.duration }
    set { record.timeOffline = NanosecondDuration(newValue) }
  }

  /// The time for which the client waited, without the advances, which its own clock does not have.
  var waitedTime: Duration {
    get { record.total.duration }
    set { record.total = NanosecondDuration(newValue) }
  }

  /// The delay of the response.
  var measuredDelay: Duration { record.measured.duration }

  /// The total advance of the sandbox's clock when the request came, and at the end.
  var advanced: ClosedRange<Duration> {
    get { record.advancedAtArrival.duration...max(record.advancedAtArrival, record.advancedAtEnd).duration }
    set {
      record.advancedAtArrival = NanosecondDuration(newValue.lowerBound)
      record.advancedAtEnd = NanosecondDuration(newValue.upperBound)
    }
  }
}

/// The properties that an observation has from its attachment.
extension Observation {
  /// The client, as a hash of its own identification.
  var client: UInt64 {
    get { attachment.client.hash }
    set { attachment.client = Client(newValue, clientText, isNamed: isNamed, at: peer) }
  }

  /// True if the client said who it is by `Understudy-Client`; else two people may be taken for one.
  var isNamed: Bool {
    get { attachment.client.isNamed }
    set { attachment.client = Client(client, clientText, isNamed: newValue, at: peer) }
  }

  var clientText: ArraySlice<UInt8> {
    get { attachment.client.text[...] }
    set { attachment.client = Client(client, newValue, isNamed: isNamed, at: peer) }
  }

  /// The client's address.
  var peer: String {
    get { attachment.client.peer }
    set { attachment.client = Client(client, clientText, isNamed: isNamed, at: newValue) }
  }

  var peerHash: UInt64 { attachment.client.peerHash }

  /// The details that few exchanges have; setting one copies the set.
  private var details: RareDetails {
    get { attachment.rare?.details ?? RareDetails() }
    set {
      attachment.rare = SharedDetails(newValue)
      record[.planned] = !newValue.plan.isEmpty
      record[.damagePlanned] = newValue.plan.isDamaging
    }
  }

  /// The method as sent.
  var method: String {
    get { attachment.rare?.details.method ?? record.method?.rawValue ?? "" }
    set {
      record.method = Method(rawValue: newValue)
      if record.method == nil { details.method = newValue }
    }
  }

  var plan: PlanSummary {
    get { attachment.rare?.details.plan ?? .none }
    set { details.plan = newValue }
  }

  var replayOf: Int? {
    get { attachment.rare?.details.replayOf }
    set { details.replayOf = newValue }
  }

  /// The hash of the `Idempotency-Key`.
  var key: UInt64? {
    get { attachment.rare?.details.key }
    set { details.key = newValue }
  }

  var retryAfter: Duration? {
    get { attachment.rare?.details.retryAfter }
    set { details.retryAfter = newValue }
  }

  var namedTags: [UInt64] {
    get { attachment.rare?.details.namedTags ?? [] }
    set { details.namedTags = newValue }
  }

  var lastEvent: UInt64? { attachment.rare?.details.lastEvent }

  var operation: Contract.Operation? {
    get { attachment.rare?.details.operation ?? attachment.subject.operation }
    set { details.operation = newValue }
  }

  /// True if its response is a stream of events.
  var isStream: Bool { attachment.subject.isStream || attachment.rare?.details.operation?.isStream == true }

  /// The meaning of the request; nil if only its bytes are known.
  var intent: Intent? {
    get { attachment.meaning?.intent ?? attachment.subject.readIntent }
    set { attachment.setMeaning(Meaning(newValue, effect)) }
  }

  /// The content of the request, or of the response.
  var effect: Effect {
    get { attachment.effect }
    set { attachment.setMeaning(Meaning(attachment.meaning?.intent, newValue)) }
  }
}
