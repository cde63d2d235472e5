import JSON

/// How often durations of each length came: exact counts in buckets of which each is at most 1/32 wider than its value.
///
/// The buckets are those of HdrHistogram: 32 equal ones to each doubling, counted in microseconds, so that memory and the
/// time to record are the same however many come. A bucket holds what is longer than its lower edge and at most as long
/// as its upper one, which is what Prometheus means by `le`. The counters are made when the first duration comes.
struct Histogram: Sendable, Equatable {
  private var counts: [Int] = []
  private(set) var count = 0
  private(set) var sum: Duration = .zero
  private(set) var least: Duration = .zero
  private(set) var most: Duration = .zero

  /// 2 to this are the buckets of one doubling.
  private static let precision = 5
  /// Longer durations, beyond an hour, are counted in the last bucket.
  private static let longestMicroseconds = 1 << 32
  private static let bucketCount = place(of: longestMicroseconds) + 1

  /// - Parameter duration: What is negative counts as nothing.
  mutating func record(_ duration: Duration) {
    let duration = max(.zero, duration)
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
    counts[Self.place(of: Self.microseconds(duration))] += 1
    least = count == 0 ? duration : min(least, duration)
    most = max(most, duration)
    sum += duration
    count += 1
  }

  /// Rounded up, so that what is longer than an edge by a nanosecond is behind it.
  private static func microseconds(_ duration: Duration) -> Int {
    Int(min((duration.nanoseconds + 999) / 1_000, Int64(longestMicroseconds)))
  }

  private static func place(of microseconds: Int) -> Int {
    let value = max(0, microseconds - 1)
    let shift = max(0, Int.bitWidth - value.leadingZeroBitCount - precision - 1)
    return shift << precision + value >> shift
  }

  /// The longest duration that a bucket holds.
  private static func upperEdge(_ place: Int) -> Duration {
    let shift = max(0, place >> precision - 1)
    return .microseconds((place - shift << precision + 1) << shift)
  }

  struct Bucket: Sendable, Equatable {
    let over: Duration
    let upTo: Duration
    let count: Int
  }

  /// The buckets that hold something, the shortest durations first.
  var buckets: [Bucket] {
    counts.indices.filter { counts[$0] > 0 }.map { place in
      Bucket(
        over: place == 0 ? .zero : Self.upperEdge(place - 1), upTo: Self.upperEdge(place), count: counts[place])
    }
  }

  /// How many were at most so long.
  ///
  /// - Parameter exponent: The length, as a power of two microseconds: these are edges, so the count is exact.
  func count(upToMicroseconds exponent: Int) -> Int {
    guard !counts.isEmpty else { return 0 }
    return counts[...min(Self.place(of: 1 << exponent), counts.count - 1)].reduce(0, +)
  }

  /// The duration that so many of a thousand were at most as long as, to the width of a bucket.
  func quantile(permille: Int) -> Duration {
    var rest = max(1, (count * permille + 999) / 1_000)
    for place in counts.indices {
      rest -= counts[place]
      if rest <= 0 { return min(most, max(least, Self.upperEdge(place))) }
    }
    return most
  }

  var mean: Duration { count == 0 ? .zero : sum / count }
}

/// The delays of exchanges that waited them out: as they were planned, as they were measured, and how late each was.
struct Delays: Sendable, Equatable {
  private(set) var planned = Histogram()
  private(set) var measured = Histogram()
  /// Measured less planned; what was early counts as 0 here.
  private(set) var lateness = Histogram()
  /// How many were over before their time, which none ever should be.
  private(set) var early = 0

  mutating func record(planned: Duration, measured: Duration) {
    self.planned.record(planned)
    self.measured.record(measured)
    lateness.record(measured - planned)
    if measured < planned { early += 1 }
  }
}
