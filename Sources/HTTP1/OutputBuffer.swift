/// A connection's output: sent bytes, bytes that wait for the socket, and bytes that are not released to it yet.
package struct OutputBuffer: ~Copyable, Sendable {
  package var bytes: [UInt8] = []
  /// A long body that follows `bytes`. It is sent piece by piece from its storage, because copying it would delay the
  /// loop.
  package private(set) var body: [UInt8] = []
  /// The number of bytes that the socket has accepted.
  package private(set) var sent = 0
  /// The number of bytes that are released to the socket.
  package private(set) var released = 0

  package init() {}

  package var pending: Int { released - sent }

  /// The number of all bytes, including the long body.
  package var count: Int { bytes.count + body.count }

  /// Shorter bodies are copied. The unsent output defers further requests, so no bytes follow a long body before it is
  /// sent.
  package static let minimumLongBody = ServerConnection.highWater

  /// The number of bytes in memory while output is pending. Sent bytes count, because they are freed together with the
  /// rest.
  package var byteCount: Int { pending > 0 ? count : 0 }

  /// The number of bytes in memory that wait for the peer to read: those that are not released wait for their owner.
  package var unreadCount: Int { pending > 0 ? released : 0 }

  /// Returns the bytes to send next, as an array and a range in it.
  package func next(atMost maximum: Int) -> (bytes: [UInt8], range: Range<Int>) {
    if sent < bytes.count { return (bytes, sent..<min(released, bytes.count, sent + maximum)) }
    let start = sent - bytes.count
    return (body, start..<min(released - bytes.count, start + maximum))
  }

  /// Appends a long body after the written head.
  package mutating func append(longBody: [UInt8]) {
    precondition(body.isEmpty, "the next response waits until a long body is sent")
    body = longBody
  }

  /// Releases the bytes before an offset.
  package mutating func release(upTo index: Int) {
    precondition(index >= released && index <= count, "bytes are released in order")
    released = index
  }

  package mutating func releaseAll() { released = count }

  package mutating func advance(by distance: Int) {
    sent += distance
    precondition(sent <= released, "no more is sent than may be")
    guard sent == count else { return }
    sent = 0
    released = 0
    bytes.removeAll(keepingCapacity: true)
    body = []
  }

  /// Drops the bytes that are not released; they will never be sent.
  package mutating func discardUnreleased() {
    if released < bytes.count {
      bytes.removeSubrange(released...)
      body = []
    } else {
      body.removeSubrange((released - bytes.count)...)
    }
    advance(by: 0)
  }

  /// Releases the storage, so that idle connections use none.
  package mutating func releaseStorage() {
    guard bytes.isEmpty else { return }
    bytes = []
  }

  /// Drops all bytes, and returns their storage.
  package mutating func removeAll() -> [[UInt8]] {
    let storage = [bytes, body]
    self = OutputBuffer()
    return storage
  }
}
