import Contract

@testable import Understudy

/// What lies between a peer and the server: bytes on their way, a socket buffer with bounds, and a record of it all.
final class Cable {
  let connection: Connection
  var name: String { "connection \(connection.number)" }
  let sandboxOfPort: String?
  /// The requests that the peer means to send, in their order.
  var requests: [SimulatedRequest] = []

  /// Bytes that have come to the server's end and are not read yet.
  var arrived: [UInt8] = []
  /// How many bytes the server has read.
  var read = 0
  var hasFinArrived = false
  var wasFinRead = false
  /// Whether the peer is gone: what is sent meets a reset.
  var isBroken = false

  /// All that the server has sent, and when.
  private(set) var sent: [UInt8] = []
  private(set) var pieces: [Piece] = []
  /// How much of it the peer has taken.
  var taken = 0
  /// How many bytes the socket takes before the peer must read.
  let capacity: Int
  private(set) var end: End?

  /// Why the connection may have ended before its replies did, whatever the plans say.
  var excuse: String?
  /// Whether the server no longer looks at what comes: it stops, or waited long enough.
  var isUnheard = false

  // What the loop knows about it.
  var isDirty = false
  var wakeUp: Tick?
  var timer: Tick?
  /// Told when bytes or the end have come to the peer.
  var notify: () -> Void = {}

  struct Piece {
    let end: Int
    let at: Tick
  }

  struct End {
    let kind: Kind
    let at: Tick

    enum Kind { case finished, reset, closed }
  }

  init(_ connection: Connection, sandboxOfPort: String?, capacity: Int) {
    self.connection = connection
    self.sandboxOfPort = sandboxOfPort
    self.capacity = capacity
  }

  var room: Int { capacity - (sent.count - taken) }
  var isReadable: Bool { !arrived.isEmpty || hasFinArrived && !wasFinRead || isBroken }

  func carry(_ bytes: ArraySlice<UInt8>, at now: Tick) {
    precondition(end == nil, "no byte follows the end of a connection")
    sent += bytes
    pieces.append(Piece(end: sent.count, at: now))
  }

  func finish(_ kind: End.Kind, at now: Tick) {
    // A socket that was shut down is closed later.
    if end == nil { end = End(kind: kind, at: now) }
  }
}
