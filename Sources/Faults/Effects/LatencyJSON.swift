import JSON

extension Distribution {
  private static let forms = """
    a duration or one of {"uniform": ["1s", "3s"]}, {"normal": {"mean", "deviation"}}, \
    {"lognormal": {"median", "p99"}}, {"percentiles": {"50": "80ms", "99": "2s"}}
    """
  private static let range: ClosedRange<Duration> = .zero ... .longestDelay

  /// Reads the member `latency`.
  init(_ reader: Reader) throws(Violation) {
    if reader.object["latency"]?.string != nil {
      self = .fixed(try reader.requiredDuration("latency", in: Self.range))
      return
    }
    let form = try reader.nested("latency", Self.forms)
    try form.allow(["uniform", "normal", "lognormal", "percentiles"])
    guard let word = form.object.members.first?.name, form.object.members.count == 1 else {
      throw Violation(form.pointer, "expected \(Self.forms), found \(form.object.members.count) of them")
    }
    switch word {
    case "uniform": self = try Self.uniform(form)
    case "normal": self = try Self.normal(form)
    case "lognormal": self = try Self.lognormal(form)
    default: self = try Self.percentiles(form)
    }
  }

  private static func uniform(_ form: Reader) throws(Violation) -> Distribution {
    let ends = try form.required("uniform", "an array of two durations, as in [\"1s\", \"3s\"]") { value in
      value.array.flatMap { $0.count == 2 ? $0 : nil }
    }
    let pointer = form.pointer / "uniform"
    var delays: [Duration] = []
    for (index, end) in ends.enumerated() {
      guard let delay = Reader.duration(end, in: range) else {
        throw Violation(pointer / index, "expected \(Reader.expectation(range)), found \(Reader.found(end))")
      }
      delays.append(delay)
    }
    guard delays[0] <= delays[1] else {
      throw Violation(pointer, "expected the shorter delay first, found \(Reader.found(ends[0])) before the other")
    }
    return .uniform(delays[0], delays[1])
  }

  private static func normal(_ form: Reader) throws(Violation) -> Distribution {
    let normal = try form.nested("normal", "an object, as in {\"mean\": \"200ms\", \"deviation\": \"50ms\"}")
    try normal.allow(["mean", "deviation"])
    return .normal(
      mean: try normal.requiredDuration("mean", in: range),
      deviation: try normal.requiredDuration("deviation", in: range))
  }

  private static func lognormal(_ form: Reader) throws(Violation) -> Distribution {
    let lognormal = try form.nested("lognormal", "an object, as in {\"median\": \"80ms\", \"p99\": \"2s\"}")
    try lognormal.allow(["median", "p99"])
    let median = try lognormal.requiredDuration("median", in: .microseconds(1) ... .longestDelay)
    let p99 = try lognormal.requiredDuration("p99", in: .microseconds(1) ... .longestDelay)
    guard median <= p99 else {
      throw lognormal.mismatch("p99", "at least the median, \(DurationText.text(median))")
    }
    return .lognormal(median: median, p99: p99)
  }

  private static func percentiles(_ form: Reader) throws(Violation) -> Distribution {
    let table = try form.nested("percentiles", "an object, as in {\"50\": \"80ms\", \"99\": \"2s\"}")
    let names = table.object.members.map(\.name)
    guard (1...Percentile.most).contains(names.count) else {
      throw Violation(table.pointer, "expected 1 to \(Percentile.most) percentiles, found \(names.count)")
    }
    var points: [Percentile] = []
    for name in names {
      guard let rank = Percentile.rank(name) else {
        throw Violation(table.pointer / name, "expected a percentile from 0 to 100, as in \"99.9\"")
      }
      points.append(Percentile(rank: rank, delay: try table.requiredDuration(name, in: range)))
    }
    points.sort { $0.rank < $1.rank }
    for (low, high) in zip(points, points.dropFirst()) {
      let pointer = table.pointer / high.text
      guard low.rank < high.rank else { throw Violation(table.pointer, "expected each percentile once") }
      guard low.delay <= high.delay else {
        throw Violation(pointer, "expected at least the delay of percentile \(low.text)")
      }
    }
    return .percentiles(points)
  }

  var json: JSON {
    switch self {
    case .fixed(let delay): .duration(delay)
    case .uniform(let low, let high): ["uniform": [.duration(low), .duration(high)]]
    case .normal(let mean, let deviation): ["normal": ["mean": .duration(mean), "deviation": .duration(deviation)]]
    case .lognormal(let median, let p99): ["lognormal": ["median": .duration(median), "p99": .duration(p99)]]
    case .percentiles(let points):
      ["percentiles": .object(JSON.Object(points.map { JSON.Member($0.text, .duration($0.delay)) }))]
    }
  }

  var words: String {
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
  static let most = 20

  /// `50` and `99.9`: at most three decimals, none of them a closing zero, so that a rank has one text.
  static func rank(_ text: String) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return nil }
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
