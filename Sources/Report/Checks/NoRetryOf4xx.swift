import Contract

/// Checks that a request that was refused for its content is not sent again unchanged (RFC 9110 section 15.5).
///
/// 401, 423 and 429 can change by themselves, other 4xx do not. A conflict may pass at a person's pace. A test that asserts
/// an error asks for it two or three times, a client that waits for a record asks until it is there, and a person looks
/// again: that is a warning at most. A loop goes on, quickly.
struct NoRetryOf4xx: ReportCheck {
  static let id = "no-retry-of-4xx"
  static let worthRepeating: Set<Int> = [401, 407, 408, 421, 423, 425, 426, 428, 429, 511]
  static let humanPace = Duration.seconds(1)
  /// The number of repetitions in a row, each soon after the last, that make a loop.
  static let loopLength = 4
  /// The number of repetitions in a row after which a missing record is asked for too often.
  static let readsInARow = 3

  private enum Kind: Int { case loop, waitingLoop, again }

  var interest: Traits { [.failed, .repeated] }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if case .rejected(let status) = seen.result, !Self.worthRepeating.contains(status) { tally.inOrder += 1 }
    guard case .repeated(let request, _, let repetitions) = facts.kind,
      case .rejected(let status) = request.last.result, !Self.worthRepeating.contains(status)
    else { return }
    // While an earlier attempt under the same key is under way, 409 says just that.
    if status == 409, seen.key != nil, request.attempts.contains(where: { $0.result == .lost }) { return }
    // After 412 a client reads the record again, and sends the same content with the tag that it has read.
    if status == 412, request.isBasedOnRead(at: seen.arrival) { return }
    let isRead = !seen.isWrite && (seen.method == "GET" || seen.method == "HEAD")
    let mayAppear = isRead && (status == 404 || status == 410 || status == 409)
    if repetitions.sure == Self.loopLength {
      tally[mayAppear ? Kind.waitingLoop : .loop].add(
        "\(ReportText.request(seen)), refused with \(status)", ids: repetitions.ids + [seen.id])
    }
    // A person may read again, a conflict may pass at a person's pace, and a missing record may appear.
    let minimum = mayAppear ? Self.readsInARow : isRead || status == 409 ? 1 : 0
    guard repetitions.quick >= minimum, repetitions.isInARow else { return }
    let isSure = repetitions.sure > 0
    tally[Kind.again].add(
      "\(ReportText.request(seen)), refused with \(status)", ids: [request.last.id, seen.id],
      isSure ? .perhapsMeant : .perhapsSeveral)
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let (loop, waiting) = (tally[Kind.loop], tally[Kind.waitingLoop])
    // One loop of reads may be waiting for a record to appear.
    if loop.count > 0 || waiting.count > 1 {
      let cited = loop.count > 0 ? loop : waiting
      return Finding(
        .fail,
        "\(ReportText.were(loop.count + (waiting.count > 1 ? waiting.count : 0), "request")) sent again and again "
          + "unchanged after a final refusal: \(cited.example). Change the request, or show the error.", cited.evidence)
    }
    let again = tally[Kind.again]
    if again.count > 0 {
      return Finding(
        .warn,
        "Requests were sent again unchanged \(ReportText.count(again.count, "time")) after a final refusal: "
          + "\(again.example). Change the request before you send it again.\(again.advice)", again.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No request got a final refusal.") }
    return Finding(
      .pass,
      "\(ReportText.count(tally.inOrder, "request")) got a final refusal, and none was sent again in quick succession.")
  }
}
