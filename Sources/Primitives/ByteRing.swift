/// A ring buffer that stores the newest bytes in blocks; the oldest block is reused for new bytes.
///
/// Offsets count from the first byte ever appended, so they stay valid, and show if a byte is still stored. The ring
/// grows block by block: at most the first block is ever copied, because a larger copy would delay responses.
public struct ByteRing: Sendable {
  /// The full blocks, the oldest first.
  private var full: [[UInt8]] = []
  /// The block to which bytes are appended. It lies apart, so that an access to it is one to a single array.
  private var last: [UInt8] = []
  private let blockBytes: Int
  private let maximumBlocks: Int
  /// The offset of the first stored byte.
  public private(set) var start = 0
  /// The offset of the next byte.
  public private(set) var end = 0

  /// The smallest size to which a single block is shrunk.
  public static let minimumBytes = 4 << 10

  /// Creates a ring.
  ///
  /// - Parameter maximumBytes: The capacity; at least two blocks.
  public init(blockBytes: Int = 64 << 10, maximumBytes: Int) {
    self.blockBytes = blockBytes
    maximumBlocks = maximumBytes / blockBytes
    precondition(maximumBlocks > 1, "while one block is filled anew, another one is kept")
  }

  /// The number of stored bytes.
  public var count: Int { end - start }
  /// The number of bytes in use.
  public var capacity: Int { full.isEmpty ? last.capacity : (full.count + 1) * blockBytes }
  /// The maximum number of bytes that can be appended at once.
  public var longest: Int { (maximumBlocks - 1) * blockBytes }

  /// Appends bytes; returns true if the ring may have grown.
  ///
  /// - Parameter bytes: At most `longest`.
  @discardableResult
  public mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    precondition(bytes.count <= longest, "what is kept fits the ring")
    if bytes.count <= min(last.capacity, blockBytes) - last.count {
      last += bytes
      end += bytes.count
      return false
    }
    var rest = bytes
    while !rest.isEmpty {
      if last.count == blockBytes { addBlock() }
      let piece = rest.prefix(blockBytes - last.count)
      last += piece
      end += piece.count
      rest = rest.dropFirst(piece.count)
    }
    return true
  }

  private mutating func addBlock() {
    var block: [UInt8] = []
    full.append(last)
    if full.count == maximumBlocks {
      block = full.removeFirst()
      start += block.count
      block.removeAll(keepingCapacity: true)
    }
    block.reserveCapacity(blockBytes)
    last = block
  }

  /// Discards the older half of the capacity; returns false if the ring cannot become smaller.
  public mutating func shrink() -> Bool {
    if !full.isEmpty {
      let evicted = full[..<((full.count + 1) / 2)]
      start += evicted.reduce(0) { $0 + $1.count }
      full = Array(full[evicted.endIndex...])
      return true
    }
    guard capacity > Self.minimumBytes else { return false }
    let remaining = min(last.count, capacity / 2)
    start = end - remaining
    last = Array(last.suffix(remaining))
    return true
  }

  /// Returns true if a range is still stored.
  public func contains(_ range: Range<Int>) -> Bool { range.lowerBound >= start && range.upperBound <= end }

  /// Returns the start after so many bytes are appended.
  public func start(adding count: Int) -> Int {
    let free = blockBytes - last.count
    guard count > free else { return start }
    let added = (count - free + blockBytes - 1) / blockBytes
    return start + max(0, full.count + 1 + added - maximumBlocks) * blockBytes
  }

  /// Returns the bytes of a range, if possible without a copy. While the slice is in use, nothing can be appended.
  public func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
    guard !range.isEmpty else { return [] }
    let (block, offset) = position(of: range.lowerBound)
    guard offset + range.count <= block.count else { return self[range][...] }
    return block[offset..<offset + range.count]
  }

  /// Returns the bytes of a range that is stored.
  public subscript(range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let (block, offset) = position(of: index)
      let piece = block[offset...].prefix(range.upperBound - index)
      bytes += piece
      index += piece.count
    }
    return bytes
  }

  /// Returns the block of an offset, and the offset in this block.
  private func position(of index: Int) -> (block: [UInt8], offset: Int) {
    let (block, offset) = (index - start).quotientAndRemainder(dividingBy: blockBytes)
    return (block < full.count ? full[block] : last, offset)
  }
}
