/// Bytes that wait for the socket to take them, and behind them bytes that may not go out yet.
struct OutputBuffer: ~Copyable, Sendable {
  var bytes: [UInt8] = []
  /// A long body that follows `bytes`, sent piece by piece from where it is kept: to copy it would hold up the loop.
  private(set) var body: [UInt8] = []
  /// How many of them the socket has taken.
  private(set) var sent = 0
  /// How many of them the socket may have.
  private(set) var released = 0

  init() {}

  var pending: Int { released - sent }

  /// Everything that is held, the long body included.
  var count: Int { bytes.count + body.count }

  /// A shorter body is copied. It is the output that keeps further requests waiting, so nothing comes behind a long body
  /// before it is sent.
  static let minimumLongBody = Connection.highWater

  /// Bytes that are held until everything that may go out has gone: those that went are among them.
  var weight: Int { pending > 0 ? count : 0 }

  /// The bytes to send next, as an array and a range in it.
  func next(atMost maximum: Int) -> (bytes: [UInt8], range: Range<Int>) {
    if sent < bytes.count { return (bytes, sent..<min(released, bytes.count, sent + maximum)) }
    let start = sent - bytes.count
    return (body, start..<min(released - bytes.count, start + maximum))
  }

  /// Puts a long body behind the head that was written.
  mutating func append(longBody: [UInt8]) {
    precondition(body.isEmpty, "a long body keeps the next reply waiting")
    body = longBody
  }

  /// Lets the socket have what lies before a place.
  mutating func release(upTo place: Int) {
    precondition(place >= released && place <= count, "bytes are released in order")
    released = place
  }

  mutating func releaseAll() { released = count }

  mutating func advance(by distance: Int) {
    sent += distance
    precondition(sent <= released, "no more is sent than may be")
    guard sent == count else { return }
    sent = 0
    released = 0
    bytes.removeAll(keepingCapacity: true)
    body = []
  }

  /// Drops what may not go out: it never will.
  mutating func discardUnreleased() {
    if released < bytes.count {
      bytes.removeSubrange(released...)
      body = []
    } else {
      body.removeSubrange((released - bytes.count)...)
    }
    advance(by: 0)
  }

  /// Gives the storage back, so that idle connections cost nothing.
  mutating func releaseStorage() {
    guard bytes.isEmpty else { return }
    bytes = []
  }

  mutating func discard() {
    bytes = []
    body = []
    sent = 0
    released = 0
  }
}
