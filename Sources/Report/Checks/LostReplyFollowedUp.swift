import Contract

/// Checks that a client that does not know the outcome of its write finds out: by sending it again, or by looking.
///
/// It cannot know where the response was lost or cannot be read; after 502 or 504 the backend may have applied the write. At
/// the end of a run, a client that has not tried to find out never will, unless the sandbox is offline then.
struct LostReplyFollowedUp: ReportCheck {
  static let id = "lost-reply-followed-up"

  private enum Kind: Int { case forgotten, leftAtEnd, polled, late, interrupted, unjudged }

  func judge(_ fate: WriteFate, _ tally: inout Tally) {
    guard fate.doubts.contains(.lost) else { return }
    switch fate.ending {
    case .followed: tally.inOrder += 1
    case .forgotten:
      tally[Kind.forgotten].add(fate.request, ids: [fate.id], fate.isOfUnknownAPI ? .perhapsMeant : .certain)
    case .leftAtEnd(let time):
      tally[Kind.leftAtEnd].add(
        fate.request, ids: [fate.id], fate.isOfUnknownAPI ? .perhapsMeant : .certain, figure: (time, .zero))
    case .polled: tally[Kind.polled].add(fate.request, ids: [fate.id], .perhapsMeant)
    case .late(let id): tally[Kind.late].add(fate.request, ids: [fate.id, id], .perhapsMeant)
    case .interrupted: tally[Kind.interrupted].add(fate.request, ids: [fate.id], .perhapsMeant)
    case .unjudged: tally[Kind.unjudged].add(fate.request, ids: [fate.id], .perhapsMeant)
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    let advice = "Repeat the write under the same Idempotency-Key, or read the record that it was to change."
    for (kind, verdict, what) in [
      (Kind.forgotten, Verdict.fail, "neither repeated nor checked by a read within 30 s"),
      (.leftAtEnd, .fail, "neither repeated nor checked by a read before the run ended"),
      (.polled, .warn, "followed by nothing but a poll that was running before"),
      (.late, .warn, "repeated only after more than 30 s"),
      (.interrupted, .warn, "neither repeated nor checked by a read before the sandbox was reset"),
    ] where tally[kind].count > 0 {
      let time = tally[kind].figure.map { ", \(ReportText.duration($0)) later" } ?? ""
      return Finding(
        min(verdict, tally[kind].verdict),
        "\(Self.lostWrites(tally[kind].count)) \(what)\(time): \(tally[kind].example). \(advice)", tally[kind].evidence)
    }
    let unjudged = tally[Kind.unjudged].count
    let rest =
      unjudged > 0 ? " \(ReportText.were(unjudged, "further one")) not judged, because too many were open." : ""
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No write lost its response long enough ago to be judged.\(rest)")
    }
    return Finding(.pass, "\(Self.lostWrites(tally.inOrder)) repeated or checked by a read.\(rest)")
  }

  /// Returns the beginning of a sentence: `2 writes whose response was lost were`.
  private static func lostWrites(_ count: Int) -> String {
    "\(ReportText.count(count, "write")) whose response was lost \(ReportText.were(count))"
  }
}
