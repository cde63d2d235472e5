import Contract

/// Checks that a client that does not know the outcome of its write finds out: by sending it again, or by looking.
///
/// It cannot know where the response was lost or cannot be read; after 502 or 504 the backend may have applied the write. At
/// the end of a run, a client that has not tried to find out never will, unless the sandbox is offline then. A command that
/// fails may have told its caller, who finds out, and so may a client that got another failure, such as 503.
struct LostReplyFollowedUp: ReportCheck {
  static let id = "lost-reply-followed-up"

  private enum Kind: Int, CaseIterable { case forgotten, leftAtEnd, polled, late, interrupted, unjudged }

  func judge(_ fate: WriteFate, _ tally: inout Tally) {
    guard fate.doubts.contains(.lost) else { return }
    let hasFailed = fate.exitCode.map { $0 != 0 } ?? false
    let isTold = hasFailed || fate.doubts.contains(.told) && !(fate.isDeclared && fate.exitCode == 0)
    let explanations = isTold ? fate.explanations.union(.person) : fate.explanations
    func add(_ kind: Kind, _ ids: [Int], unless explanations: Explanations, figure: Mistake.Figure? = nil) {
      tally[kind].add(fate.request, ids: [fate.id] + ids, unless: explanations, key: fate.key, figure: figure)
    }
    switch fate.ending {
    case .followed, .repeated, .builtUpon: tally.inOrder += 1
    case .forgotten: add(.forgotten, [], unless: explanations)
    case .leftAtEnd(let time): add(.leftAtEnd, [], unless: explanations, figure: (time, .zero))
    case .polled: add(.polled, [], unless: .person)
    case .late(let id): add(.late, [id], unless: .person)
    case .interrupted: add(.interrupted, [], unless: .person)
    case .unjudged: add(.unjudged, [], unless: .person)
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    if let kind = tally.worst(of: Kind.allCases.filter { $0 != .unjudged }) {
      let mistake = tally[kind]
      let time = mistake.figure.map { ", \(ReportText.duration($0)) later" } ?? ""
      return Finding(
        mistake.verdict,
        "\(Self.lostWrites(mistake.count)) \(Self.ending(kind))\(time): \(mistake.example). Read the record that it was to "
          + "change\(mistake.key.map { ", or repeat the write under the \(ReportText.keyName($0)) that it had" } ?? "")."
          + mistake.excuses, mistake.evidence)
    }
    let unjudged = tally[Kind.unjudged].count
    let rest =
      unjudged > 0 ? " \(ReportText.were(unjudged, "further one")) not judged, because too many were open." : ""
    guard tally.inOrder > 0 else {
      return Finding(.notExercised, "No write lost its response long enough ago to be judged.\(rest)")
    }
    return Finding(.pass, "\(Self.lostWrites(tally.inOrder)) repeated or checked by a read.\(rest)")
  }

  /// The words for what followed a lost write.
  private static func ending(_ kind: Kind) -> String {
    switch kind {
    case .forgotten: "neither repeated nor checked by a read within 30 s"
    case .leftAtEnd: "neither repeated nor checked by a read before the run ended"
    case .polled: "followed by nothing but a poll that was running before"
    case .late: "repeated only after more than 30 s"
    case .interrupted, .unjudged: "neither repeated nor checked by a read before the sandbox was reset"
    }
  }

  /// Returns the beginning of a sentence: `2 writes of unknown outcome were`.
  private static func lostWrites(_ count: Int) -> String {
    "\(ReportText.count(count, "write")) of unknown outcome \(ReportText.were(count))"
  }
}
