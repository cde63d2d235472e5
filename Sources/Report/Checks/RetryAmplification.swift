import Contract
import Primitives

/// Checks the number of attempts per logical request: retries multiply the load of a backend that already has too much.
///
/// More than eight attempts of one request in ten seconds are a loop; from six on there is a warning (gRFC A6 caps
/// `maxAttempts` at 5). Retries have the budget that Finagle gives: a fifth of the requests, and ten a second besides, over
/// ten seconds. Attempts that an outage refused reached no backend, and those for which `Retry-After` set the time are the
/// server's own.
struct RetryAmplification: Check {
  static let id = "retry-amplification"
  /// Beyond these there is a warning, and a failure.
  static let maximumAttempts = 5
  static let certainAttempts = 8
  static let window = Duration.seconds(10)
  static let budgetShare = 5
  static let budgetFloor = 100
  /// A wait as long as this between two quick series is an outer loop's.
  static let outerWait = Duration.seconds(1)

  private var retries = 0
  private var highestCount = 1
  private var replays = 0
  private var evidence = Evidence()
  private var excessive = 0
  private var many = 0
  private var nested = 0
  private var mayBeSeveralClients = false
  private var example = ""
  private var bursts = RecentTable<Burst>(capacity: 1_024)
  private var budgets = RecentTable<Budget>(capacity: 256)
  private var overdrawn = 0
  /// True if a client with a name, or a connection, is certain to have retried too much.
  private var isSure = false
  /// A client without a name that did, or several of them.
  private var unnamed: UInt64?

  private struct Burst: Sendable {
    var arrivals: [MonotonicInstant]
    var isSure = true
    /// The lengths of the quick series so far, and of the one under way.
    var series: [Int] = []
    var current = 1
  }

  /// The requests and retries of a client in the window under way.
  private struct Budget: Sendable {
    var start: MonotonicInstant
    var requests = 0
    var retries = 0
  }

  var interest: Traits { budgets.count > 0 ? .any : [.retry, .replay] }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    switch role.attempt {
    case .replay: replays += 1
    case .first: spend(seen, isRetry: false)
    case .retry(let request, let number, let wait):
      retries += 1
      guard !seen.isOutage, !request.last.isRejected else { return }
      burst(seen, of: request, number: number, wait: wait)
      spend(seen, isRetry: true)
    }
  }

  private mutating func burst(_ seen: Observation, of request: LogicalRequest, number: Int, wait: Duration) {
    let key = seen.identity.mixed(with: seen.key ?? 0)
    let before = request.last
    var burst = number == 1 ? nil : bursts[key]
    // What came before an outage refused no backend's load, and who waits as told is not to blame.
    let isAsTold = before.retryAfter.map { wait + RetryAfterHonoured.slack >= $0 } ?? false
    if isAsTold { burst = Burst(arrivals: []) }
    var known = burst ?? Burst(arrivals: before.isOutage ? [] : [before.arrival])
    if !seen.isSureOfClient(before) { known.isSure = false }
    known.arrivals.removeAll { seen.arrival - $0 > Self.window }
    known.arrivals = known.arrivals.suffix(64) + [seen.arrival]
    countSeries(&known, seen, after: before.id, wait: wait)
    bursts[key] = known
    highestCount = max(highestCount, known.arrivals.count)
    let count = known.arrivals.count
    guard count > Self.maximumAttempts else { return }
    if count == Self.maximumAttempts + 1 { many += 1 }
    // Two people would have half of them each.
    let limit = known.isSure ? Self.certainAttempts : Self.certainAttempts * 2
    if !known.isSure { mayBeSeveralClients = true }
    if count == limit + 1 {
      excessive += 1
      blame(seen, isSure: known.isSure)
    }
    if count == highestCount { example = ReportText.request(seen) }
    for attempt in request.attempts where attempt.arrival >= known.arrivals[0] { evidence.add(attempt.id) }
    evidence.add(before.id, seen.id)
  }

  /// Finds loops within loops: series of the same length, with a long wait after each.
  private mutating func countSeries(_ burst: inout Burst, _ seen: Observation, after before: Int, wait: Duration) {
    guard wait >= Self.outerWait else {
      burst.current += 1
      return
    }
    burst.series = burst.current > 1 ? burst.series.suffix(7) + [burst.current] : []
    burst.current = 1
    guard burst.series.count == 3, burst.series.allSatisfy({ $0 == burst.series[0] }) else { return }
    nested += 1
    example = ReportText.request(seen)
    evidence.add(before, seen.id)
  }

  private mutating func blame(_ seen: Observation, isSure: Bool) {
    if isSure { self.isSure = true } else { unnamed = seen.client }
  }

  /// A client that asks seldom never leaves the floor, so only those that retry are kept account of.
  private mutating func spend(_ seen: Observation, isRetry: Bool) {
    guard isRetry || budgets.count > 0 else { return }
    var budget = budgets[seen.client] ?? Budget(start: seen.arrival)
    if seen.arrival - budget.start > Self.window { budget = Budget(start: seen.arrival) }
    if isRetry { budget.retries += 1 } else { budget.requests += 1 }
    budgets[seen.client] = budget
    let floor = seen.isNamed ? Self.budgetFloor : Self.budgetFloor * 2
    guard isRetry, budget.retries > budget.requests / Self.budgetShare + floor else { return }
    overdrawn += 1
    blame(seen, isSure: seen.isNamed)
    if example.isEmpty { example = ReportText.request(seen) }
    evidence.add(seen.id)
  }

  func finding(_ context: CheckContext) -> Finding {
    let apart =
      replays > 0 ? " Besides, transports repeated \(ReportText.count(replays, "request")) by themselves." : ""
    guard retries > 0 else { return Finding(.notExercised, "No request was tried again.\(apart)") }
    let advice = "Stop after a few attempts, and let the waits grow."
    // Many clients behind one address have attempts and a budget each.
    let isSure = self.isSure || unnamed.map { !context.unnamed.isParallel($0) } ?? true
    let verdict = isSure ? Verdict.fail : .warn
    let rest = "\(example). \(advice)" + (isSure ? "" : ReportText.clientNameAdvice) + apart
    if excessive > 0 {
      return Finding(
        verdict,
        "\(ReportText.count(excessive, "request")) took more than \(Self.certainAttempts) attempts within 10 s, up to \(highestCount): "
          + rest, evidence)
    }
    if overdrawn > 0 {
      return Finding(
        verdict,
        "\(ReportText.count(overdrawn, "retry was", "retries were")) beyond a client's budget, which is a fifth of "
          + "its requests and ten per second: "
          + rest, evidence)
    }
    if many > 0 {
      return Finding(
        .warn,
        "\(ReportText.count(many, "request")) took more than \(Self.maximumAttempts) attempts within 10 s, up to \(highestCount): "
          + "\(example). \(advice)" + (mayBeSeveralClients ? ReportText.clientNameAdvice : "") + apart, evidence)
    }
    if nested > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(nested, "request")) tried again in one loop within another, which multiplies "
          + "the attempts: \(example). Retry in one place only.\(apart)", evidence)
    }
    return Finding(
      .pass,
      "\(ReportText.count(context.requests, "request")) took \(ReportText.count(retries, "retry", "retries")); "
        + "none had more than \(ReportText.count(highestCount, "attempt")) within 10 s.\(apart)")
  }
}
