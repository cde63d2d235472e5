import Faults
import Testing

@Suite("The draws of a seeded hash")
struct SeededHashTests {
  struct Golden: Sendable {
    let seed: UInt64
    let rule: String
    let stream: RequestKey
    let position: Ordinal
    let purpose: SeededHash.Purpose
    let draw: UInt64
  }

  static let golden = [
    Golden(seed: 1, rule: "a", stream: .patch, position: .ordinal(1), purpose: .chance, draw: 0x6BDAC8E93D576D25),
    Golden(seed: 1, rule: "a", stream: .patch, position: .ordinal(2), purpose: .chance, draw: 0xD1611AA43BDE554F),
    Golden(seed: 1, rule: "a", stream: .patch, position: .ordinal(1), purpose: .latency, draw: 0xB22B71730F23E57C),
    Golden(seed: 1, rule: "a", stream: .patch, position: .ordinal(1), purpose: .damage, draw: 0x25DA277E2FF09C8C),
    Golden(seed: 1, rule: "a", stream: .patch, position: .ordinal(1), purpose: .rivals, draw: 0xBA8F049D49557BB7),
    Golden(seed: 7, rule: "a", stream: .patch, position: .ordinal(1), purpose: .chance, draw: 0x96288241EFC5FFFE),
    Golden(seed: 1, rule: "b", stream: .patch, position: .ordinal(1), purpose: .chance, draw: 0x87219F1F2F881548),
    Golden(seed: 1, rule: "a", stream: .list, position: .ordinal(1), purpose: .chance, draw: 0x1BA8FD07ED0881F6),
    Golden(seed: 1, rule: "a", stream: .patch, position: .key("1"), purpose: .chance, draw: 0xC5E07799BB1417A2),
    Golden(seed: 1, rule: "é🎲", stream: .patch, position: .key("é🎲"), purpose: .chance, draw: 0xB8E6352B47538206),
    Golden(seed: .max, rule: "", stream: .patch, position: .ordinal(.max), purpose: .chance, draw: 0xC02E5671E0290331),
  ]

  private func drawn(
    seed: UInt64, rule: String, stream: RequestKey, position: Ordinal, purpose: SeededHash.Purpose
  ) -> UInt64 {
    SeededHash(seed: seed).folding(rule).folding(stream, position).draw(purpose)
  }

  @Test("are those of the first release", arguments: golden)
  func goldenDraws(golden: Golden) {
    let draw = drawn(
      seed: golden.seed, rule: golden.rule, stream: golden.stream, position: golden.position, purpose: golden.purpose)
    #expect(draw == golden.draw)
  }

  static let ratios = ["1/2", "1/10", "3/10", "1/3", "9/10", "1/100"].compactMap { Ratio($0) }

  @Test("match the ratio over requests, streams and seeds", arguments: ratios)
  func chiSquare(ratio: Ratio) {
    let count = 20_000
    let streams = (0..<count).map { RequestKey(api: "devices", method: "PATCH", path: "/devices/\($0)") }
    let requests = (0..<3).map { kind in
      (1...count).count { index in
        let draw = drawn(
          seed: kind == 0 ? UInt64(index) : 1, rule: "r", stream: kind == 1 ? streams[index - 1] : .patch,
          position: .ordinal(kind == 2 ? index : 1), purpose: .chance)
        return ratio.holds(draw)
      }
    }
    let expected = Double(count) * Double(ratio.numerator) / Double(ratio.denominator)
    for hits in requests {
      let difference = Double(hits) - expected
      let chiSquare = difference * difference * (1 / expected + 1 / (Double(count) - expected))
      // One degree of freedom: one in a thousand exceeds 10.8.
      #expect(chiSquare < 10.8, "\(hits) hits of \(expected)")
    }
  }

  @Test("are independent for different purposes")
  func purposes() {
    let pairs = (1...20_000).map { n in
      let draws = [SeededHash.Purpose.chance, .latency].map {
        drawn(seed: 1, rule: "r", stream: .patch, position: .ordinal(n), purpose: $0)
      }
      return (draws[0] >> 63, draws[1] >> 63)
    }
    let equal = pairs.count { $0.0 == $0.1 }
    #expect(abs(equal - 10_000) < 300)
  }

  @Test("differ for neighbouring requests and for neighbouring streams")
  func neighbours() {
    let draws = (1...4_000).map {
      drawn(seed: 1, rule: "r", stream: .patch, position: .ordinal($0), purpose: .chance)
    }
    let flips = zip(draws, draws.dropFirst()).map { ($0 ^ $1).nonzeroBitCount }
    let mean = Double(flips.reduce(0, +)) / Double(flips.count)
    #expect(abs(mean - 32) < 0.5)
    #expect(Set(draws).count == draws.count)
  }

  @Test("depend on where each part of a stream's name ends")
  func parts() {
    let streams = [
      RequestKey(api: "a", method: "GET", path: "/b"), RequestKey(api: "aGET", method: "", path: "/b"),
      RequestKey(api: "a", method: "GE", path: "T/b"), RequestKey(api: "a", method: "PUT", path: "/b"),
    ]
    let draws = streams.map { drawn(seed: 1, rule: "r", stream: $0, position: .ordinal(1), purpose: .chance) }
    #expect(Set(draws).count == streams.count)
  }
}

@Suite("A ratio")
struct RatioTests {
  @Test("is exact for the smallest and the largest draw")
  func ends() throws {
    #expect(try #require(Ratio("1/1")).holds(.max))
    #expect(try #require(Ratio("999999999/999999999")).holds(.max))
    #expect(try !#require(Ratio("0/1")).holds(0))
    #expect(Ratio.half.holds(UInt64.max / 2))
    #expect(!Ratio.half.holds(UInt64.max / 2 + 1))
  }

  @Test(
    "is refused unless it is two integers and a slash",
    arguments: ["", "1", "1/", "/2", "1/2/3", " 1/2", "1 /2", "+1/2", "1/1000000000"])
  func forms(text: String) { #expect(Ratio(text) == nil) }

  static let cuts: [(ratio: String, total: Int, offset: Int?)] = [
    ("1/2", 100, 50), ("1/2", 3, 1), ("1/3", 100, 33), ("0/1", 100, 0), ("1/1", 100, 99), ("99/100", 10, 9),
    ("1/2", 1, 0), ("1/2", 0, nil), ("999999999/999999999", .max, .max - 1),
  ]

  @Test("cuts a body so that at least one byte is missing", arguments: cuts)
  func cut(ratio: String, total: Int, offset: Int?) throws {
    #expect(try #require(Ratio(ratio)).offset(in: total) == offset)
  }
}
