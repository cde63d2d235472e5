import Contract
import Faults
import Primitives
import Report

/// One exchange, or one change without a request, as stored in the journal. Its texts are in the journal's ring.
struct JournalEntry: Sendable {
  let id: Int
  /// A number that increases with each change of any entry.
  var seq: Int
  /// The machine's time at which the request was complete.
  let at: Instant
  /// The API's index in the catalogue; nil for the control API and for unknown paths.
  let api: Int?
  /// The connection's number, counted from the server's start.
  let connection: Int
  /// The number of the request in its stream; 0 if it was not counted.
  let n: Int
  /// The id of the entry whose request a client's transport sent again; nil if this is no repetition.
  let replayOf: Int?
  let texts: Texts
  var outcome = Outcome.pending
  var response: ResponseRecord?
  var isApplied = false
  /// The versions of the state before and after.
  var versions: Range<Int>?
  var timing = Timing()
  var hasPlan = false
  /// The effect of the network switch on the exchange; nil if there was none.
  var network: NetworkMark?
  /// A remark by the handler.
  var remark: String?

  mutating func complete(_ end: borrowing End) {
    outcome = end.outcome
    response = end.response
    isApplied = end.isApplied
    versions = end.versions
    remark = end.remark
    timing.$measured = end.measured
    timing.$total = end.total
    if end.isCutOff { network = .offline }
  }

  /// The position in the ring of the request's head, as received except for masked secrets, and of its body after it.
  struct Texts: Sendable {
    /// A part of the head, counted from its start.
    struct Part: Sendable {
      var offset: Int32 = 0
      var count: Int32 = 0

      init() {}

      /// The part of a head that begins at `start`.
      init(_ range: Range<Int>, from start: Int) {
        offset = Int32(range.lowerBound - start)
        count = Int32(range.count)
      }
    }

    let start: Int
    var method = Part()
    var target = Part()
    /// The path in the target, as sent.
    var path = Part()
    var fields = Part()
    var body = Part()
    /// The number of bytes of all parts together.
    var count = 0

    init(start: Int) { self.start = start }

    var range: Range<Int> { start..<start + count }
  }

  struct ResponseRecord: Sendable {
    let status: Int
    /// The range in the ring of the field lines.
    let fields: Range<Int>
    /// The number of bytes of the body that were sent.
    var bytes: Int
    /// The number of bytes of the complete body.
    let of: Int
  }

  /// The outcome of an exchange, and its measurements.
  struct End: Sendable {
    var outcome: Outcome
    var versions: Range<Int>?
    var isApplied: Bool
    var measured: NanosecondDuration
    var total: NanosecondDuration
    var response: ResponseRecord?
    var remark: String?
    /// True if the network switch interrupted the exchange.
    var isCutOff = false
  }

  struct Timing: Sendable {
    @StoredNanoseconds var planned: Duration = .zero
    @StoredNanoseconds var measured: Duration = .zero
    @StoredNanoseconds var total: Duration = .zero
  }

  enum NetworkMark: String, Sendable {
    /// The request arrived while the switch was offline, or the switch interrupted it.
    case offline
    /// Its response was held back.
    case held
  }

  typealias Outcome = ExchangeOutcome
}
