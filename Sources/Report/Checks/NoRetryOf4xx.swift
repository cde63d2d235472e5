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

  private enum Kind: Int { case loop, again }

  var interest: Traits { [.failed, .repeated] }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if case .rejected(let status) = seen.result, !Self.worthRepeating.contains(status) { tally.inOrder += 1 }
    guard case .repeated(let request, _, let repetitions) = facts.kind,
      case .rejected(let status) = request.last.result, !Self.worthRepeating.contains(status)
    else { return }
    // Another credential, token or media type makes another request of it, and what is signed anew may have been refused for
    // its signature or its time.
    if request.variant != seen.variant || request.authorization != seen.authorization { return }
    // While an earlier attempt under the same key is under way, 409 says just that.
    let hasLost = seen.key != nil && request.attempts.contains { $0.result == .lost }
    if status == 409, facts.waitsForKey || hasLost { return }
    // After 412 a client reads the record again, and sends the same content with the tag that it has read.
    if status == 412, request.isBasedOnRead(at: seen.arrival) { return }
    let isRead = !seen.isWrite && (seen.method == "GET" || seen.method == "HEAD")
    let mayAppear = isRead && (status == 404 || status == 410 || status == 409)
    let text = "\(ReportText.request(seen)), refused with \(status)"
    if repetitions.sure == Self.loopLength, !mayAppear {
      tally[Kind.loop].add(text, ids: repetitions.ids + [seen.id])
    }
    // A person may read again, a conflict may pass at a person's pace, and a missing record may appear.
    let minimum = mayAppear ? Self.readsInARow : isRead || status == 409 ? 1 : 0
    guard repetitions.quick >= minimum, repetitions.isInARow else { return }
    let explanations: Explanations = mayAppear || status == 409 ? .waitingIfAnswered : .person
    tally[Kind.again].add(
      text, ids: [request.last.id, seen.id], unless: explanations.union(repetitions.otherSenders), Suspect(seen))
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let loop = tally[Kind.loop]
    if loop.count > 0 {
      return Finding(
        loop.verdict,
        "\(ReportText.were(loop.count, "request")) sent again and again unchanged after a final refusal: "
          + "\(loop.example). Change the request, or show the error.\(loop.excuses)", loop.evidence)
    }
    let again = tally[Kind.again]
    if again.count > 0 {
      return Finding(
        .warn,
        "Requests were sent again unchanged \(ReportText.count(again.count, "time")) after a final refusal: "
          + "\(again.example). Change the request before you send it again.\(again.excuses)", again.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No request got a final refusal.") }
    return Finding(
      .pass,
      "\(ReportText.count(tally.inOrder, "request")) got a final refusal, and none was sent again in quick succession.")
  }
}
