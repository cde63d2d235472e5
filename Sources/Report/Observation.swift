import Contract
import Faults
import Primitives

/// One finished exchange as the checks see it while it is judged: a view of its record, of its attachment, and of
/// its texts. No check looks into a request or a response.
package struct Observation: Sendable {
  /// The journal's id.
  package var id = 0
  /// The client, as a hash of its own identification.
  var client: UInt64 = 0
  private var identification: Client?
  private var subject: Subject?
  private var rare: SharedDetails?
  private var content = RecordAttachment.Content.none
  /// The target, which only a sentence needs.
  package var target: ArraySlice<UInt8> = []
  /// The number of the connection; 0 where it is not known.
  var connection = 0
  /// True if the client said who it is by `Understudy-Client`; else two people may be taken for one.
  var isNamed = true
  /// True if the request may change the sandbox's state.
  var isWrite = false
  var isApplied = false
  /// True if the request says on which version of its record it builds: `If-Match`.
  var isConditionalWrite = false
  /// True if the request asks for a fresh response whatever it has: `Cache-Control: no-cache`.
  var isRefresh = false
  /// True if it goes on with a steady poll that was under way before: such a read shows no interest in a write.
  var isBackground = false
  /// True if it failed, and its client had been given the entity tag by a whole response before.
  var isTagKnown = false
  /// True if it is a write that failed, and the same one was answered beside it.
  var isAnsweredBeside = false
  /// True if its plan was not empty.
  private(set) var isPlanned = false
  var outcome = ExchangeOutcome.sent
  private var knownMethod: Method? = .get
  /// The API's index in the catalogue, and the status whose line was sent; below zero where there is none.
  private var apiIndex: Int16 = -1
  private var statusCode: Int16 = 200
  /// The hash of API and canonical path, which a retry, a later write and a re-read share.
  var pathHash: UInt64 = 0
  /// The hash of what else the target says: its query.
  var query: UInt64 = 0
  var body: UInt64 = 0
  /// True if the body is compared by its bytes: it is too long to be parsed for each attempt, and some are refused unread.
  var isComparedByBytes = false
  /// The hash that attempts of one logical request share, after `identify()`.
  private(set) var identity: UInt64 = 0
  /// The hash of the `Idempotency-Key`.
  var key: UInt64?
  /// The hash of the response's entity tag.
  var tag: UInt64?
  /// The versions of the state before and after.
  var versions: Range<Int>?
  /// The instants at which the request was complete and its exchange ended: real time plus the advances of the
  /// sandbox's clock.
  var arrival = MonotonicInstant(nanoseconds: 0)
  var end = MonotonicInstant(nanoseconds: 0)
  /// The time for which schedules had kept the sandbox offline by the end.
  @StoredNanoseconds var timeOffline: Duration
  /// The time for which the client waited, without the advances, which its own clock does not have.
  @StoredNanoseconds var waitedTime: Duration
  /// The delay of the response.
  @StoredNanoseconds var measuredDelay: Duration
  @StoredNanoseconds private var advancedAtArrival: Duration
  @StoredNanoseconds private var advancedAtEnd: Duration

  package final class SharedDetails: Sendable {
    let details: RareDetails

    package init(_ details: consuming RareDetails) { self.details = details }
  }

  package init() {}
}

extension Observation {
  /// Refers to the attachment of the record that it shows next.
  package mutating func refer(to attachment: RecordAttachment) {
    client = attachment.client.hash
    identification = attachment.client
    isNamed = attachment.client.isNamed
    subject = attachment.subject
    content = attachment.content
    rare = attachment.rare
    key = attachment.rare?.details.key
  }

  /// Becomes the view of a record; one value serves a batch, so that none of this size is copied.
  ///
  /// - Parameter texts: The head of the request, as the journal has it.
  package mutating func show(_ record: borrowing ExchangeRecord, _ texts: ArraySlice<UInt8>) {
    id = record.id
    connection = record.connection
    isWrite = record.marks.contains(.write)
    isApplied = record.isApplied
    isConditionalWrite = record.marks.contains(.conditionalWrite)
    isRefresh = record.marks.contains(.refresh)
    isComparedByBytes = record.marks.contains(.comparedByBytes)
    isPlanned = record.hasPlan
    outcome = record.judgedOutcome
    knownMethod = record.method
    apiIndex = record.apiIndex
    statusCode = record.statusCode
    body = record.body
    tag = record.tag
    versions = record.versions
    arrival = record.arrival + record.advancedAtArrival
    end = record.arrival + record.total + record.advancedAtEnd
    $timeOffline = record.timeOffline
    $waitedTime = record.total
    $measuredDelay = record.measured
    $advancedAtArrival = record.advancedAtArrival
    $advancedAtEnd = record.advancedAtEnd
    show(record.texts, texts)
    identify()
  }

  private mutating func show(_ places: ExchangeRecord.Texts, _ texts: ArraySlice<UInt8>) {
    let head = texts.startIndex
    let target = places.target.lowerBound + head..<places.target.upperBound + head
    let path = places.path.lowerBound + head..<places.path.upperBound + head
    self.target = texts[target].prefix(CheckRunner.maximumTargetBytes)
    pathHash = subject?.pathHash ?? 0
    if subject?.operation == nil { pathHash = Subject.pathHash(api, texts[path]) }
    query = 0
    if path.upperBound < target.upperBound,
      let mark = texts[path.upperBound..<target.upperBound].firstIndex(of: UInt8(ascii: "?"))
    {
      query = Self.hash(texts[mark + 1..<target.upperBound]).mixed(with: 1)
    }
  }

  /// The same with a target of its own, so that it can be kept while the journal goes on.
  package var standalone: Observation {
    var observation = self
    observation.target = Array(target)[...]
    return observation
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

  var peerHash: UInt64 { identification?.peerHash ?? Self.hash("") }

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
  private var details: RareDetails {
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
    get { content.meaning?.intent ?? subject?.readIntent }
    set { content = .meant(Meaning(newValue, effect)) }
  }

  /// The content of the request, or of the response.
  var effect: Effect {
    get { content.effect(of: subject) }
    set { content = .meant(Meaning(content.meaning?.intent, newValue)) }
  }

  /// The total advance of the sandbox's clock when the request came, and at the end.
  var advanced: ClosedRange<Duration> {
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
    if let intent = content.meaning?.intent { return intent.reads ? intent.record : nil }
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
    if isApplied || content.isAudited { traits.insert(.audited) }
    if $measuredDelay >= .seconds(1) { traits.insert(.delayed) }
    if subject?.isStream == true { traits.insert(.stream) }
    if subject?.isTimed == true || rare?.details.operation?.isTimed == true { traits.insert(.timed) }
    if hasFailed { traits.insert(.failed) }
    if key != nil { traits.insert(.keyed) }
    guard let rare else { return traits }
    if !rare.details.plan.isEmpty || !rare.details.plan.rules.isEmpty { traits.insert(.planned) }
    if rare.details.retryAfter != nil { traits.insert(.delayed) }
    return traits
  }
}

extension Observation {
  /// Computes the hash that makes requests equal; once, because most checks use it.
  ///
  /// Writes are equal by their meaning, reads by their target.
  mutating func identify() {
    guard isWrite else {
      identity = client.mixed(with: pathHash).mixed(with: verb).mixed(with: query).mixed(with: body).mixed(
        with: key ?? 1)
      return
    }
    let meant = intent ?? Intent(.none, record: pathHash, meaning: pathHash.mixed(with: verb).mixed(with: body))
    if intent == nil { intent = meant }
    identity = client.mixed(with: UInt64(api ?? 255))
    if isComparedByBytes { return identity = identity.mixed(with: pathHash).mixed(with: verb).mixed(with: body) }
    identity = identity.mixed(with: meant.kind.rawValue).mixed(with: meant.meaning)
  }

  /// The hash of the method.
  private var verb: UInt64 { isGet ? 1 : Self.hash(method) }

  package static func hash(_ text: String) -> UInt64 { FNV1a.hash(text) }
  package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 { Fingerprint(of: bytes).value }
}

extension UInt64 {
  /// Returns one hash of two. It withstands accidents, not malice.
  package func mixed(with word: UInt64) -> UInt64 { Fingerprint.mix(word, into: self) }
}
