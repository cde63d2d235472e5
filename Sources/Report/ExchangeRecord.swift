package import Contract
package import Primitives

/// The record of an exchange, or of a change without a request: one flat value without references.
///
/// The journal's JSON, the report card, the metrics and the request log read it. Its texts are in the journal's ring;
/// the values that only few exchanges have are stored beside it, by its id.
package struct ExchangeRecord: Sendable {
  /// The journal's id.
  package internal(set) var id: Int
  /// A number that increases with each change of any record.
  package var seq = 0
  /// The machine's time at which the exchange began.
  package let at: Instant
  package var texts: Texts
  /// The position in the ring of the response's field lines.
  private var fieldsStart = 0
  private var fieldsCount: UInt32 = 0
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
  /// The index of its attachment, until the exchange is judged; negative if there is none.
  package var attachment: Int32 = -1
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

extension ExchangeRecord {
  /// Creates the record of a request.
  ///
  /// - Parameters:
  ///   - api: The API's index in the catalogue, which the control API follows; nil for unknown paths.
  ///   - operation: The operation's index in its API; nil if the request matches none.
  ///   - connection: The connection's number, counted from the server's start; 0 if there is none.
  ///   - n: The number of the request in its stream; 0 if it was not counted.
  ///   - replayOf: The id of the record whose request a client's transport sent again; nil if this is no repetition.
  ///   - isPlanned: True if its plan has an effect.
  package init(
    id: Int, at: Instant, method: Method?, api: Int?, operation: Int? = nil, connection: Int, n: Int, replayOf: Int?,
    isPlanned: Bool = false, network: NetworkMark? = nil, texts: Texts
  ) {
    // An initializer that set these members itself would copy the whole record.
    self.init(
      id: id, at: at, texts: texts, replayedID: replayOf ?? 0,
      connectionNumber: UInt32(truncatingIfNeeded: connection), ordinal: UInt32(clamping: n),
      apiIndex: api.map { Int16(truncatingIfNeeded: $0) } ?? -1,
      operationIndex: operation.map { Int16(truncatingIfNeeded: $0) } ?? -1, method: method, network: network,
      marks: isPlanned ? .planned : [])
  }
}

extension ExchangeRecord {
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
    /// It is counted in the metrics, though it is not judged yet.
    static let counted = Marks(rawValue: 1 << 8)
    /// It is unknown whether it was applied: its client left too early, or the backend did not say.
    package static let effectUnknown = Marks(rawValue: 1 << 9)
    /// It was refused before all of its content had come.
    package static let incomplete = Marks(rawValue: 1 << 10)
    /// The content of its response was passed on, and its hash is known; there is no entity tag.
    static let contentHashed = Marks(rawValue: 1 << 11)
  }

  package enum NetworkMark: String, Sendable {
    /// The request arrived while the switch was offline, or the switch interrupted it.
    case offline
    /// Its response was held back.
    case held
  }

  /// The position in the ring of the request's head, as received except for masked secrets, and of its body after it.
  package struct Texts: Sendable {
    /// A part of the texts, counted from their start.
    package typealias Part = Range<Int>

    package let start: Int
    private var methodCount: Int32 = 0
    private var targetOffset: Int32 = 0
    private var targetCount: Int32 = 0
    private var pathOffset: Int32 = 0
    private var pathCount: Int32 = 0
    private var fieldsOffset: Int32 = 0
    private var headCount: Int32
    private var bodyCount: Int32 = 0

    /// Creates the position of a text that is no request.
    package init(start: Int, count: Int) {
      self.start = start
      headCount = Int32(count)
    }

    /// Creates the position of a request.
    ///
    /// - Parameters:
    ///   - head: The position of the head in the request's bytes, from which `target`, `path` and `fields` are counted, too.
    ///   - count: The number of the head's stored bytes, which differs where secrets are masked.
    ///   - fields: The start of the field lines; nil if there are none.
    package init(
      start: Int, head: Int, count: Int, method: Int, target: Range<Int>, path: Range<Int>, fields: Int?, body: Int
    ) {
      self.start = start
      methodCount = Int32(method)
      targetOffset = Int32(target.lowerBound - head)
      targetCount = Int32(target.count)
      pathOffset = Int32(path.lowerBound - head)
      pathCount = Int32(path.count)
      headCount = Int32(count)
      fieldsOffset = fields.map { Int32($0 - head) } ?? Int32(count)
      bodyCount = Int32(body)
    }

    package var method: Part { 0..<Int(methodCount) }
    package var target: Part { Self.part(targetOffset, targetCount) }
    /// The path in the target, as sent.
    package var path: Part { Self.part(pathOffset, pathCount) }
    package var fields: Part { Int(fieldsOffset)..<Int(headCount) }
    package var body: Part { Self.part(headCount, bodyCount) }
    package var range: Range<Int> { start..<start + Int(headCount) + Int(bodyCount) }

    private static func part(_ offset: Int32, _ count: Int32) -> Part { Int(offset)..<Int(offset) + Int(count) }
  }

  package struct Response: Sendable {
    package let status: Int
    /// The range in the ring of the field lines.
    package let fields: Range<Int>
    /// The number of bytes of the body that were released to the socket.
    package let bytes: Int
    /// The number of bytes of the complete body.
    package let of: Int

    package init(status: Int, fields: Range<Int>, bytes: Int, of: Int) {
      self.status = status
      self.fields = fields
      self.bytes = bytes
      self.of = of
    }
  }
}

extension ExchangeRecord {
  /// The API's index in the catalogue.
  package var api: Int? { apiIndex < 0 ? nil : Int(apiIndex) }

  package var connection: Int { Int(connectionNumber) }

  package var n: Int { Int(ordinal) }

  package var replayOf: Int? { replayedID == 0 ? nil : replayedID }

  /// The status whose line was sent.
  package internal(set) var status: Int? {
    get { statusCode > 0 ? Int(statusCode) : nil }
    set { statusCode = newValue.map { Int16(truncatingIfNeeded: $0) } ?? 0 }
  }

  /// The response, if it was begun.
  package var response: Response? {
    get {
      guard let status else { return nil }
      return Response(
        status: status, fields: fieldsStart..<fieldsStart + Int(fieldsCount), bytes: Int(sentBytes), of: Int(bodyBytes))
    }
    set {
      status = newValue?.status
      guard let newValue else { return }
      fieldsStart = newValue.fields.lowerBound
      fieldsCount = UInt32(newValue.fields.count)
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

  package var hasPlan: Bool { self[.planned] }
}
