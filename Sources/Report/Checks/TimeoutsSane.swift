import Contract
import Primitives

/// Checks that a client without a response gives up, neither never nor at once.
///
/// Sixty seconds are URLSession's default (`timeoutIntervalForRequest`); a client that gives up within a second fails on every
/// slow network. The client's own clock counts, so advances do not.
struct TimeoutsSane: ReportCheck {
  static let id = "timeouts-sane"
  /// So many slow responses given up, and hardly any awaited, are a habit.
  static let maximumImpatient = 3
  /// A response that comes between these times is merely slow.
  static let slowest = NanosecondDuration.milliseconds(400)
  static let slow = Duration.seconds(5)
  static let longestTimeout = Duration.seconds(60)
  static let shortestTimeout = Duration.seconds(1)
  /// A timer of sixty seconds ends a little after them.
  static let slack = Duration.seconds(1)

  private enum Kind: Int { case patient, hasty }

  var interest: Traits { .patience }

  func judge(_ seen: Observation, _ facts: Facts, _ tally: inout Tally) {
    switch facts.patience {
    case nil: break
    case .typed: tally.others += 1
    case .waitedTooLong:
      tally.inOrder += 1
      tally[Kind.patient].add(seen, unless: .person, figure: (seen.waitedTime, .zero))
    case .gaveUp:
      tally.inOrder += 1
      tally.measure(seen.waitedTime)
      guard seen.waitedTime < Self.shortestTimeout else { return }
      tally[Kind.hasty].add(seen, unless: .person, figure: (seen.waitedTime, Self.shortestTimeout))
    }
  }

  func finding(_ tally: Tally, _ history: History) -> Finding {
    var complaints: [String] = []
    var proof = Evidence()
    let (patient, hasty) = (tally[Kind.patient], tally[Kind.hasty])
    if patient.count > 0 {
      complaints.append(
        "A client waited up to \(ReportText.duration(patient.figure ?? .zero)) for "
          + "\(ReportText.count(patient.count, "response")) that did not come: \(patient.example). Set a timeout of 60 s at "
          + "most.")
      for id in patient.evidence.ids { proof.add(id) }
    }
    // Another read took the place of the others, as when a person types.
    let given = hasty.count - tally.others
    if given > 0 {
      complaints.append(
        "A client gave up in less than a second on \(ReportText.count(given, "response")) that did not come, on one after "
          + "\(ReportText.duration(hasty.figure ?? .zero)): \(hasty.example). Wait longer: a second is not long on a bad network."
      )
      for id in hasty.evidence.ids { proof.add(id) }
    }
    if let slow = history.clients.all.map(\.slow).first(where: \.isImpatient) {
      complaints.append(
        "A client gave up \(ReportText.count(slow.left, "response")) that \(ReportText.were(slow.left)) merely slow, and "
          + "waited for \(slow.awaited == 0 ? "none" : "\(slow.awaited)"): \(slow.example). Wait longer, unless a person had left the screen."
      )
      for id in slow.evidence.ids { proof.add(id) }
    }
    guard complaints.isEmpty else { return Finding(.warn, complaints.joined(separator: " "), proof) }
    guard tally.inOrder > 0 else { return Finding(.notExercised, "No exchange hung until the client gave up.") }
    let range = tally.range ?? .zero ... .zero
    let (low, high) = (ReportText.duration(range.lowerBound), ReportText.duration(range.upperBound))
    return Finding(
      .pass,
      "Clients waited \(low == high ? low : "\(low) to \(high)") for \(ReportText.count(tally.inOrder, "response")) that did "
        + "not come, and then gave up.")
  }
}

extension ClientHistory.Slow {
  fileprivate var isImpatient: Bool { left >= TimeoutsSane.maximumImpatient && awaited * 4 <= left }
}
