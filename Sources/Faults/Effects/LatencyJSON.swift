import JSON
import Primitives

/// The members of a latency.
private enum Grammar {
  static let range: ClosedRange<Duration> = .zero ... .maximumDelay
  static let positive: ClosedRange<Duration> = .microseconds(1) ... .maximumDelay
  static let expectation = """
    a duration or one of {"uniform": ["1s", "3s"]}, {"normal": {"mean", "deviation"}}, \
    {"lognormal": {"median", "p99"}}, {"percentiles": {"50": "80ms", "99": "2s"}}
    """

  static let forms = [uniform.member, normal.member, lognormal.member, percentiles.member]

  static let fixed = Key.duration("latency", in: range, "The delay.", isRequired: true)
  static let form = Key<JSONValue.Object>(
    "latency", .object(forms), "A distribution.", isRequired: true, expectation: expectation, read: \.object)
  static let uniform = Key<[JSONValue]>(
    "uniform", .array(of: .duration(range), 2...2),
    "The shortest and the longest delay; all delays between them are "
      + "equally likely.",
    isRequired: true, expectation: "an array of two durations, as in [\"1s\", \"3s\"]"
  ) { value in
    value.array.flatMap { $0.count == 2 ? $0 : nil }
  }
  static let normal = Key.object(
    "normal", [mean.member, deviation.member], "A normal distribution; a delay below zero is zero.",
    example: #"{"mean": "200ms", "deviation": "50ms"}"#)
  static let mean = Key.duration("mean", in: range, "Its mean.", isRequired: true)
  static let deviation = Key.duration("deviation", in: range, "Its standard deviation.", isRequired: true)
  static let lognormal = Key.object(
    "lognormal", [median.member, p99.member], "A log-normal distribution, like that of round trips with a long tail.",
    example: #"{"median": "80ms", "p99": "2s"}"#)
  static let median = Key.duration("median", in: positive, "Its median.", isRequired: true)
  static let p99 = Key.duration(
    "p99", in: positive, "The 99th percentile, at least the median.", isRequired: true)
  static let percentiles = Key<JSONValue.Object>(
    "percentiles", .map(of: .duration(range), named: .percentile, 1...Distribution.Percentile.maximumCount),
    "A measured distribution: the delay for each percentile from `0` to `100`, which has at most three decimals. The "
      + "delays must not decrease.",
    isRequired: true, expectation: #"an object, as in {"50": "80ms", "99": "2s"}"#, read: \.object)
}

extension Distribution {
  /// A duration, or one of the forms with the one member that it has.
  static let shape = Shape.oneOf([.duration(Grammar.range)] + Grammar.forms.map { .object([$0]) })

  /// Parses the member `latency`.
  init(_ reader: Reader) throws(ValidationError) {
    if reader.object["latency"]?.string != nil {
      self = .fixed(try reader.value(Grammar.fixed))
      return
    }
    let form = try reader.object(Grammar.form)
    guard let word = form.object.members.first?.name, form.object.members.count == 1 else {
      throw ValidationError(form.pointer, "expected \(Grammar.expectation), found \(form.object.members.count) of them")
    }
    switch word {
    case Grammar.uniform.name: self = try Self.uniform(form)
    case Grammar.normal.name: self = try Self.normal(form)
    case Grammar.lognormal.name: self = try Self.lognormal(form)
    default: self = try Self.percentiles(form)
    }
  }

  private static func uniform(_ form: Reader) throws(ValidationError) -> Distribution {
    let ends = try form.value(Grammar.uniform)
    let pointer = form.pointer / "uniform"
    var delays: [Duration] = []
    for (index, end) in ends.enumerated() {
      guard let delay = Reader.duration(end, in: Grammar.range) else {
        throw ValidationError(
          pointer / index, "expected \(Reader.expectation(Grammar.range)), found \(Reader.found(end))")
      }
      delays.append(delay)
    }
    guard delays[0] <= delays[1] else {
      throw ValidationError(
        pointer, "expected the shorter delay first, found \(Reader.found(ends[0])) before the other")
    }
    return .uniform(delays[0], delays[1])
  }

  private static func normal(_ form: Reader) throws(ValidationError) -> Distribution {
    let normal = try form.object(Grammar.normal)
    return .normal(mean: try normal.value(Grammar.mean), deviation: try normal.value(Grammar.deviation))
  }

  private static func lognormal(_ form: Reader) throws(ValidationError) -> Distribution {
    let lognormal = try form.object(Grammar.lognormal)
    let (middle, tail) = (try lognormal.value(Grammar.median), try lognormal.value(Grammar.p99))
    guard middle <= tail else {
      throw lognormal.mismatch(Grammar.p99.name, "at least the median, \(DurationText.text(middle))")
    }
    return .lognormal(median: middle, p99: tail)
  }

  private static func percentiles(_ form: Reader) throws(ValidationError) -> Distribution {
    let table = try form.object(Grammar.percentiles)
    let names = table.object.members.map(\.name)
    guard (1...Percentile.maximumCount).contains(names.count) else {
      throw ValidationError(table.pointer, "expected 1 to \(Percentile.maximumCount) percentiles, found \(names.count)")
    }
    var points: [Percentile] = []
    for name in names {
      guard let rank = Percentile.rank(name) else {
        throw ValidationError(table.pointer / name, "expected a percentile from 0 to 100, as in \"99.9\"")
      }
      let delay = try table.value(Key.duration(name, in: Grammar.range, "", isRequired: true))
      points.append(Percentile(rank: rank, delay: delay))
    }
    points.sort { $0.rank < $1.rank }
    for (low, high) in zip(points, points.dropFirst()) {
      let pointer = table.pointer / high.text
      guard low.rank < high.rank else { throw ValidationError(table.pointer, "expected each percentile once") }
      guard low.delay <= high.delay else {
        throw ValidationError(pointer, "expected at least the delay of percentile \(low.text)")
      }
    }
    return .percentiles(points)
  }

  var json: JSONValue {
    switch self {
    case .fixed(let delay): .duration(delay)
    case .uniform(let low, let high): ["uniform": [.duration(low), .duration(high)]]
    case .normal(let mean, let deviation): ["normal": ["mean": .duration(mean), "deviation": .duration(deviation)]]
    case .lognormal(let median, let p99): ["lognormal": ["median": .duration(median), "p99": .duration(p99)]]
    case .percentiles(let points):
      ["percentiles": .object(JSONValue.Object(points.map { JSONValue.Member($0.text, .duration($0.delay)) }))]
    }
  }

  var description: String {
    func text(_ delay: Duration) -> String { DurationText.text(delay) }
    return switch self {
    case .fixed(let delay): text(delay)
    case .uniform(let low, let high): "\(text(low)) to \(text(high))"
    case .normal(let mean, let deviation): "about \(text(mean)), deviation \(text(deviation))"
    case .lognormal(let median, let p99): "median \(text(median)), p99 \(text(p99))"
    case .percentiles(let points): points.map { "p\($0.text) \(text($0.delay))" }.joined(separator: ", ")
    }
  }
}

extension Distribution.Percentile {
  static let whole = 100_000
  static let maximumCount = 20

  /// Parses `50` and `99.9`: at most three decimals without a trailing zero, so that a rank has only one text.
  package static func rank(_ text: String) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.allSatisfy({ $0.utf8.allSatisfy(Byte.isDigit) }) else { return nil }
    guard (1...3).contains(whole.utf8.count), whole == "0" || !whole.hasPrefix("0") else { return nil }
    let decimals = parts.count == 2 ? parts[1] : "000"
    guard parts.count == 1 || (1...3).contains(decimals.utf8.count) && !decimals.hasSuffix("0") else { return nil }
    let padded = decimals + String(repeating: "0", count: 3 - decimals.utf8.count)
    guard let rank = Int(whole + padded), rank <= self.whole else { return nil }
    return rank
  }

  var text: String {
    let (whole, thousandths) = rank.quotientAndRemainder(dividingBy: 1_000)
    guard thousandths > 0 else { return String(whole) }
    var decimals = String(1_000 + thousandths).dropFirst()
    while decimals.hasSuffix("0") { decimals = decimals.dropLast() }
    return "\(whole).\(decimals)"
  }
}
