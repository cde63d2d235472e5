/// An array in chunks: a write copies the chunk that another copy of the array shares, and not all elements.
struct ChunkedArray<Element: Sendable>: RandomAccessCollection, MutableCollection, Sendable {
  /// A write to a shared array copies a chunk and the list of chunks; their sum is least for 65,536 elements.
  private static var chunkSize: Int { 256 }

  private var chunks: [[Element]]
  let count: Int

  init(_ elements: [Element]) {
    count = elements.count
    chunks = stride(from: 0, to: elements.count, by: Self.chunkSize).map { start in
      Array(elements[start..<Swift.min(start + Self.chunkSize, elements.count)])
    }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Element {
    get { chunks[index / Self.chunkSize][index % Self.chunkSize] }
    set { chunks[index / Self.chunkSize][index % Self.chunkSize] = newValue }
  }

  /// Changes an element in place.
  mutating func change<Result>(_ index: Int, _ body: (inout Element) -> Result) -> Result {
    body(&chunks[index / Self.chunkSize][index % Self.chunkSize])
  }
}
