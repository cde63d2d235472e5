import Primitives

/// The hash of content that comes in parts. It does not depend on where the content is divided.
struct ContentHash: Sendable {
  private var blocks = Fingerprint()
  /// The bytes of the last block, which is not full.
  private var rest: [UInt8] = []

  private static let blockSize = 4 << 10

  mutating func add(_ bytes: some Collection<UInt8>) {
    rest += bytes
    guard rest.count >= Self.blockSize else { return }
    var start = 0
    while rest.count - start >= Self.blockSize {
      blocks.add(rest, start..<start + Self.blockSize)
      start += Self.blockSize
    }
    rest.removeFirst(start)
  }

  var value: UInt64 {
    var whole = blocks
    whole.add(rest[...])
    return whole.value
  }
}
