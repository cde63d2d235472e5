import Contract
import Faults

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
  /// The ordinal of the request in its stream; 0 if it was not counted.
  let n: Int
  /// The entry whose request a client's transport sent again.
  let replayOf: Int?
  let texts: Texts
  var outcome = Outcome.pending
  var response: ResponseRecord?
  var isApplied = false
  /// The versions of the state before and after.
  var versions: Range<Int>?
  var timing = Timing()
  var hasPlan = false
  /// The manner in which the network switch struck it.
  var network: NetworkMark?
  /// A remark by the handler.
  var remark: String?

  /// The ranges in the ring of the request's texts, which follow each other.
  struct Texts: Sendable {
    let start: Int
    let method: Int
    let target: Int
    let path: Int
    let fields: Int
    let body: Int

    var range: Range<Int> { start..<start + method + target + path + fields + body }
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

  struct Timing: Sendable {
    var planned: Duration = .zero
    var actual: Duration = .zero
    var total: Duration = .zero
  }

  enum NetworkMark: String, Sendable {
    /// It met the switch offline, or was cut off by it.
    case offline
    /// Its response was held back.
    case held
  }

  enum Outcome: Sendable, Equatable {
    /// The response is not complete yet.
    case pending
    /// The whole response was given to the socket.
    case sent
    /// The response ended with RST.
    case reset
    /// The response ended with FIN before it was complete.
    case closed
    /// The peer closed the connection before the response was complete.
    case peerGone
    /// The plan could not be carried out, for example because there was nothing to truncate. The whole response was
    /// sent.
    case notDeliverable
    /// The server stopped, or the sandbox was deleted.
    case cut
    /// Not a request: the state was changed in another way.
    case event

    var word: String {
      switch self {
      case .pending: "pending"
      case .sent: "sent"
      case .reset: "reset"
      case .closed: "closed"
      case .peerGone: "peer gone"
      case .notDeliverable: "not deliverable"
      case .cut: "cut"
      case .event: "event"
      }
    }
  }
}
