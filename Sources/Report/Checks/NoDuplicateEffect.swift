import Contract

/// Checks that no write took effect twice because its client sent it again, and no `Idempotency-Key` held the two together.
///
/// The first write need not have been lost: it may have been slow, or sent beside the second as a hedge. A fresh key for each
/// attempt is as good as none; if the first key is sent again later, the write under the new key was a separate one.
///
/// A write that sets the same again changes nothing, and is right. A client that looks before it writes again has decided
/// anew. A repetition by the transport, a second write after a 2xx, and one that may be another client's are warnings.
struct NoDuplicateEffect: ReportCheck {
  static let id = "no-duplicate-effect"

  private enum Kind: Int { case doubled, underFreshKeys, byTransport, doubtful, assumed }

  var interest: Traits { .write }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard let earlier = facts.earlierEffect else { return }
    tally.inOrder += 1
    guard earlier.first > 0 else { return }
    // It is not declared that the request adds something each time.
    if seen.operation?.effect.isAssumed == true {
      guard earlier.doubt != .answered else { return }
      let certainty = earlier.otherKey.map { Mistake.Certainty.unlessKeyReturns(scope: $0, isNamed: seen.isNamed) }
      tally[Kind.assumed].add(seen, after: [earlier.first], certainty ?? .perhapsMeant)
      return
    }
    switch earlier.doubt {
    case .transport: tally[Kind.byTransport].add(seen, after: [earlier.first], .perhapsMeant)
    case .answered:
      tally[Kind.doubtful].add(seen, after: [earlier.first], seen.isNamed ? .perhapsMeant : .perhapsSeveral)
    case .none, .strangers:
      if let scope = earlier.otherKey {
        tally[Kind.underFreshKeys].add(
          seen, after: [earlier.first], .unlessKeyReturns(scope: scope, isNamed: seen.isNamed))
      } else if earlier.doubt == .strangers {
        tally[Kind.doubtful].add(seen, after: [earlier.first], .perhapsSeveral)
      } else {
        let certainty = Mistake.Certainty.unlessShared(seen.client, isParallel: false)
        tally[Kind.doubled].add(seen, after: [earlier.first], seen.isNamed ? .certain : certainty)
      }
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    for (kind, advice) in [
      (Kind.doubled, "Send an Idempotency-Key, the same with each attempt."),
      (.underFreshKeys, "Send the same Idempotency-Key with all attempts."),
    ] where tally[kind].certain > 0 {
      return Finding(
        .fail,
        "\(ReportText.were(tally[kind].certain, "write")) sent again before the client knew what became of the first, and "
          + "took effect twice: \(tally[kind].example). \(advice)", tally[kind].evidence)
    }
    let byTransport = tally[Kind.byTransport]
    if byTransport.count > 0 {
      return Finding(
        .warn,
        "\(ReportText.count(byTransport.count, "write")) took effect twice because the transport repeated "
          + "\(byTransport.count == 1 ? "it" : "them") by itself: \(byTransport.example). An Idempotency-Key prevents that.",
        byTransport.evidence)
    }
    let doubts = [Kind.doubtful, .underFreshKeys, .doubled].map { tally[$0] }.filter { $0.count > 0 }
    if let doubtful = doubts.first {
      return Finding(
        .warn,
        "\(ReportText.count(doubts.reduce(0) { $0 + $1.count }, "write")) took effect twice, perhaps on purpose: "
          + "\(doubtful.example). The server tells a repetition from a second write by the Idempotency-Key: send the same "
          + "one with each attempt.\(doubtful.advice)", doubtful.evidence)
    }
    let assumed = tally[Kind.assumed]
    if assumed.count > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(assumed.count, "write")) sent again before the client knew the outcome of the first, and the "
          + "backend carried out both: \(assumed.example). If that adds something twice, declare it by --semantics.",
        assumed.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No write was repeated after a failure.") }
    return Finding(
      .pass, "\(ReportText.were(tally.inOrder, "write")) repeated after a failure, and none took effect twice.")
  }
}
