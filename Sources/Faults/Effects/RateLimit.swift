package import JSON

/// Allows a number of requests per window; further requests get 429. A window opens with the first request after
/// the previous window has closed.
///
/// Every response reports the client's quota, in the fields of draft-ietf-httpapi-ratelimit-headers-10.
package struct RateLimit: EffectBody {
  package static let kind = Effect.Kind(
    "rateLimit", value: limits.member.shape,
    Effect.Kind.Page(
      "Allows a number of requests per window; further requests get 429. A window opens with the first request after "
        + "the previous window has closed.",
      wire: "`RateLimit` and `RateLimit-Policy` on every response (draft-ietf-httpapi-ratelimit-headers-10); above the "
        + "limit 429 with `Retry-After` in whole seconds.",
      limit: "It counts all requests that the rule matches, whichever client sends them.",
      example: #"{"rateLimit": {"limit": 10, "window": "1m"}}"#),
    onlyBeforeReason: "a request over the limit is refused before it is read", dependence: .arrival
  ) { reader throws(ValidationError) in
    let members = try reader.object(limits)
    return RateLimit(limit: try members.value(limit), window: try members.value(window))
  }
  private static let limits = Key.object(
    "rateLimit", [limit.member, window.member], "The limit.",
    example: #"{"limit": 10, "window": "1m"}"#)
  private static let limit = Key.integer(
    "limit", in: 0...1_000_000, "The number of requests per window.", isRequired: true)
  private static let window = Key.duration(
    "window", in: .seconds(1) ... .seconds(86_400), "The length of a window.", isRequired: true)
  /// The problem type that the draft registers.
  static let quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"

  package let limit: Int
  package let window: Duration

  package var kind: Effect.Kind { Self.kind }
  package var description: String { "limit \(limit) per \(DurationText.text(window))" }
  package var value: JSONValue { ["limit": .int(limit), "window": .duration(window)] }

  package func add(to plan: inout PlanDraft, _ ruleMatch: RuleMatch, _ counters: inout RuleCounters) {
    let opened: Duration
    if let since = counters.since, ruleMatch.elapsed - since < window {
      opened = since
    } else {
      opened = ruleMatch.elapsed
      counters.count = 0
    }
    counters.since = opened
    let quota = QuotaStatus(
      rule: ruleMatch.rule, limit: limit, remaining: max(0, limit - counters.count - 1),
      reset: opened + window - ruleMatch.elapsed, window: window)
    plan.quotas.append(quota)
    guard counters.count < limit else {
      plan.decide(.status(refusal(quota)), ruleMatch)
      return
    }
    counters.count += 1
  }

  private func refusal(_ quota: QuotaStatus) -> StatusResponse {
    StatusResponse(
      status: 429, retryAfter: .seconds(quota.reset.roundedUpSeconds), problemType: Self.quotaExceeded,
      violatedPolicies: [quota.policy])
  }

  /// The client's quota under one limit.
  package struct QuotaStatus: Sendable, Equatable {
    package let rule: String
    package let limit: Int
    package let remaining: Int
    package let reset: Duration
    package let window: Duration

    /// The rule's name as a valid structured field string (RFC 9651 section 3.3.3).
    package var policy: String { rule.hasPrefix("{") ? "default" : Plan.printable(rule, atMost: 40) }
    /// One item of the `RateLimit` field.
    package var field: String { "\"\(policy)\";r=\(remaining);t=\(reset.roundedUpSeconds)" }
    /// One item of the `RateLimit-Policy` field.
    package var policyField: String { "\"\(policy)\";q=\(limit);w=\(window.roundedUpSeconds)" }
  }
}
