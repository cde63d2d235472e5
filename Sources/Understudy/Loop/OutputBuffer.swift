/// Bytes that wait for the socket to take them, and behind them bytes that may not go out yet.
struct OutputBuffer: ~Copyable, Sendable {
  var bytes: [UInt8] = []
  /// How many of them the socket has taken.
  private(set) var sent = 0
  /// How many of them the socket may have.
  private(set) var released = 0

  init() {}

  var pending: Int { released - sent }

  /// Bytes that are held until everything that may go out has gone: those that went are among them.
  var weight: Int { pending > 0 ? bytes.count : 0 }

  /// Lets the socket have what lies before a place.
  mutating func release(upTo place: Int) {
    precondition(place >= released && place <= bytes.count, "bytes are released in order")
    released = place
  }

  mutating func releaseAll() { released = bytes.count }

  mutating func advance(by count: Int) {
    sent += count
    precondition(sent <= released, "no more is sent than may be")
    guard sent == bytes.count else { return }
    sent = 0
    released = 0
    bytes.removeAll(keepingCapacity: true)
  }

  /// Drops what may not go out: it never will.
  mutating func discardUnreleased() {
    bytes.removeSubrange(released...)
    advance(by: 0)
  }

  /// Gives the storage back, so that idle connections cost nothing.
  mutating func releaseStorage() {
    guard bytes.isEmpty else { return }
    bytes = []
  }

  mutating func discard() {
    bytes = []
    sent = 0
    released = 0
  }
}
