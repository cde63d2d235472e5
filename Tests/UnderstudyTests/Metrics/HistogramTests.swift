import Contract
import Testing

@testable import Primitives
@testable import Report
@testable import Understudy

@Suite("A histogram of delays")
struct HistogramTests {
  private static func histogram(_ durations: [Duration]) -> Histogram {
    var histogram = Histogram()
    for duration in durations { histogram.record(NanosecondDuration(duration)) }
    return histogram
  }

  @Test("counts each duration in a bucket that contains it and is at most 1/32 wide")
  func bucketsAreNarrow() throws {
    var microseconds = Array(0...200)
    for exponent in 7...31 {
      for offset in [-1, 0, 1, 12_345 % (1 << exponent)] { microseconds.append((1 << exponent) + offset) }
    }
    for value in microseconds {
      let duration = Duration.microseconds(value)
      let bucket = try #require(Self.histogram([duration]).buckets.first)
      #expect(bucket.count == 1)
      #expect(duration <= bucket.upTo && (duration > bucket.over || value == 0))
      #expect(bucket.upTo - bucket.over <= max(.microseconds(1), duration / 32), "\(duration) in \(bucket)")
    }
  }

  @Test("has buckets without gaps")
  func bucketsAreContiguous() {
    let buckets = Self.histogram((0..<5_000).map { .microseconds($0) }).buckets
    #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.upTo == $1.over })
    #expect(buckets.reduce(0) { $0 + $1.count } == 5_000)
  }

  @Test("counts a duration at a bucket's upper bound in this bucket, and one nanosecond more in the next")
  func edgesAreInclusive() {
    let edge = Duration.microseconds(1 << 10)
    #expect(Self.histogram([edge]).count(upToMicroseconds: 10) == 1)
    #expect(Self.histogram([edge + .nanoseconds(1)]).count(upToMicroseconds: 10) == 0)
    #expect(Self.histogram([.zero]).count(upToMicroseconds: 0) == 1)
    #expect(Histogram().count(upToMicroseconds: 10) == 0)
  }

  @Test("has the quantiles of a sorted list, to the width of a bucket")
  func quantilesAreRight() {
    let durations = (1...1_000).map { Duration.microseconds($0 * $0) }
    let histogram = Self.histogram(durations.reversed())
    for permille in [1, 500, 900, 990, 999, 1_000] {
      let exact = durations[permille - 1]
      let found = histogram.quantile(permille: permille)
      #expect(found >= exact && found <= exact + exact / 31, "\(permille): \(found), not \(exact)")
    }
    #expect(histogram.minimum == .microseconds(1) && histogram.maximum == .seconds(1))
    #expect(histogram.sum == durations.reduce(.zero, +))
  }

  @Test("keeps the longest duration, and the number of early ones")
  func keepsExtremes() {
    let long = Self.histogram([.seconds(86_400)])
    #expect(long.maximum == .seconds(86_400) && long.quantile(permille: 500) == .seconds(86_400))
    #expect(long.buckets.count == 1)
    var delays = Delays()
    delays.record(planned: .milliseconds(10), measured: .milliseconds(9))
    delays.record(planned: .milliseconds(10), measured: .milliseconds(12))
    #expect(delays.early == 1)
    #expect(delays.lateness.minimum == .zero && delays.lateness.maximum == .milliseconds(2))
  }
}
