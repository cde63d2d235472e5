/// The distribution of durations: exact counts in buckets, each at most 1/32 wider than its value.
///
/// The buckets are those of HdrHistogram: 32 equal ones per doubling, in microseconds, so that memory and recording
/// time are constant. A bucket excludes its lower bound and includes its upper bound, as Prometheus' `le` requires. The
/// counters are allocated with the first duration.
package struct Histogram: Sendable, Equatable {
  private var counts: [Int] = []
  package private(set) var count = 0
  @StoredNanoseconds package private(set) var sum: Duration = .zero
  @StoredNanoseconds package private(set) var minimum: Duration = .zero
  @StoredNanoseconds package private(set) var maximum: Duration = .zero

  /// The binary logarithm of the number of buckets per doubling.
  private static let precision = 5
  /// The upper bound of the last bucket, more than an hour; longer durations are counted in it, too.
  private static let longestMicroseconds = 1 << 32
  private static let bucketCount = index(of: longestMicroseconds) + 1

  package init() {}

  /// Records a duration; a negative one counts as zero.
  package mutating func record(_ duration: NanosecondDuration) {
    let duration = max(.zero, duration)
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
    // Microseconds are rounded up, so that a duration one nanosecond above a bound is in the next bucket.
    let microseconds = Int(min((duration.nanoseconds + 999) / 1_000, Int64(Self.longestMicroseconds)))
    counts[Self.index(of: microseconds)] += 1
    if count == 0 || duration < $minimum { $minimum = duration }
    if duration > $maximum { $maximum = duration }
    $sum = $sum + duration
    count += 1
  }

  private static func index(of microseconds: Int) -> Int {
    let value = max(0, microseconds - 1)
    let shift = max(0, Int.bitWidth - value.leadingZeroBitCount - precision - 1)
    return shift << precision + value >> shift
  }

  /// Returns the longest duration of a bucket.
  private static func upperEdge(_ index: Int) -> Duration {
    let shift = max(0, index >> precision - 1)
    return .microseconds((index - shift << precision + 1) << shift)
  }

  package struct Bucket: Sendable, Equatable {
    package let over: Duration
    package let upTo: Duration
    package let count: Int
  }

  /// The buckets that are not empty, the shortest durations first.
  package var buckets: [Bucket] {
    counts.indices.filter { counts[$0] > 0 }.map { index in
      Bucket(
        over: index == 0 ? .zero : Self.upperEdge(index - 1), upTo: Self.upperEdge(index), count: counts[index])
    }
  }

  /// Returns the number of durations up to a bound.
  ///
  /// - Parameter exponent: The bound, as a power of two of microseconds. These are bounds of buckets, so the count is
  ///   exact.
  package func count(upToMicroseconds exponent: Int) -> Int {
    guard !counts.isEmpty else { return 0 }
    return counts[...min(Self.index(of: 1 << exponent), counts.count - 1)].reduce(0, +)
  }

  /// Returns a quantile, given in permille, with the precision of a bucket.
  package func quantile(permille: Int) -> Duration {
    var rest = max(1, (count * permille + 999) / 1_000)
    for index in counts.indices {
      rest -= counts[index]
      if rest <= 0 { return min(maximum, max(minimum, Self.upperEdge(index))) }
    }
    return maximum
  }

  package var mean: Duration { count == 0 ? .zero : sum / count }
}
