package import JSON
import Primitives

/// A delay: before the handler runs, or in phase `after` between the change and the response's first byte.
package struct Latency: EffectBody {
  package static let kind = Effect.Kind(
    "latency", value: Distribution.shape,
    Effect.Kind.Page(
      "A delay, fixed or drawn from a distribution.",
      wire: "Nothing until the time has passed; `Server-Timing` has the planned and the measured delay.",
      limit: "In phase `before` the delay precedes the change of the state; in phase `after` it follows the change, "
        + "before the response's first byte. Delays of several rules add up. A drawn delay is at most an hour.",
      example: #"{"latency": {"uniform": ["1s", "3s"]}}"#),
    alias: "delay"
  ) { reader throws(ValidationError) in Latency(try Distribution(reader)) }

  package let distribution: Distribution
  /// The delay if it is not drawn, so that no request computes it.
  private let fixed: NanosecondDuration?

  package init(_ distribution: Distribution) {
    self.distribution = distribution
    if case .fixed = distribution { fixed = NanosecondDuration(distribution.delay(0)) } else { fixed = nil }
  }

  package var kind: Effect.Kind { Self.kind }
  package var description: String { "latency \(distribution.description)" }
  package var value: JSONValue { distribution.json }
  package var draws: Bool { fixed == nil }

  package func add(to plan: inout PlanDraft, _ ruleMatch: RuleMatch, _ counters: inout RuleCounters) {
    plan.record(ruleMatch)
    plan.add(fixed ?? NanosecondDuration(distribution.delay(ruleMatch.draw(.latency))), ruleMatch.phase)
  }
}

/// The distribution of a delay.
public enum Distribution: Sendable, Equatable {
  case fixed(Duration)
  case uniform(Duration, Duration)
  case normal(mean: Duration, deviation: Duration)
  /// The median, and the 99th percentile.
  case lognormal(median: Duration, p99: Duration)
  case percentiles([Percentile])

  /// A point of a measured distribution.
  public struct Percentile: Sendable, Equatable {
    /// The rank in thousandths of a percent, so that `99.9` is an integer.
    package let rank: Int
    package let delay: Duration

    init(rank: Int, delay: Duration) {
      self.rank = rank
      self.delay = delay
    }

    init(percent: Int, delay: Duration) { self.init(rank: percent * 1_000, delay: delay) }
  }
}

extension Distribution {
  /// Returns a delay in whole microseconds, from zero to an hour.
  ///
  /// Each distribution is the inverse of its cumulative function, applied to one value: a larger value gives a longer
  /// delay.
  package func delay(_ draw: UInt64) -> Duration {
    switch self {
    case .fixed(let delay): .microseconds(delay.wholeMicroseconds)
    case .uniform(let low, let high): Self.uniform(low.wholeMicroseconds, high.wholeMicroseconds, draw)
    case .normal(let mean, let deviation):
      Self.capped(
        Double(mean.wholeMicroseconds) + Double(deviation.wholeMicroseconds)
          * DeterministicMath.normalQuantile(DeterministicMath.unit(draw)))
    case .lognormal(let median, let p99): Self.lognormal(median.wholeMicroseconds, p99.wholeMicroseconds, draw)
    case .percentiles(let points): Self.interpolated(points, draw)
    }
  }

  private static func capped(_ microseconds: Double) -> Duration {
    .microseconds(Int64(min(max(microseconds + 0.5, 0), Double(Duration.maximumDelay.wholeMicroseconds))))
  }

  private static func uniform(_ low: Int64, _ high: Int64, _ draw: UInt64) -> Duration {
    .microseconds(low + Int64(draw.multipliedFullWidth(by: UInt64(high - low) + 1).high))
  }

  private static func lognormal(_ median: Int64, _ p99: Int64, _ draw: UInt64) -> Duration {
    let deviation = DeterministicMath.log(Double(p99) / Double(median)) / DeterministicMath.normalQuantile(0.99)
    return capped(
      Double(median) * DeterministicMath.exp(deviation * DeterministicMath.normalQuantile(DeterministicMath.unit(draw)))
    )
  }

  /// Interpolates linearly between two points. Below the first point the delay starts at half of it; above the last it
  /// continues with the same slope up to the hundredth percentile.
  private static func interpolated(_ points: [Percentile], _ draw: UInt64) -> Duration {
    let rank = UInt64(Percentile.whole) << 32
    let target = Int64(draw.multipliedFullWidth(by: rank).high)
    let first = points.first ?? Percentile(rank: 0, delay: .zero)
    var low = Percentile(rank: 0, delay: first.rank == 0 ? first.delay : first.delay / 2)
    var high = low
    for point in points where point.rank > 0 {
      low = high
      high = point
      if target < Int64(point.rank) << 32 { break }
    }
    let width = Int64(high.rank - low.rank) << 32
    guard width > 0 else { return capped(Double(high.delay.wholeMicroseconds)) }
    let rise = high.delay.wholeMicroseconds - low.delay.wholeMicroseconds
    let (upper, lower) = (target - Int64(low.rank) << 32).multipliedFullWidth(by: rise)
    let delay = low.delay.wholeMicroseconds + width.dividingFullWidth((upper, lower)).quotient
    return .microseconds(min(delay, Duration.maximumDelay.wholeMicroseconds))
  }
}
