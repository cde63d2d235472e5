import Contract

/// Checks that an `Idempotency-Key` names one logical write: not two of different content, not those of several clients, and
/// not each later one too.
///
/// Each failure of an attempt is good for one more, also where another attempt beside it was answered: not every client
/// compares the two. A key that comes again after its write was answered may be a retry whose response got lost on the
/// client's side, or a tap too many; one that goes on to come is a constant, and what it was to do never happens.
struct KeyReuse: ReportCheck {
  static let id = "key-reuse"
  /// A repetition later than this after an answer is no accidental tap.
  static let later = Duration.seconds(2)
  /// So many times a retry may come after the answer.
  static let maximumRepeats = 1

  private enum Kind: Int { case clash, foreign, constant, quick }

  var interest: Traits { .keyed }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard seen.isWrite, let reuse = facts.key else { return }
    guard reuse.first > 0 else { return tally.inOrder += 1 }
    if reuse.isClash {
      tally[Kind.clash].add(seen, after: [reuse.first])
    } else if reuse.isForeign {
      tally[Kind.foreign].add(seen, after: [reuse.first])
    } else if reuse.late > Self.maximumRepeats || reuse.isAppliedAgain {
      tally[Kind.constant].add(seen, after: [reuse.first])
    } else if reuse.repeats > Self.maximumRepeats {
      tally[Kind.quick].add(seen, after: [reuse.first], .perhapsMeant)
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let advice = "Make a new key for each logical write, and use it again for its retries only."
    for (kind, had) in [
      (Kind.clash, "the Idempotency-Key of another write"), (.foreign, "the Idempotency-Key of another client's write"),
    ] where tally[kind].count > 0 {
      return Finding(
        .fail, "\(ReportText.count(tally[kind].count, "write")) had \(had): \(tally[kind].example). \(advice)",
        tally[kind].evidence)
    }
    let constant = tally[Kind.constant]
    if constant.count > 0 {
      return Finding(
        .fail,
        "\(ReportText.count(constant.count, "write")) had the Idempotency-Key of a write that had been answered: "
          + "\(constant.example). While the server stores a key, it applies no further write that has it. \(advice)",
        constant.evidence)
    }
    let quick = tally[Kind.quick]
    if quick.count > 0 {
      return Finding(
        .warn,
        "An Idempotency-Key was used \(ReportText.count(quick.count, "more time", "more times")) after it had been answered "
          + "twice: \(quick.example). The server applies such a write once. \(advice)", quick.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No write had an Idempotency-Key.") }
    return Finding(.pass, "\(ReportText.count(tally.inOrder, "Idempotency-Key")) stood for one write each.")
  }
}
