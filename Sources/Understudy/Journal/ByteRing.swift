/// The newest bytes of an endless text, in blocks of which the oldest is used again for the newest.
///
/// Places are counted from the very first byte, so that one tells whether what it names is still there. It grows block by
/// block: of what is kept no more than the first block is ever copied to make room, since that would hold up whoever waits
/// for a reply meanwhile.
struct ByteRing: Sendable {
  /// All are full but for the last.
  private var blocks: [[UInt8]] = [[]]
  private let blockBytes: Int
  private let mostBlocks: Int
  /// The first place that is still there.
  private(set) var start = 0
  /// Where the next byte goes.
  private(set) var end = 0

  /// A single block is not shrunk below this.
  static let leastBytes = 4 << 10

  /// - Parameter mostBytes: At least two blocks.
  init(blockBytes: Int = 64 << 10, mostBytes: Int) {
    self.blockBytes = blockBytes
    mostBlocks = mostBytes / blockBytes
    precondition(mostBlocks > 1, "while one block is filled anew, another one is kept")
  }

  var count: Int { end - start }
  var capacity: Int { blocks.count > 1 ? blocks.count * blockBytes : blocks[0].capacity }
  /// What it can hold at all events.
  var longest: Int { (mostBlocks - 1) * blockBytes }

  /// - Parameter bytes: No more than `longest`.
  mutating func append(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count <= longest, "what is kept fits the ring")
    if bytes.count <= blockBytes - blocks[blocks.count - 1].count {
      blocks[blocks.count - 1] += bytes
      end += bytes.count
      return
    }
    var rest = bytes
    while !rest.isEmpty {
      if blocks[blocks.count - 1].count == blockBytes { addBlock() }
      let last = blocks.count - 1
      let piece = rest.prefix(blockBytes - blocks[last].count)
      blocks[last] += piece
      end += piece.count
      rest = rest.dropFirst(piece.count)
    }
  }

  private mutating func addBlock() {
    var block: [UInt8] = []
    if blocks.count == mostBlocks {
      block = blocks.removeFirst()
      start += block.count
      block.removeAll(keepingCapacity: true)
    }
    block.reserveCapacity(blockBytes)
    blocks.append(block)
  }

  /// Forgets the older half of what it can hold; false when it is as small as it gets.
  mutating func shrink() -> Bool {
    if blocks.count > 1 {
      let forgotten = blocks[..<(blocks.count / 2)]
      start += forgotten.reduce(0) { $0 + $1.count }
      blocks = Array(blocks[forgotten.endIndex...])
      return true
    }
    guard capacity > Self.leastBytes else { return false }
    let kept = min(blocks[0].count, capacity / 2)
    start = end - kept
    blocks = [Array(blocks[0].suffix(kept))]
    return true
  }

  func contains(_ range: Range<Int>) -> Bool { range.lowerBound >= start && range.upperBound <= end }

  subscript(range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var place = range.lowerBound
    while place < range.upperBound {
      let (block, offset) = spot(of: place)
      let piece = blocks[block][offset...].prefix(range.upperBound - place)
      bytes += piece
      place += piece.count
    }
    return bytes
  }

  /// The block that a place lies in, and where in it.
  private func spot(of place: Int) -> (block: Int, offset: Int) {
    let distance = place - start
    return (distance / blockBytes, distance % blockBytes)
  }
}
