import Contract

/// Checks that no client takes a response that is not the API's, such as a captive portal's page or a body that was cut, for
/// a success.
///
/// A later request proves it: one with an entity tag that only a broken response had carried, one below the path of a write
/// that was never done, or one with the text of a missing value in the place of an id. A client that sends nothing more may
/// have shown the failure, and an equal write may repeat the one that was never done.
struct DamagedReplyTrusted: ReportCheck {
  static let id = "damaged-reply-trusted"

  private enum Kind: Int, CaseIterable { case built, cached, silent, equal }

  var interest: Traits { .broken }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    if facts.brokenTag > 0 { tally[Kind.cached].add(seen, after: [facts.brokenTag]) }
    if facts.discarded > 0 { tally.inOrder += 1 }
  }

  func judge(_ fate: WriteFate, _ tally: inout Tally) {
    guard fate.doubts.contains(.misleading) else { return }
    switch fate.ending {
    case .followed, .late: tally.inOrder += 1
    case .repeated(let next):
      tally.inOrder += 1
      tally[Kind.equal].add(fate.request, ids: [fate.id, next.id], unless: .repetitionUnlessMeant, next)
    case .builtUpon(let id): tally[Kind.built].add(fate.request, ids: [fate.id, id])
    case .forgotten, .leftAtEnd, .polled, .interrupted:
      tally[Kind.silent].add(fate.request, ids: [fate.id], unless: .person)
    case .unjudged: break
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    if let kind = tally.worst(of: Kind.allCases) {
      let mistake = tally[kind]
      let advice =
        kind == .cached
        ? "Do not keep a body that was cut or is not JSON, nor its tag."
        : "Check the Content-Type and decode the body before you believe a 2xx."
      return Finding(
        mistake.verdict, "\(Self.complaint(kind, mistake)): \(mistake.example). \(advice)\(mistake.excuses)",
        mistake.evidence)
    }
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No client got a broken response that looks like a success.")
    }
    return Finding(.pass, "\(ReportText.were(tally.inOrder, "broken response")) not taken for a success.")
  }

  private static func complaint(_ kind: Kind, _ mistake: Mistake) -> String {
    let writes = "\(ReportText.were(mistake.count, "write")) answered with a 2xx whose body is not the API's"
    return switch kind {
    case .built: "\(writes) and not applied, and a later request builds on its success"
    case .cached: "\(ReportText.count(mistake.count, "request")) sent the entity tag of a broken response"
    case .silent: "\(writes) and not applied, and neither repeated nor checked by a read"
    case .equal: "\(writes) and not applied; the client sends an equal write next, but it does so after successes, too"
    }
  }
}
