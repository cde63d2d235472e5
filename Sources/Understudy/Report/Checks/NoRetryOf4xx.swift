/// Checks that a request that was refused as invalid was not sent again unchanged (RFC 9110 section 15.5).
///
/// Credentials, conflicts, preconditions, locks and limits may change until the next attempt; the other reasons will
/// not. A read that is repeated at the pace of a person may be a person's; it is a warning.
struct NoRetryOf4xx: Check {
  static let id = "no-retry-of-4xx"
  static let worthRepeating: Set<Int> = [401, 407, 408, 409, 412, 421, 423, 425, 426, 428, 429, 511]

  private var refused = 0
  static let humanPace = Duration.seconds(1)

  private var repeated = 0
  private var askedAgain = 0
  private var status = 0
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    if case .rejected(let status) = seen.result, !Self.worthRepeating.contains(status) { refused += 1 }
    guard case .retry(let request, let number, let wait) = trial, case .rejected(let status) = request.last.result,
      !Self.worthRepeating.contains(status)
    else { return }
    if !seen.isWrite, seen.method == "GET", number == 1, wait >= Self.humanPace {
      askedAgain += 1
    } else {
      repeated += 1
    }
    self.status = status
    evidence.add(request.last.id, seen.id)
  }

  func finding(_ moment: Judgement) -> Finding {
    if repeated > 0 {
      return Finding(
        .fail,
        "\(Words.count(repeated, "request")) that had been refused for good (the last with \(status)) "
          + "\(Words.were(repeated)) sent again unchanged.", evidence)
    }
    if askedAgain > 0 {
      return Finding(
        .warn,
        "\(Words.count(askedAgain, "read")) that had been refused for good (the last with \(status)) "
          + "\(Words.were(askedAgain)) sent once more, a second or more later.", evidence)
    }
    guard refused > 0 else { return Finding(.notExercised, "No request was refused for good.") }
    return Finding(
      .pass, "\(Words.count(refused, "request")) \(Words.were(refused)) refused for good, and none was sent again.")
  }
}
