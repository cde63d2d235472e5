import Contract

@testable import Primitives
@testable import Understudy

/// The network between a peer and the server: bytes in transit, a bounded socket buffer, and a record of everything.
final class SimulatedConnection {
  var connection: Connection
  var name: String { "connection \(connection.link.number)" }
  let sandboxOfPort: String?
  /// The requests that the peer will send, in order.
  var requests: [SimulatedRequest] = []

  /// Bytes that have arrived at the server and are not read yet.
  var arrived: [UInt8] = []
  /// The number of bytes that the server has read.
  var read = 0
  var hasFinArrived = false
  var wasFinRead = false
  /// True if the peer is gone: further output causes a reset.
  var isBroken = false

  /// The bytes that the server has sent, with their times.
  private(set) var sent: [UInt8] = []
  private(set) var pieces: [Piece] = []
  /// The number of bytes that the peer has accepted.
  var taken = 0
  /// The number of bytes that the socket accepts before the peer must read.
  let capacity: Int
  private(set) var end: End?

  /// The reason why the connection may end before its responses, independent of the plans.
  var excuse: String?
  /// True if the server ignores further input: it stops, or its timeout has passed.
  var isUnheard = false

  // The loop's information about it.
  var isDirty = false
  var wakeUp: MonotonicInstant?
  var timer: MonotonicInstant?
  /// Called when bytes or the end have arrived at the peer.
  var notify: () -> Void = {}

  struct Piece {
    let end: Int
    let at: MonotonicInstant
  }

  struct End {
    let kind: Kind
    let at: MonotonicInstant

    enum Kind { case finished, reset, closed }
  }

  init(_ connection: consuming Connection, sandboxOfPort: String?, capacity: Int) {
    self.connection = connection
    self.sandboxOfPort = sandboxOfPort
    self.capacity = capacity
  }

  var room: Int { capacity - (sent.count - taken) }
  var isReadable: Bool { !arrived.isEmpty || hasFinArrived && !wasFinRead || isBroken }

  func carry(_ bytes: ArraySlice<UInt8>, at now: MonotonicInstant) {
    precondition(end == nil, "no byte follows the end of a connection")
    sent += bytes
    pieces.append(Piece(end: sent.count, at: now))
  }

  func finish(_ kind: End.Kind, at now: MonotonicInstant) {
    // A socket that was shut down is closed later.
    if end == nil { end = End(kind: kind, at: now) }
  }
}
