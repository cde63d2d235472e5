import Contract
import Faults

/// Whether a client that gets no reply gives up, neither never nor at once.
///
/// Sixty seconds are what URLSession waits unless told otherwise (`timeoutIntervalForRequest`); whoever gives up within
/// a second gives up on every slow network. The client's own clock counts, so advances do not.
struct TimeoutsSane: Check {
  static let id = "timeouts-sane"
  static let most = Duration.seconds(60)
  static let least = Duration.seconds(1)
  /// A timer of sixty seconds ends a little after them.
  static let slack = Duration.seconds(1)

  private var judged = 0
  private var patient = 0
  private var hasty = 0
  private var longest = Duration.zero
  private var shortest = Duration.seconds(1 << 40)
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    guard seen.plan.isSilence, seen.outcome != .event else { return }
    if seen.kept > Self.most + Self.slack {
      judged += 1
      patient += 1
      longest = max(longest, seen.kept)
      evidence.add(seen.id)
    } else if seen.outcome == .peerGone {
      judged += 1
      longest = max(longest, seen.kept)
      shortest = min(shortest, seen.kept)
      guard seen.kept < Self.least else { return }
      hasty += 1
      evidence.add(seen.id)
    }
  }

  private var span: String {
    let (least, most) = (Words.span(shortest), Words.span(longest))
    return least == most ? least : "\(least) to \(most)"
  }

  func finding(_ moment: Judgement) -> Finding {
    var complaints: [String] = []
    if patient > 0 {
      complaints.append(
        "\(Words.count(patient, "hung exchange")) kept the client waiting for up to \(Words.span(longest)); "
          + "60 s are plenty.")
    }
    if hasty > 0 {
      complaints.append(
        "\(Words.count(hasty, "hung exchange")) \(Words.were(hasty)) given up in less than a second, "
          + "one after \(Words.span(shortest)).")
    }
    guard complaints.isEmpty else { return Finding(.warn, complaints.joined(separator: " "), evidence) }
    guard judged > 0 else { return Finding(.notExercised, "No exchange hung until the client gave up.") }
    return Finding(
      .pass,
      "\(Words.count(judged, "hung exchange")) \(Words.were(judged)) given up after \(span).")
  }
}

extension Plan {
  /// Whether the client gets no byte, or no more bytes, for longer than anybody should have to wait.
  fileprivate var isSilence: Bool {
    guard let hold = ending?.hold else { return false }
    return hold.duration.map { $0 >= TimeoutsSane.least } ?? true
  }
}
