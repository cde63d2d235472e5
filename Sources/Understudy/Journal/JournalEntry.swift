import Contract
import Faults

/// One exchange, or one change that came without a request, as the journal keeps it. Its texts lie in the journal's ring.
struct JournalEntry: Sendable {
  let id: Int
  /// Rises with each change of any entry.
  var seq: Int
  /// The machine's time at which the request was whole.
  let at: Instant
  /// The API's place in the catalogue, or nil for the control API and for paths that nobody owns.
  let api: Int?
  /// The connection's number, counted from the server's start.
  let connection: Int
  /// Which request of its stream it was; 0 where it was not counted.
  let n: Int
  /// The entry whose request a transport sent once more.
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
  /// What a handler had to say about it.
  var remark: String?

  /// Where in the ring the texts of the request lie, one after the other.
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
    /// Where in the ring the field lines lie.
    let fields: Range<Int>
    /// Bytes of the body that were sent.
    var bytes: Int
    /// Bytes of the body that there were to send.
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
    /// The reply is not out yet.
    case pending
    /// The whole reply was given to the socket.
    case sent
    /// RST ended it.
    case reset
    /// FIN ended it before the reply was whole.
    case closed
    /// The peer went away before the reply was whole.
    case peerGone
    /// The plan could not be carried out: there was nothing to truncate, say. The whole reply was sent.
    case notDeliverable
    /// The server stopped, or the sandbox was deleted.
    case cut
    /// No request: somebody changed the state otherwise.
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
