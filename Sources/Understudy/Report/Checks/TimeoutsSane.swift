import Contract
import Faults

/// Checks that a client without a response gives up, neither never nor at once.
///
/// Sixty seconds are URLSession's default (`timeoutIntervalForRequest`); a client that gives up within a second fails
/// on every slow network. The client's own clock counts, so advances do not.
struct TimeoutsSane: Check {
  static let id = "timeouts-sane"
  static let rank = 120
  /// This number of slow responses given up, and none awaited, is a habit.
  static let maximumImpatient = 3
  /// A response that comes within this time is merely slow.
  static let slow = Duration.seconds(5)
  /// A request for another target on the same path takes the place of one as a person types.
  static let typing = Duration.seconds(2)
  static let most = Duration.seconds(60)
  static let least = Duration.seconds(1)
  /// A timer of sixty seconds ends a little after them.
  static let slack = Duration.seconds(1)

  private var judged = 0
  private var patient = 0
  private var hasty = 0
  private var longest = Duration.zero
  private var shortest = Duration.seconds(1 << 40)
  private var example = ""
  private var evidence = Evidence()
  /// The slow responses of each client that it waited for, and that it did not and asked for again.
  private var slow = RecentTable<UInt64, Slow>(capacity: 256)
  /// The last silence of each client that was given up at once.
  private var typed = RecentTable<UInt64, Typed>(capacity: 256)

  private struct Slow: Sendable {
    var patient = 0
    var impatient = 0
    var example = ""
    var evidence = Evidence()
  }

  private struct Typed: Sendable {
    let target: UInt64
    let arrival: MonotonicInstant
    var isCounted: Bool
  }

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    if typed.count > 0 { forgive(seen) }
    judgeSlowness(seen, trial)
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
      if example.isEmpty { example = Words.request(seen) }
      evidence.add(seen.id)
      guard !seen.isWrite else { return }
      typed[seen.client.mixed(with: seen.place)] = Typed(
        target: Observation.hash(seen.target), arrival: seen.arrival, isCounted: true)
    }
  }

  /// Takes a hasty end back where another request for the same path, as a person types, took its place.
  private mutating func forgive(_ seen: Observation) {
    let place = seen.client.mixed(with: seen.place)
    guard var last = typed[place], last.isCounted, seen.arrival - last.arrival <= Self.typing,
      last.target != Observation.hash(seen.target)
    else { return }
    last.isCounted = false
    typed[place] = last
    hasty -= 1
  }

  /// Counts slow responses that were given up and asked for again, and those that were waited for.
  private mutating func judgeSlowness(_ seen: Observation, _ trial: LogicalRequests.AttemptKind) {
    if case .retry(let request, _, _) = trial, request.last.isGivenUpSlow {
      var known = slow[seen.client] ?? Slow()
      known.impatient += 1
      known.example = Words.request(seen)
      known.evidence.add(request.last.id, seen.id)
      slow[seen.client] = known
    }
    guard seen.held >= Self.least, seen.outcome == .sent, !seen.plan.isSilence else { return }
    var known = slow[seen.client] ?? Slow()
    known.patient += 1
    slow[seen.client] = known
  }

  private var span: String {
    let (least, most) = (Words.span(shortest), Words.span(longest))
    return least == most ? least : "\(least) to \(most)"
  }

  func finding(_ moment: CheckContext) -> Finding {
    var complaints: [String] = []
    if patient > 0 {
      complaints.append(
        "\(Words.count(patient, "hung exchange")) kept the client waiting for up to \(Words.span(longest)); "
          + "set a time-out, 60 s are plenty.")
    }
    if hasty > 0 {
      complaints.append(
        "\(Words.count(hasty, "hung exchange")) \(Words.were(hasty)) given up in less than a second, "
          + "one after \(Words.span(shortest)): \(example). A second is not long on a bad network.")
    }
    var proof = evidence
    for known in slow.all where known.patient * 4 <= known.impatient && known.impatient >= Self.maximumImpatient {
      complaints.append(
        "\(Words.count(known.impatient, "response")) that \(known.impatient == 1 ? "was" : "were") merely slow "
          + "\(Words.were(known.impatient)) given up and asked for again, and hardly any was waited for: \(known.example). Wait "
          + "longer than a slow network takes.")
      for id in known.evidence.ids { proof.add(id) }
      break
    }
    guard complaints.isEmpty else { return Finding(.warn, complaints.joined(separator: " "), proof) }
    guard judged > 0 else { return Finding(.notExercised, "No exchange hung until the client gave up.") }
    return Finding(
      .pass,
      "\(Words.count(judged, "hung exchange")) \(Words.were(judged)) given up after \(span).")
  }
}

extension Plan {
  /// True if the client gets no byte, or no more bytes, for longer than any client should wait.
  fileprivate var isSilence: Bool {
    guard let hold = ending?.hold else { return false }
    return hold.duration.map { $0 >= TimeoutsSane.least } ?? true
  }
}

extension LogicalRequest.Attempt {
  /// True if its client left before a response that was merely slow.
  fileprivate var isGivenUpSlow: Bool {
    let due = max(planned, end - arrival)
    return result == .lost && !isEndKnown && due >= TimeoutsSane.least && due <= TimeoutsSane.slow
  }
}
