import Faults
import JSON
import Testing

@Suite("A latency")
struct LatencyTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    /// Quantiles: the rank in thousandths, and the maximum in milliseconds.
    let quantiles: [(rank: Int, milliseconds: Double)]
    var testDescription: String { json.text }

    func distribution() throws -> Distribution {
      let effect = try Effect(json: ["latency": json])
      let latency = try #require(effect.body as? Latency)
      return latency.distribution
    }
  }

  static let shapes = [
    Shape(json: "250ms", quantiles: [(1, 250), (500, 250), (999, 250)]),
    Shape(
      json: ["uniform": ["1s", "3s"]],
      quantiles: [(10, 1_020), (250, 1_500), (500, 2_000), (750, 2_500), (990, 2_980)]),
    Shape(
      json: ["normal": ["mean": "200ms", "deviation": "20ms"]],
      quantiles: [(23, 160.09), (159, 180.03), (500, 200), (841, 219.97), (977, 239.91)]),
    Shape(
      json: ["lognormal": ["median": "80ms", "p99": "2s"]],
      quantiles: [(10, 3.2), (159, 20.06), (500, 80), (841, 319.05), (990, 2_000)]),
    Shape(
      json: ["percentiles": ["50": "80ms", "95": "400ms", "99": "2s"]],
      quantiles: [(250, 60), (500, 80), (725, 240), (950, 400), (970, 1_200), (990, 2_000), (995, 2_200)]),
  ]

  @Test("has the quantiles of its distribution", arguments: shapes)
  func quantiles(shape: Shape) throws {
    let distribution = try shape.distribution()
    let delays = draws(20_000).map { distribution.delay($0) }.sorted()
    for (rank, milliseconds) in shape.quantiles {
      let delay = delays[delays.count * rank / 1_000] / .milliseconds(1)
      let tolerance = rank >= 970 || rank <= 30 ? 0.12 : 0.05
      #expect(abs(delay - milliseconds) <= milliseconds * tolerance, "\(rank) of 1000: \(delay)")
    }
  }

  @Test("is exact where its inverse is known", arguments: shapes)
  func exactQuantiles(shape: Shape) throws {
    let distribution = try shape.distribution()
    for (rank, milliseconds) in shape.quantiles {
      let draw = UInt64(UInt64.max / 1_000) * UInt64(rank)
      let delay = distribution.delay(draw) / .milliseconds(1)
      #expect(abs(delay - milliseconds) <= milliseconds * 0.006, "\(rank) of 1000: \(delay)")
    }
  }

  @Test("is longer for a larger draw, never negative, and never over an hour", arguments: shapes)
  func monotonic(shape: Shape) throws {
    let distribution = try shape.distribution()
    let delays = ([0, 1, .max - 1, .max] + draws(2_000)).sorted().map { distribution.delay($0) }
    #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(delays.allSatisfy { .zero ... .seconds(3_600) ~= $0 })
    #expect(delays.allSatisfy { $0.components.attoseconds % 1_000_000_000_000 == 0 })
  }

  @Test("stays within its bounds for the smallest and the largest draw")
  func ends() {
    let uniform = Distribution.uniform(.seconds(1), .seconds(3))
    #expect(uniform.delay(0) == .seconds(1))
    #expect(uniform.delay(.max) == .seconds(3))
    #expect(Distribution.normal(mean: .seconds(1), deviation: .seconds(3_600)).delay(.max) == .seconds(3_600))
    #expect(Distribution.normal(mean: .seconds(1), deviation: .seconds(3_600)).delay(0) == .zero)
    #expect(Distribution.lognormal(median: .seconds(60), p99: .seconds(3_600)).delay(.max) == .seconds(3_600))
    #expect(Distribution.lognormal(median: .seconds(1), p99: .seconds(1)).delay(.max) == .seconds(1))
  }

  /// Computed independently with 50 digits; a different rounding would change the microsecond.
  static let golden: [(distribution: Distribution, draw: UInt64, microseconds: Int)] = [
    (.uniform(.seconds(1), .seconds(3)), 0x7654_3210_FEDC_BA98, 1_924_444),
    (.normal(mean: .milliseconds(200), deviation: .milliseconds(50)), 0x7654_3210_FEDC_BA98, 195_258),
    (.normal(mean: .milliseconds(200), deviation: .milliseconds(50)), 0xFFFF_0000_0000_0000, 408_478),
    (.normal(mean: .seconds(60), deviation: .seconds(6)), 0x0000_0000_0000_1000, 11_407_295),
    (.lognormal(median: .milliseconds(80), p99: .seconds(2)), 0x0123_4567_89AB_CDEF, 2_142),
    (.lognormal(median: .milliseconds(80), p99: .seconds(2)), 0xF123_4567_89AB_CDEF, 703_581),
    (.lognormal(median: .milliseconds(80), p99: .seconds(2)), 0xFFFF_FFFF_FFFF_0000, 3_600_000_000),
  ]

  @Test("is the same microsecond on every machine", arguments: golden)
  func goldenDelays(distribution: Distribution, draw: UInt64, microseconds: Int) {
    #expect(distribution.delay(draw) == .microseconds(microseconds))
  }
}
