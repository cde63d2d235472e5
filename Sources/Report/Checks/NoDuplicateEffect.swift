import Contract

/// Checks that no write took effect twice because its client sent it again, and no `Idempotency-Key` held the two together.
///
/// The first write need not have been lost: it may have been slow, or sent beside the second as a hedge. A fresh key for each
/// attempt is as good as none; if the first key is sent again later, the write under the new key was a separate one.
///
/// A write that sets the same again changes nothing, and is right. A client that looks before it writes again has decided
/// anew.
struct NoDuplicateEffect: ReportCheck {
  static let id = "no-duplicate-effect"

  private enum Kind: Int, CaseIterable { case doubled, underTwoKeys, byTransport, alike, redirected }

  var interest: Traits { .write }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard let earlier = facts.earlierEffect else { return }
    tally.inOrder += 1
    if earlier.isUnknown { tally.others += 1 }
    guard earlier.first > 0 else { return }
    tally[Self.kind(of: earlier.link)].add(
      seen, after: [earlier.first], unless: earlier.unless, firstKey: earlier.firstKey)
  }

  private static func kind(of link: EffectHistory.Earlier.Link) -> Kind {
    switch link {
    case .sameWrite: .doubled
    case .transport: .byTransport
    case .twoKeys: .underTwoKeys
    case .alike: .alike
    case .redirects: .redirected
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    if let kind = tally.worst(of: Kind.allCases) {
      let mistake = tally[kind]
      return Finding(
        mistake.verdict,
        "\(Self.complaint(kind, mistake)): \(mistake.example). \(Self.advice(kind, mistake.key))\(mistake.excuses)",
        mistake.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No write was repeated after a failure.") }
    let repeated = "\(ReportText.were(tally.inOrder, "write")) repeated after a failure"
    guard tally.others == 0 else {
      return Finding(
        .pass, "\(repeated); whether \(tally.others) of them took effect twice is known only to the backend.")
    }
    return Finding(.pass, "\(repeated), and none took effect twice.")
  }

  private static func complaint(_ kind: Kind, _ mistake: Mistake) -> String {
    let writes = ReportText.count(mistake.count, "write")
    let sentAgain =
      "\(ReportText.were(mistake.count, "write")) sent again before the client knew what became of the first"
    return switch kind {
    case .doubled where mistake.explanations.contains(.undeclared): "\(sentAgain), and the backend carried out both"
    case .doubled: "\(sentAgain), and took effect twice"
    case .underTwoKeys: "\(sentAgain), under another \(ReportText.keyName(mistake.key)), and took effect twice"
    case .byTransport:
      "\(writes) took effect twice because the transport repeated \(mistake.count == 1 ? "it" : "them") by itself"
    case .alike:
      "\(writes) took effect after one that differs by a time or a random id alone, and whose response was lost or said that "
        + "it had failed"
    case .redirected: "\(sentAgain), and the backend redirected both to the same place, where it may stand twice"
    }
  }

  /// Returns the remedy, which does no harm if the two were meant.
  ///
  /// - Parameter key: The part of the requests that identifies a write; nil if the backend declares none.
  private static func advice(_ kind: Kind, _ key: String?) -> String {
    switch kind {
    case .doubled where key == nil, .redirected where key == nil:
      "Read what the first one did before sending another."
    case .doubled, .redirected: "Send \(ReportText.key(key ?? "")), the same with each attempt."
    case .underTwoKeys:
      "Send the same \(ReportText.keyName(key)) with each attempt at one wish, and another key with another wish."
    case .byTransport where key == nil: "Let the transport repeat no write."
    case .byTransport: "Send \(ReportText.key(key ?? "")), which prevents that."
    case .alike: "Make the content once for each wish, and send it with a key, unchanged with each attempt."
    }
  }
}
