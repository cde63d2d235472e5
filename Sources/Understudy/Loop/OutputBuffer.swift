/// Bytes that wait for the socket to take them.
package struct OutputBuffer: Sendable {
  package var bytes: [UInt8] = []
  /// How many of them the socket has taken.
  package private(set) var sent = 0

  package init() {}

  package var pending: Int { bytes.count - sent }

  package mutating func advance(by count: Int) {
    sent += count
    precondition(sent <= bytes.count, "no more is sent than there was")
    guard sent == bytes.count else { return }
    sent = 0
    bytes.removeAll(keepingCapacity: true)
  }

  /// Gives the storage back, so that idle connections cost nothing.
  package mutating func release() {
    guard pending == 0 else { return }
    bytes = []
  }

  package mutating func discard() {
    bytes = []
    sent = 0
  }
}
