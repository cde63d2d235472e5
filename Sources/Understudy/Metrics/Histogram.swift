import JSON

/// The distribution of durations: exact counts in buckets, each at most 1/32 wider than its value.
///
/// The buckets are those of HdrHistogram: 32 equal ones per doubling, in microseconds, so that memory and recording
/// time are constant. A bucket excludes its lower bound and includes its upper bound, as Prometheus' `le` requires. The
/// counters are allocated with the first duration.
struct Histogram: Sendable, Equatable {
  private var counts: [Int] = []
  private(set) var count = 0
  private(set) var sum: Duration = .zero
  private(set) var least: Duration = .zero
  private(set) var most: Duration = .zero

  /// The binary logarithm of the number of buckets per doubling.
  private static let precision = 5
  /// Longer durations (more than an hour) are counted in the last bucket.
  private static let longestMicroseconds = 1 << 32
  private static let bucketCount = index(of: longestMicroseconds) + 1

  /// Records a duration.
  ///
  /// - Parameter duration: Negative durations count as zero.
  mutating func record(_ duration: Duration) {
    let duration = max(.zero, duration)
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
    counts[Self.index(of: Self.microseconds(duration))] += 1
    least = count == 0 ? duration : min(least, duration)
    most = max(most, duration)
    sum += duration
    count += 1
  }

  /// Rounds up, so that a duration one nanosecond above a bound is in the next bucket.
  private static func microseconds(_ duration: Duration) -> Int {
    Int(min((duration.nanoseconds + 999) / 1_000, Int64(longestMicroseconds)))
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

  struct Bucket: Sendable, Equatable {
    let over: Duration
    let upTo: Duration
    let count: Int
  }

  /// The buckets that are not empty, the shortest durations first.
  var buckets: [Bucket] {
    counts.indices.filter { counts[$0] > 0 }.map { index in
      Bucket(
        over: index == 0 ? .zero : Self.upperEdge(index - 1), upTo: Self.upperEdge(index), count: counts[index])
    }
  }

  /// Returns the number of durations up to a bound.
  ///
  /// - Parameter exponent: The bound, as a power of two of microseconds. These are bounds of buckets, so the count is
  ///   exact.
  func count(upToMicroseconds exponent: Int) -> Int {
    guard !counts.isEmpty else { return 0 }
    return counts[...min(Self.index(of: 1 << exponent), counts.count - 1)].reduce(0, +)
  }

  /// Returns the quantile in permille, with the precision of a bucket.
  func quantile(permille: Int) -> Duration {
    var rest = max(1, (count * permille + 999) / 1_000)
    for index in counts.indices {
      rest -= counts[index]
      if rest <= 0 { return min(most, max(least, Self.upperEdge(index))) }
    }
    return most
  }

  var mean: Duration { count == 0 ? .zero : sum / count }
}

/// The completed delays of exchanges: planned, measured, and the lateness of each.
struct Delays: Sendable, Equatable {
  private(set) var planned = Histogram()
  private(set) var measured = Histogram()
  /// Measured minus planned; delays that ended too early count as 0.
  private(set) var lateness = Histogram()
  /// The number of delays that ended too early, which should always be 0.
  private(set) var early = 0

  mutating func record(planned: Duration, measured: Duration) {
    self.planned.record(planned)
    self.measured.record(measured)
    lateness.record(measured - planned)
    if measured < planned { early += 1 }
  }
}
