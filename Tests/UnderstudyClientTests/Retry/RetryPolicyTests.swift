import Testing

@testable import UnderstudyClient

@Suite("The retry policy")
struct RetryPolicyTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let outcome: AttemptOutcome
    let repeatability: Repeatability
    let expected: RetryDecision

    init(_ outcome: AttemptOutcome, _ repeatability: Repeatability, _ expected: RetryDecision) {
      self.outcome = outcome
      self.repeatability = repeatability
      self.expected = expected
    }

    var testDescription: String { "\(outcome), \(repeatability)" }
  }

  private static let half = RetryDecision.wait(.milliseconds(125))

  static let first: [Row] = [
    Row(.notSent, .always, half), Row(.notSent, .ifNotApplied, half),
    Row(.lost, .always, half), Row(.lost, .ifNotApplied, .stop(.notRepeatable)),
    Row(.abandoned, .always, .stop(.final)),
    Row(.answered(status: 408), .ifNotApplied, half), Row(.answered(status: 429), .ifNotApplied, half),
    Row(.answered(status: 500), .always, half), Row(.answered(status: 500), .ifNotApplied, .stop(.notRepeatable)),
    Row(.answered(status: 502), .always, half), Row(.answered(status: 502), .ifNotApplied, .stop(.notRepeatable)),
    Row(.answered(status: 503), .always, half), Row(.answered(status: 503), .ifNotApplied, .stop(.notRepeatable)),
    Row(.answered(status: 504), .always, half),
    Row(.answered(status: 501), .always, .stop(.final)), Row(.answered(status: 505), .always, .stop(.final)),
    Row(.answered(status: 400), .always, .stop(.final)), Row(.answered(status: 401), .always, .stop(.final)),
    Row(.answered(status: 404), .always, .stop(.final)), Row(.answered(status: 409), .always, .stop(.final)),
    Row(.answered(status: 412), .always, .stop(.final)), Row(.answered(status: 422), .always, .stop(.final)),
    Row(.answered(status: 409, isKeyInFlight: true), .always, half),
    Row(.answered(status: 409, isKeyInFlight: true), .ifNotApplied, .stop(.notRepeatable)),
    Row(.answered(status: 503, retryAfter: .seconds(2)), .always, .wait(.milliseconds(2_125))),
    Row(.answered(status: 429, retryAfter: .zero), .always, half),
    Row(.answered(status: 503, retryAfter: .seconds(30)), .always, .wait(.milliseconds(30_125))),
    Row(.answered(status: 503, retryAfter: .seconds(31)), .always, .stop(.askedToStayAway)),
  ]

  @Test("decides by the attempt's outcome and the request's repeatability", arguments: first)
  func followsTheTable(_ row: Row) {
    let decision = RetryPolicy().decision(
      for: 1, outcome: row.outcome, repeatability: row.repeatability, elapsed: .zero, random: 0.5)
    #expect(decision == row.expected)
  }

  @Test("stops when attempts, time or budget run out")
  func limits() {
    var policy = RetryPolicy()
    policy.deadline = .seconds(10)
    func decide(_ attempt: Int, _ elapsed: Duration, budget: Bool = true) -> RetryDecision {
      policy.decision(
        for: attempt, outcome: .lost, repeatability: .always, elapsed: elapsed, budgetAllows: budget, random: 1)
    }
    #expect(decide(3, .zero) == .wait(.seconds(1)))
    #expect(decide(4, .zero) == .stop(.attemptsSpent))
    #expect(decide(3, .milliseconds(8_999)) == .wait(.seconds(1)))
    #expect(decide(3, .seconds(9)) == .stop(.deadline))
    #expect(decide(1, .zero, budget: false) == .stop(.budgetSpent))
  }

  @Test("waits for a random time below a bound that doubles up to its cap")
  func fullJitter() {
    let policy = RetryPolicy()
    let bounds: [(Int, Double)] = [(1, 0.25), (2, 0.5), (3, 1), (4, 2), (7, 16), (8, 20), (9, 20), (1_000_000, 20)]
    for (attempt, bound) in bounds {
      #expect(policy.backoff(after: attempt, random: 0) == .zero)
      #expect(policy.backoff(after: attempt, random: 1) == .seconds(bound))
      #expect(policy.backoff(after: attempt, random: 0.5) == .seconds(bound / 2))
    }
  }

  @Test("has a budget that time refills since its last refill, and not since its beginning")
  func budgetOverTime() {
    var budget = RetryBudget(capacity: 3, perSecond: 0.5)
    func takes(_ now: Duration) -> Bool { budget.withdraw(at: now) }
    for _ in 0..<3 { #expect(takes(.zero)) }
    for tenths in [10, 15, 19] {
      #expect(!takes(.milliseconds(tenths * 100)), "each look adds only what came since the one before")
    }
    #expect(takes(.seconds(2)))
    #expect(!takes(.seconds(3)))
    #expect(takes(.seconds(4)))
  }

  @Test("has a budget whose retries after a success include those that time has brought")
  func budgetAtSuccess() {
    var budget = RetryBudget(capacity: 3, perSuccess: 0.25, perSecond: 0.5)
    for _ in 1...3 { _ = budget.withdraw(at: .zero) }
    budget.depositSuccess(at: .seconds(2))
    #expect(budget.available == 1)
  }

  @Test("has a budget that successes and time refill")
  func budget() {
    var budget = RetryBudget(capacity: 3, perSuccess: 0.25, perSecond: 0.5)
    func takes(_ now: Duration) -> Bool { budget.withdraw(at: now) }
    for _ in 0..<3 { #expect(takes(.zero)) }
    #expect(!takes(.zero))
    for _ in 0..<3 { budget.depositSuccess(at: .zero) }
    #expect(!takes(.zero), "three quarters of a token")
    budget.depositSuccess(at: .zero)
    #expect(takes(.zero))
    #expect(!takes(.milliseconds(1_900)))
    #expect(takes(.seconds(2)))
    #expect(!takes(.seconds(3)), "half a token since the last refill, not one and a half since the first")
    #expect(takes(.seconds(4)))
    #expect(!takes(.zero), "a clock that runs back brings nothing")
    #expect(takes(.seconds(3_600)))
    #expect(budget.available == 2, "no more than its capacity")
  }
}
