package import Contract
package import Faults
package import Primitives

/// An exchange, or a change without a request: one value with its bytes.
///
/// The journal, the report card, the metrics and the request log are functions of it.
package struct Entry: Sendable {
  /// The journal's id.
  package internal(set) var id: Int
  /// A number that increases with each change of any entry.
  package var seq = 0
  /// The machine's time at which the exchange began.
  package let at: Instant
  package var texts: Texts
  /// The properties of its route.
  package internal(set) var subject: Subject
  /// The client, as it says itself; nil if none is judged by the exchange.
  package var client: Client?
  private(set) var rare: RareDetails?
  private var sentBytes: UInt32 = 0
  private var bodyBytes: UInt32 = 0
  private var versionCount: Int32 = -1
  private var firstVersion = 0
  /// The instant at which the exchange began, without the advances of the sandbox's clock.
  package var arrival = MonotonicInstant(nanoseconds: 0)
  /// The delay of the response.
  package var measured = NanosecondDuration.zero
  /// The time until the exchange ended.
  package var total = NanosecondDuration.zero
  /// The total advance of the sandbox's clock when the request came, and at the end.
  package var advancedAtArrival = NanosecondDuration.zero
  package var advancedAtEnd = NanosecondDuration.zero
  /// The time for which schedules had kept the sandbox offline by the end.
  package var timeOffline = NanosecondDuration.zero
  /// The hash of the request's body; 0 if it has none, or if its meaning is compared instead.
  package var body: UInt64 = 0
  private var tagHash: UInt64 = 0
  private var replayedID = 0
  var connectionNumber: UInt32
  private var ordinal: UInt32
  /// The API's index in the catalogue, which the control API follows, and the operation's index in its API; below zero
  /// where there is none.
  var apiIndex: Int16
  private(set) var operationIndex: Int16
  /// The status whose line was released to the socket; 0 if none was.
  private(set) var statusCode: Int16 = 0
  /// The method; nil if it is none of the known ones.
  package internal(set) var method: Method?
  package var outcome = ExchangeOutcome.pending
  /// The outcome by which the client is judged: it does not change when a response turns out not to have arrived.
  package var judgedOutcome = ExchangeOutcome.pending
  /// The effect of the network switch on the exchange; nil if there was none.
  package var network: NetworkMark?
  package private(set) var marks: Marks = []
}

extension Entry {
  /// Creates the entry of a request.
  ///
  /// - Parameters:
  ///   - api: The API's index in the catalogue, which the control API follows; nil for unknown paths.
  ///   - operation: The operation's index in its API; nil if the request matches none.
  ///   - connection: The connection's number, counted from the server's start; 0 if there is none.
  ///   - n: The number of the request in its stream; 0 if it was not counted.
  ///   - replayOf: The id of the entry whose request a client's transport sent again; nil if this is no repetition.
  ///   - isPlanned: True if its plan has an effect.
  package init(
    id: Int, at: Instant, method: Method?, api: Int?, operation: Int? = nil, connection: Int, n: Int, replayOf: Int?,
    isPlanned: Bool = false, network: NetworkMark? = nil, texts: Texts, subject: Subject = .unknown
  ) {
    // An initializer that set these members itself would copy the whole entry.
    self.init(
      id: id, at: at, texts: texts, subject: subject, replayedID: replayOf ?? 0,
      connectionNumber: UInt32(truncatingIfNeeded: connection), ordinal: UInt32(clamping: n),
      apiIndex: api.map { Int16(truncatingIfNeeded: $0) } ?? -1,
      operationIndex: operation.map { Int16(truncatingIfNeeded: $0) } ?? -1, method: method, network: network,
      marks: isPlanned ? .planned : [])
  }

  /// Creates the entry of a change without a request.
  ///
  /// - Parameter event: A sentence about it.
  package init(id: Int, at: Instant, event: ArraySlice<UInt8>, versions: Range<Int>?) {
    self.init(
      id: id, at: at, method: nil, api: nil, connection: 0, n: 0, replayOf: nil, texts: Texts(event: event))
    outcome = .event
    mark(.applied)
    self.versions = versions
  }
}

extension Entry {
  /// The properties of an exchange that it has or has not.
  package struct Marks: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// It changed the state.
    package static let applied = Marks(rawValue: 1)
    /// Its plan has an effect.
    package static let planned = Marks(rawValue: 1 << 1)
    /// The request may change the sandbox's state.
    package static let write = Marks(rawValue: 1 << 2)
    /// The request says on which version of its record it builds: `If-Match`.
    package static let conditionalWrite = Marks(rawValue: 1 << 3)
    /// The request asks for a fresh response whatever its client has: `Cache-Control: no-cache`.
    package static let refresh = Marks(rawValue: 1 << 4)
    /// The body is compared by its bytes: it is too long to be parsed for each attempt.
    package static let comparedByBytes = Marks(rawValue: 1 << 5)
    /// The response had an entity tag.
    package static let tagged = Marks(rawValue: 1 << 6)
    /// The plan damages the content; it was damaged only if the outcome is `sent`.
    package static let damagePlanned = Marks(rawValue: 1 << 7)
    /// It is unknown whether it was applied: its client left too early, or the backend did not say.
    package static let effectUnknown = Marks(rawValue: 1 << 8)
    /// It was refused before all of its content had come, and is not judged.
    package static let incomplete = Marks(rawValue: 1 << 9)
    /// The content of its response was passed on, and its hash is known; there is no entity tag.
    static let contentHashed = Marks(rawValue: 1 << 10)
  }

  package enum NetworkMark: String, Sendable {
    /// The request arrived while the switch was offline, or the switch interrupted it.
    case offline
    /// Its response was held back.
    case held
  }

  /// The status of a response that was begun, and how much of its body was sent.
  package struct Response: Sendable {
    package let status: Int
    /// The number of bytes of the body that were released to the socket.
    package let bytes: Int
    /// The number of bytes of the complete body.
    package let of: Int

    package init(status: Int, bytes: Int, of: Int) {
      self.status = status
      self.bytes = bytes
      self.of = of
    }
  }
}

extension Entry {
  /// The API's index in the catalogue.
  package var api: Int? { apiIndex < 0 ? nil : Int(apiIndex) }

  package var connection: Int { Int(connectionNumber) }

  package var n: Int { Int(ordinal) }

  package internal(set) var replayOf: Int? {
    get { replayedID == 0 ? nil : replayedID }
    set { replayedID = newValue ?? 0 }
  }

  /// The status whose line was sent.
  package internal(set) var status: Int? {
    get { statusCode > 0 ? Int(statusCode) : nil }
    set { statusCode = newValue.map { Int16(truncatingIfNeeded: $0) } ?? 0 }
  }

  /// The response, if it was begun.
  package var response: Response? {
    get {
      guard let status else { return nil }
      return Response(status: status, bytes: Int(sentBytes), of: Int(bodyBytes))
    }
    set {
      status = newValue?.status
      guard let newValue else { return }
      sentBytes = UInt32(clamping: newValue.bytes)
      bodyBytes = UInt32(clamping: newValue.of)
    }
  }

  /// The versions of the state before and after.
  package var versions: Range<Int>? {
    get { versionCount < 0 ? nil : firstVersion..<firstVersion + Int(versionCount) }
    set {
      versionCount = newValue.map { Int32(clamping: $0.count) } ?? -1
      firstVersion = newValue?.lowerBound ?? 0
    }
  }

  /// The hash of the response's entity tag.
  package var tag: UInt64? {
    get { self[.tagged] ? tagHash : nil }
    set {
      tagHash = newValue ?? 0
      self[.tagged] = newValue != nil
    }
  }

  /// The hash of content that was passed on; nil if it is not known, or if the tag tells responses apart.
  package var contentHash: UInt64? {
    get { self[.contentHashed] ? tagHash : nil }
    set {
      guard !self[.tagged] else { return }
      tagHash = newValue ?? 0
      self[.contentHashed] = newValue != nil
    }
  }

  package mutating func mark(_ mark: Marks) { marks.insert(mark) }

  /// True if the exchange has a property.
  subscript(mark: Marks) -> Bool {
    get { marks.contains(mark) }
    set { if newValue { marks.insert(mark) } else { marks.remove(mark) } }
  }

  package var isApplied: Bool { self[.applied] }

  /// True if it is not known whether the request was applied.
  package var isEffectUnknown: Bool { self[.effectUnknown] }

  /// Records that it is known whether the request was applied.
  package mutating func settleEffect() { self[.effectUnknown] = false }

  /// Records that it is unknown whether the request was applied: its 2xx arrived, but the content was cut.
  package mutating func forgetEffect() {
    guard isApplied else { return }
    self[.applied] = false
    self[.effectUnknown] = true
  }

  /// Sets the size of content that was passed on as it came.
  ///
  /// - Parameter length: The announced length; nil if there is none.
  package mutating func setContent(bytes: Int, of length: Int?) {
    sentBytes = UInt32(clamping: bytes)
    bodyBytes = UInt32(clamping: length ?? bytes)
  }

  /// Records the end of content that was passed on as it came.
  ///
  /// - Parameters:
  ///   - start: Its first bytes, as they are stored.
  ///   - length: The announced length; nil if there is none.
  ///   - advanced: The total advance of the sandbox's clock.
  package mutating func endContent(
    _ start: ArraySlice<UInt8>, bytes: Int, of length: Int?, at end: MonotonicInstant, _ advanced: NanosecondDuration
  ) {
    texts.append(body: start)
    setContent(bytes: bytes, of: length)
    total = NanosecondDuration(from: arrival, to: end)
    advancedAtEnd = advanced
  }

  /// The plan; nil if it has no effect.
  package var plan: Plan? { self[.planned] ? rare?.details.plan : nil }

  /// True if the backend answered, false if it was asked in vain; nil if it was not asked. A head whose content was cut while it
  /// was passed on is an answer, too.
  var isAnswered: Bool? {
    guard let upstream = rare?.details.upstream, upstream.status != nil || upstream.failure != nil else { return nil }
    return upstream.failure == nil || upstream.isCut
  }

  package var hasDetails: Bool { rare != nil }

  /// The details that most exchanges do not have.
  package var details: Details? {
    get { rare?.details }
    set { rare = newValue.map(RareDetails.init) }
  }

  /// The number of bytes in use, besides those that it shares with other entries.
  package var byteCount: Int {
    MemoryLayout<Entry>.stride + texts.bytes.capacity + (rare == nil ? 0 : MemoryLayout<Details>.stride)
  }
}
