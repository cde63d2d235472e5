/// Bytes that wait for the socket, followed by bytes that are not released yet.
struct OutputBuffer: ~Copyable, Sendable {
  var bytes: [UInt8] = []
  /// A long body that follows `bytes`. It is sent piece by piece from its storage, because copying it would delay the
  /// loop.
  private(set) var body: [UInt8] = []
  /// The number of bytes that the socket has accepted.
  private(set) var sent = 0
  /// The number of bytes that are released to the socket.
  private(set) var released = 0

  init() {}

  var pending: Int { released - sent }

  /// The number of all bytes, including the long body.
  var count: Int { bytes.count + body.count }

  /// Shorter bodies are copied. The unsent output defers further requests, so no bytes follow a long body before it is
  /// sent.
  static let minimumLongBody = Connection.highWater

  /// The number of bytes in memory while output is pending. Sent bytes count, because they are freed together with the
  /// rest.
  var byteCount: Int { pending > 0 ? count : 0 }

  /// Returns the bytes to send next, as an array and a range in it.
  func next(atMost maximum: Int) -> (bytes: [UInt8], range: Range<Int>) {
    if sent < bytes.count { return (bytes, sent..<min(released, bytes.count, sent + maximum)) }
    let start = sent - bytes.count
    return (body, start..<min(released - bytes.count, start + maximum))
  }

  /// Appends a long body after the written head.
  mutating func append(longBody: [UInt8]) {
    precondition(body.isEmpty, "the next response waits until a long body is sent")
    body = longBody
  }

  /// Releases the bytes before an offset.
  mutating func release(upTo index: Int) {
    precondition(index >= released && index <= count, "bytes are released in order")
    released = index
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

  /// Drops the bytes that are not released; they will never be sent.
  mutating func discardUnreleased() {
    if released < bytes.count {
      bytes.removeSubrange(released...)
      body = []
    } else {
      body.removeSubrange((released - bytes.count)...)
    }
    advance(by: 0)
  }

  /// Releases the storage, so that idle connections use none.
  mutating func releaseStorage() {
    guard bytes.isEmpty else { return }
    bytes = []
  }

  /// Drops all bytes. Workers free long storage: a turn in which hundreds of peers vanish would take long.
  mutating func discard(on workers: Workers?) {
    let storage = [bytes, body]
    bytes = []
    body = []
    sent = 0
    released = 0
    if storage.contains(where: { $0.capacity >= Self.minimumLongBody }) { workers?.discard(storage) }
  }
}
