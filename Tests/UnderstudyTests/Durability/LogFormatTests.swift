import LiveTesting
import Primitives
import Testing

@testable import StateLog
@testable import Understudy

@Suite("The format of the state log")
struct LogFormatTests {
  private static let payloads: [[UInt8]] = [
    Array("{\"image\":1}\n".utf8), Array("{\"in\":\"default\"}\n".utf8), Array("x".utf8),
    Array("{\"in\":\"ci-42\",\"devices\":[\"record\",0,{\"id\":\"A\"}]}\n".utf8),
  ]

  private static let log: [UInt8] = LogFormat.header + frames(payloads)

  private static func frames(_ payloads: [[UInt8]]) -> [UInt8] {
    payloads.enumerated().flatMap { LogFormat.frame($0.element, number: $0.offset + 1) }
  }

  private static func payloads(_ content: LogFormat.Content) -> [[UInt8]] { content.payloads.map { Array($0) } }

  /// The ends of the frames, beginning with the header.
  private static let ends: [Int] = payloads.reduce(into: [LogFormat.header.count]) { ends, payload in
    ends.append(ends[ends.count - 1] + LogFormat.overhead + payload.count)
  }

  @Test("the checksum is that of RFC 3720, appendix B.4")
  func checksum() {
    #expect(CRC32C.of(Array("123456789".utf8)) == 0xE306_9283)
    #expect(CRC32C.of([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(CRC32C.of(0..<32) == 0x46DD_794E)
  }

  @Test("frames are read as they were written")
  func roundTrip() throws {
    let content = try LogFormat.read(Self.log)
    #expect(Self.payloads(content) == Self.payloads)
    #expect(content.offsets == Self.ends.dropLast())
    #expect(content.end == Self.log.count)
  }

  @Test("a log that is cut after the image is read up to the last complete frame")
  func cut() throws {
    for count in 0..<Self.log.count {
      let bytes = Array(Self.log[..<count])
      guard count >= Self.ends[1] else {
        #expect(throws: LogFormat.LogError.self, "\(count): the image was whole before the file had its name") {
          try LogFormat.read(bytes)
        }
        continue
      }
      let content = try LogFormat.read(bytes)
      let whole = Self.ends.count { $0 <= count } - 1
      #expect(Self.payloads(content) == Array(Self.payloads[..<whole]), "\(count)")
      #expect(content.end == Self.ends[whole])
    }
  }

  @Test("a flipped bit is refused with its position, or cut off with the last frame")
  func flip() {
    for bit in 0..<Self.log.count * 8 {
      var bytes = Self.log
      bytes[bit / 8] ^= 1 << (bit % 8)
      do throws(LogFormat.LogError) {
        let content = try LogFormat.read(bytes)
        #expect(bit / 8 >= Self.ends[3], "bit \(bit) is not in the last frame")
        #expect(Self.payloads(content) == Array(Self.payloads[..<3]), "bit \(bit)")
      } catch {
        #expect(bit / 8 < Self.ends[3], "bit \(bit) could be a torn end")
        #expect(error.offset <= bit / 8, "bit \(bit): \(error)")
      }
    }
  }

  @Test("a log of a later version and a file of another format are refused with the reason")
  func versions() {
    let later = Array("understudy state 2\n".utf8) + Self.frames(Self.payloads)
    #expect(
      throws: LogFormat.LogError(offset: 17, expectation: "version 1, found 2: use an understudy of that version")
    ) { try LogFormat.read(later) }
    #expect(throws: LogFormat.LogError(offset: 0, expectation: "the line \"understudy state 1\"")) {
      try LogFormat.read(Array("[]".utf8))
    }
  }

  @Test("a frame out of order is refused")
  func order() {
    let first = LogFormat.frame(Self.payloads[0], number: 1)
    let third = LogFormat.frame(Self.payloads[2], number: 3)
    let flaw = #expect(throws: LogFormat.LogError.self) { try LogFormat.read(LogFormat.header + first + third) }
    #expect(flaw?.offset == Self.ends[1])
    #expect(throws: LogFormat.LogError.self) { try LogFormat.read(LogFormat.header + first + first) }
  }

  @Test("damaged bytes give only payloads that were written, and an error offset within the file")
  func fuzz() {
    let dictionary = [Array(Self.log.dropFirst(LogFormat.header.count).prefix(LogFormat.overhead)), LogFormat.header]
    Fuzz("state log", rounds: 1_000).run { random, note in
      var bytes = Self.log
      random.mutate(
        &bytes, dictionary: dictionary + [[0, 0x55, 0x53, 0x1E], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]])
      if random.oneIn(3) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      do throws(LogFormat.LogError) {
        let content = try LogFormat.read(bytes)
        #expect((0...bytes.count).contains(content.end), "\(note)")
        for (index, payload) in Self.payloads(content).enumerated() {
          #expect(index < Self.payloads.count && payload == Self.payloads[index], "\(note)")
        }
      } catch {
        #expect((0...bytes.count).contains(error.offset) && !error.expectation.isEmpty, "\(note)")
      }
    }
  }
}

extension CRC32C {
  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var checksum = CRC32C()
    checksum.update(bytes)
    return checksum.value
  }
}
