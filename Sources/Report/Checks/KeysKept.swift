import Contract

/// Checks that a backend carries out one write for one `Idempotency-Key`. It speaks of the backend, not of the client.
struct KeysKept: ReportCheck {
  static let id = "backend-keeps-keys"
  static let subject = CheckSubject.backend

  private enum Kind: Int { case broken }

  var interest: Traits { .keyed }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard let reuse = facts.key, !reuse.isClash, let results = reuse.results else { return }
    if results == .different { tally[Kind.broken].add(seen, after: [reuse.first]) } else { tally.inOrder += 1 }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let broken = tally[Kind.broken]
    if broken.count > 0 {
      return Finding(
        .warn,
        "The backend answered \(ReportText.count(broken.count, "write")) with a result other than that of the write with "
          + "the same \(ReportText.keyName(broken.key)): \(broken.example). If it carried both out, the key protects no "
          + "client: store the key with the result.", broken.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "The backend got no Idempotency-Key twice.") }
    return Finding(
      .pass, "\(ReportText.count(tally.inOrder, "repetition")) under the same Idempotency-Key got no other result.")
  }
}
