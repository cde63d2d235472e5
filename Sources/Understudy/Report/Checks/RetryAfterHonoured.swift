import Contract

/// Checks that a client does not return before the time in `Retry-After` (RFC 9110 section 10.2.3).
struct RetryAfterHonoured: Check {
  static let id = "retry-after-honoured"
  /// Timers with a coarse resolution may be a little early.
  static let slack = Duration.milliseconds(50)

  private var honoured = 0
  private var early = 0
  private var earliest = (wait: Duration.zero, asked: Duration.zero)
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard case .retry(let request, _, let wait) = trial, let asked = request.last.retryAfter, asked > .zero else {
      return
    }
    guard wait + Self.slack < asked else {
      honoured += 1
      return
    }
    early += 1
    if earliest.asked - earliest.wait < asked - wait { earliest = (wait, asked) }
    evidence.add(request.last.id, seen.id)
  }

  func finding(_ moment: Judgement) -> Finding {
    if early > 0 {
      return Finding(
        .fail,
        "\(Words.count(early, "retry", "retries")) came before Retry-After allowed: one after "
          + "\(Words.span(earliest.wait)) where \(Words.span(earliest.asked)) were asked for.", evidence)
    }
    guard honoured > 0 else { return Finding(.notExercised, "No retry followed a reply with Retry-After.") }
    return Finding(.pass, "\(Words.count(honoured, "retry", "retries")) waited as long as Retry-After asked.")
  }
}
