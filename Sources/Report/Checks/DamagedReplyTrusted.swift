import Contract

/// Checks that no client takes a response that is not the API's, such as a captive portal's page or a body that was cut, for
/// a success.
///
/// Two things prove it: a write that was never done is neither repeated nor looked after, though the 2xx that came back could
/// not be read; and a tag in `If-None-Match` that only a broken response had carried.
struct DamagedReplyTrusted: ReportCheck {
  static let id = "damaged-reply-trusted"

  private enum Kind: Int { case trusted, cached, interrupted }

  var interest: Traits { .broken }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if facts.brokenTag > 0 { tally[Kind.cached].add(seen, after: [facts.brokenTag]) }
    if facts.discarded > 0 { tally.inOrder += 1 }
  }

  func judge(_ fate: WriteFate, _ tally: inout Tally) {
    guard fate.doubts.contains(.misleading) else { return }
    switch fate.ending {
    case .followed, .late: tally.inOrder += 1
    case .forgotten, .leftAtEnd, .polled:
      // It may have looked elsewhere.
      tally[Kind.trusted].add(fate.request, ids: [fate.id], fate.isOfUnknownAPI ? .perhapsMeant : .certain)
    case .interrupted: tally[Kind.interrupted].add(fate.request, ids: [fate.id], .perhapsMeant)
    case .unjudged: break
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let advice = "Check the Content-Type and decode the body before you believe a 2xx."
    let trusted = tally[Kind.trusted]
    if trusted.certain > 0 {
      return Finding(
        .fail,
        "\(ReportText.were(trusted.count, "write")) not applied, and taken for a success: \(trusted.example) was answered with "
          + "a 2xx whose body is not the API's. \(advice)", trusted.evidence)
    }
    let cached = tally[Kind.cached]
    if cached.count > 0 {
      return Finding(
        .fail,
        "\(ReportText.count(cached.count, "request")) sent the entity tag of a broken response as If-None-Match: "
          + "\(cached.example). Do not cache a body that was cut or is not JSON.", cached.evidence)
    }
    if trusted.count > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(trusted.count, "write")) not applied, answered with a 2xx whose body is not the backend's, and neither "
          + "repeated nor checked by a read of the same path: \(trusted.example). \(advice)", trusted.evidence)
    }
    let interrupted = tally[Kind.interrupted]
    if interrupted.count > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(interrupted.count, "write")) not applied, answered with a 2xx whose body is not the API's, and "
          + "neither repeated nor checked by a read before the sandbox was reset: \(interrupted.example). \(advice)",
        interrupted.evidence)
    }
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No client got a broken response that looks like a success.")
    }
    return Finding(.pass, "\(ReportText.were(tally.inOrder, "broken response")) not taken for a success.")
  }
}
