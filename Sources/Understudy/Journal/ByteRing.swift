/// The newest bytes of an endless text, in a ring that grows up to a bound.
///
/// Places are counted from the very first byte, so that one tells whether what it names is still there.
struct ByteRing: Sendable {
  private var storage: [UInt8]
  private let leastBytes: Int
  private let mostBytes: Int
  /// Where the next byte goes.
  private(set) var end = 0
  /// What lies before was forgotten when the ring shrank, and does not come back when it grows.
  private var floor = 0

  init(initially: Int = 4 << 10, mostBytes: Int) {
    leastBytes = min(initially, mostBytes)
    storage = Array(repeating: 0, count: leastBytes)
    self.mostBytes = mostBytes
  }

  /// The first place that is still there.
  var start: Int { max(floor, end - storage.count) }
  var count: Int { end - start }
  var capacity: Int { storage.count }

  /// - Parameter bytes: No more than the ring can ever hold.
  mutating func append(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count <= mostBytes, "what is kept fits the ring")
    while count + bytes.count > storage.count, storage.count < mostBytes { grow() }
    var rest = bytes
    while !rest.isEmpty {
      let place = end % storage.count
      let piece = rest.prefix(storage.count - place)
      storage.replaceSubrange(place..<place + piece.count, with: piece)
      end += piece.count
      rest = rest.dropFirst(piece.count)
    }
  }

  private mutating func grow() { resize(to: min(storage.count * 2, mostBytes)) }

  /// Forgets the older half of what it can hold; false when it is as small as it was at first.
  mutating func shrink() -> Bool {
    guard storage.count > leastBytes else { return false }
    resize(to: max(leastBytes, storage.count / 2))
    return true
  }

  private mutating func resize(to capacity: Int) {
    let old = self
    storage = Array(repeating: 0, count: capacity)
    floor = max(old.start, start)
    for place in floor..<end {
      storage[place % storage.count] = old.storage[place % old.storage.count]
    }
  }

  func contains(_ range: Range<Int>) -> Bool { range.lowerBound >= start && range.upperBound <= end }

  subscript(range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var place = range.lowerBound
    while place < range.upperBound {
      let first = place % storage.count
      let last = min(storage.count, first + range.upperBound - place)
      bytes += storage[first..<last]
      place += last - first
    }
    return bytes
  }
}
