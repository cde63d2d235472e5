import Contract

/// Checks that an `Idempotency-Key` names one logical write: not two of different content, not those of several clients, and
/// not each later one too.
///
/// A key is the identity of a write, from any client: each failure of an attempt is good for one more, from another client,
/// too. A key that comes again after its write was answered may be a queue's second delivery, a retry whose response got lost
/// on the client's side, or a tap too many; one that goes on to come is a constant, and what it was to do never happens.
struct KeyReuse: ReportCheck {
  static let id = "key-reuse"
  /// A repetition later than this after an answer is no accidental tap.
  static let later = Duration.seconds(2)
  /// So many times a write may be delivered again after the answer, and so many times seconds later.
  static let maximumRepeats = 1
  static let maximumLate = 2

  private enum Kind: Int, CaseIterable { case clash, foreign, twoPaths, constant, again }

  var interest: Traits { .keyed }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    guard seen.isWrite, let reuse = facts.key else { return }
    if reuse.otherPath > 0 {
      // A server keeps keys apart by path.
      tally[Kind.twoPaths].add(
        seen, after: [reuse.otherPath], unless: reuse.isSameEffect ? [] : .separateWishes)
    }
    guard reuse.first > 0 else { return tally.inOrder += 1 }
    if reuse.isClash {
      tally[Kind.clash].add(seen, after: [reuse.first], unless: reuse.isPerhapsEqual ? .sameMeaning : [])
    } else if reuse.isForeign {
      tally[Kind.foreign].add(seen, after: [reuse.first], unless: reuse.repeats > 1 ? [] : .redelivery)
    } else if reuse.late > Self.maximumLate || reuse.isAppliedAgain {
      tally[Kind.constant].add(seen, after: [reuse.first])
    } else if reuse.repeats > Self.maximumRepeats {
      tally[Kind.again].add(seen, after: [reuse.first], unless: .redelivery)
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    if let kind = tally.worst(of: Kind.allCases) {
      let mistake = tally[kind]
      return Finding(
        mistake.verdict,
        "\(ReportText.count(mistake.count, "write")) \(Self.complaint(kind, mistake.key)): \(mistake.example). Make a new "
          + "key for each wish, and send it with all attempts at that wish, and with nothing else.\(mistake.excuses)",
        mistake.evidence)
    }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No write had an Idempotency-Key.") }
    return Finding(.pass, "\(ReportText.count(tally.inOrder, "key")) stood for one write each.")
  }

  private static func complaint(_ kind: Kind, _ key: String?) -> String {
    let reuse = "had the \(ReportText.keyName(key)) of"
    return switch kind {
    case .clash: "\(reuse) another write"
    case .foreign: "\(reuse) another client's write, which had not failed"
    case .twoPaths: "\(reuse) a write to another path, and a server keeps the keys of each path apart"
    case .constant: "\(reuse) a write that had been answered, and is not carried out while the server keeps that key"
    case .again: "\(reuse) a write that had been answered twice, and the server carries out such a write once"
    }
  }
}
