import JSON

/// So many requests a window, then 429: a window opens with the first request after the last one closed.
///
/// Every reply says where the client stands, in the fields of draft-ietf-httpapi-ratelimit-headers-10.
package struct RateLimit: EffectBody {
  static let kind = Effect.Kind.rateLimit
  static let whyOnlyBefore: String? = "a request over the limit is refused unread"
  static let dependence: Dependence? = .arrival
  /// The problem type that the draft registers.
  static let quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"

  package let limit: Int
  package let window: Duration

  package init(limit: Int, window: Duration) {
    self.limit = limit
    self.window = window
  }

  init(_ reader: Reader) throws(Violation) {
    let limits = try reader.nested("rateLimit", "an object, as in {\"limit\": 10, \"window\": \"1m\"}")
    try limits.allow(["limit", "window"])
    limit = try limits.requiredInteger("limit", in: 0...1_000_000)
    window = try limits.requiredDuration("window", in: .seconds(1) ... .seconds(86_400))
  }

  var effect: Effect { .rateLimit(self) }
  var words: String { "limit \(limit) per \(DurationText.text(window))" }

  var members: [JSON.Member] {
    [JSON.Member("rateLimit", ["limit": .int(limit), "window": .duration(window)])]
  }

  func add(to plan: inout Plan, _ bite: Bite, _ memory: inout Memory) {
    let opened: Duration
    if let since = memory.since, bite.elapsed - since < window {
      opened = since
    } else {
      opened = bite.elapsed
      memory.count = 0
    }
    memory.since = opened
    let standing = Standing(
      rule: bite.rule, limit: limit, remaining: max(0, limit - memory.count - 1),
      reset: opened + window - bite.elapsed, window: window)
    plan.standings.append(standing)
    guard memory.count < limit else {
      plan.settle(.status(refusal(standing)), bite)
      return
    }
    memory.count += 1
  }

  private func refusal(_ standing: Standing) -> StatusReply {
    StatusReply(
      status: 429, retryAfter: .seconds(standing.reset.roundedUpSeconds), problemType: Self.quotaExceeded,
      violatedPolicies: [standing.policy])
  }

  /// Where a client stands with one limit.
  package struct Standing: Sendable, Equatable {
    package let rule: String
    package let limit: Int
    package let remaining: Int
    package let reset: Duration
    package let window: Duration

    /// The rule's name as a structured field's string (RFC 9651 section 3.3.3) can hold it.
    package var policy: String { rule.hasPrefix("{") ? "default" : Plan.printable(rule, atMost: 40) }
    /// One item of the `RateLimit` field.
    package var field: String { "\"\(policy)\";r=\(remaining);t=\(reset.roundedUpSeconds)" }
    /// One item of the `RateLimit-Policy` field.
    package var policyField: String { "\"\(policy)\";q=\(limit);w=\(window.roundedUpSeconds)" }
  }
}
