import Testing

@testable import HTTP1

@Suite("The output of a connection")
struct OutputBufferTests {
  private func output(of count: Int) -> OutputBuffer {
    var output = OutputBuffer()
    output.bytes = [UInt8](repeating: 0x20, count: count)
    output.releaseAll()
    return output
  }

  @Test("gives its storage to others when all of it is sent, and not before")
  func giving() {
    var output = self.output(of: 100)
    var spare: [[UInt8]] = []
    output.advance(by: 99)
    output.giveStorage(to: &spare)
    #expect(spare.isEmpty && output.pending == 1)
    output.advance(by: 1)
    output.giveStorage(to: &spare)
    #expect(spare.count == 1 && output.bytes.capacity == 0)
    output.giveStorage(to: &spare)
    #expect(spare.count == 1)
  }

  @Test("keeps the storage of a long response")
  func long() {
    var output = self.output(of: 100_000)
    var spare: [[UInt8]] = []
    output.advance(by: 100_000)
    output.giveStorage(to: &spare)
    #expect(spare.isEmpty && output.bytes.capacity >= 100_000)
  }

  @Test("takes the storage of another only if it has none")
  func taking() {
    var spare = [[UInt8]](repeating: [], count: 2)
    for index in spare.indices { spare[index].reserveCapacity(1_000) }
    var used = output(of: 100)
    var new = OutputBuffer()
    used.takeStorage(from: &spare)
    #expect(spare.count == 2 && used.bytes.count == 100)
    new.takeStorage(from: &spare)
    #expect(spare.count == 1 && new.bytes.isEmpty && new.bytes.capacity >= 1_000)
  }
}
