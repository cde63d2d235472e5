import Testing

@testable import Services
@testable import Understudy

@Suite("Arrays in chunks")
struct ChunkedArrayTests {
  @Test("a write changes its element, and no copy made before", arguments: [1, 255, 256, 257, 1_000])
  func write(count: Int) {
    let numbers = Array(0..<count)
    for index in Set([0, count / 2, count - 1]) {
      var chunked = ChunkedArray(numbers)
      let earlier = chunked
      chunked[index] = -1
      #expect(chunked.elementsEqual(numbers.map { $0 == index ? -1 : $0 }))
      #expect(earlier.elementsEqual(numbers))
    }
    #expect(ChunkedArray([Int]()).isEmpty)
  }
}
