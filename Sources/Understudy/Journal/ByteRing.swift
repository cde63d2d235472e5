/// A ring buffer that stores the newest bytes in blocks; the oldest block is reused for new bytes.
///
/// Offsets count from the first byte ever appended, so they stay valid, and show if a byte is still stored. The ring
/// grows block by block: at most the first block is ever copied, because a larger copy would delay responses.
struct ByteRing: Sendable {
  /// The blocks. All except the last are full.
  private var blocks: [[UInt8]] = [[]]
  private let blockBytes: Int
  private let maximumBlocks: Int
  /// The offset of the first stored byte.
  private(set) var start = 0
  /// The offset of the next byte.
  private(set) var end = 0

  /// The smallest size to which a single block is shrunk.
  static let minimumBytes = 4 << 10

  /// Creates a ring.
  ///
  /// - Parameter maximumBytes: The capacity; at least two blocks.
  init(blockBytes: Int = 64 << 10, maximumBytes: Int) {
    self.blockBytes = blockBytes
    maximumBlocks = maximumBytes / blockBytes
    precondition(maximumBlocks > 1, "while one block is filled anew, another one is kept")
  }

  var count: Int { end - start }
  var capacity: Int { blocks.count > 1 ? blocks.count * blockBytes : blocks[0].capacity }
  /// The maximum number of bytes that can be appended at once.
  var longest: Int { (maximumBlocks - 1) * blockBytes }

  /// Appends bytes; returns true if the ring may have grown.
  ///
  /// - Parameter bytes: At most `longest`.
  @discardableResult
  mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    precondition(bytes.count <= longest, "what is kept fits the ring")
    let last = blocks.count - 1
    if bytes.count <= min(blocks[last].capacity, blockBytes) - blocks[last].count {
      blocks[last] += bytes
      end += bytes.count
      return false
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
    return true
  }

  private mutating func addBlock() {
    var block: [UInt8] = []
    if blocks.count == maximumBlocks {
      block = blocks.removeFirst()
      start += block.count
      block.removeAll(keepingCapacity: true)
    }
    block.reserveCapacity(blockBytes)
    blocks.append(block)
  }

  /// Discards the older half of the capacity; returns false if the ring cannot become smaller.
  mutating func shrink() -> Bool {
    if blocks.count > 1 {
      let evicted = blocks[..<(blocks.count / 2)]
      start += evicted.reduce(0) { $0 + $1.count }
      blocks = Array(blocks[evicted.endIndex...])
      return true
    }
    guard capacity > Self.minimumBytes else { return false }
    let remaining = min(blocks[0].count, capacity / 2)
    start = end - remaining
    blocks = [Array(blocks[0].suffix(remaining))]
    return true
  }

  func contains(_ range: Range<Int>) -> Bool { range.lowerBound >= start && range.upperBound <= end }

  /// Returns the start after so many bytes are appended.
  func start(adding count: Int) -> Int {
    let free = blockBytes - blocks[blocks.count - 1].count
    guard count > free else { return start }
    let added = (count - free + blockBytes - 1) / blockBytes
    return start + max(0, blocks.count + added - maximumBlocks) * blockBytes
  }

  /// Returns the bytes of a range, if possible without a copy. While the slice is in use, nothing can be appended.
  func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
    guard !range.isEmpty else { return [] }
    let (block, offset) = position(of: range.lowerBound)
    guard offset + range.count <= blocks[block].count else { return self[range][...] }
    return blocks[block][offset..<offset + range.count]
  }

  subscript(range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let (block, offset) = position(of: index)
      let piece = blocks[block][offset...].prefix(range.upperBound - index)
      bytes += piece
      index += piece.count
    }
    return bytes
  }

  /// Returns the block of an offset, and the offset in this block.
  private func position(of index: Int) -> (block: Int, offset: Int) {
    let distance = index - start
    return (distance / blockBytes, distance % blockBytes)
  }
}
