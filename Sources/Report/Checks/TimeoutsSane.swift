import Contract
import Faults
import Primitives

/// Checks that a client without a response gives up, neither never nor at once.
///
/// Sixty seconds are URLSession's default (`timeoutIntervalForRequest`); a client that gives up within a second fails
/// on every slow network. The client's own clock counts, so advances do not.
struct TimeoutsSane: Check {
  static let id = "timeouts-sane"
  /// This number of slow responses given up, and none awaited, is a habit.
  static let maximumImpatient = 3
  /// A response that comes within this time is merely slow.
  static let slow = Duration.seconds(5)
  /// A request for another target on the same path takes the place of one as a person types.
  static let typing = Duration.seconds(2)
  static let longestTimeout = Duration.seconds(60)
  static let shortestTimeout = Duration.seconds(1)
  /// A timer of sixty seconds ends a little after them.
  static let slack = Duration.seconds(1)

  private var judged = 0
  private var patient = 0
  private var hasty = 0
  private var longest = Duration.zero
  private var shortest = Duration.seconds(1 << 40)
  private var example = ""
  /// The first request that was waited for too long.
  private var waitedFor = ""
  private var evidence = Evidence()
  /// The slow responses of each client that it waited for, and that it did not and asked for again.
  private var slow = RecentTable<Slow>(capacity: 256)
  /// The last silence of each client that was given up at once.
  private var typed = RecentTable<Typed>(capacity: 256)

  private struct Slow: Sendable {
    var patient = 0
    var impatient = 0
    var example = ""
    var evidence = Evidence()
  }

  private struct Typed: Sendable {
    let query: UInt64
    let arrival: MonotonicInstant
    var isCounted: Bool
  }

  var interest: Traits { typed.count > 0 ? .any : [.planned, .delayed, .retry] }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    if typed.count > 0 { forgive(seen) }
    judgeSlowness(seen, role)
    guard seen.plan.isSilence, seen.outcome != .event else { return }
    if seen.waitedTime > Self.longestTimeout + Self.slack {
      judged += 1
      patient += 1
      if waitedFor.isEmpty { waitedFor = ReportText.request(seen) }
      longest = max(longest, seen.waitedTime)
      evidence.add(seen.id)
    } else if seen.outcome == .peerGone {
      judged += 1
      longest = max(longest, seen.waitedTime)
      shortest = min(shortest, seen.waitedTime)
      guard seen.waitedTime < Self.shortestTimeout else { return }
      hasty += 1
      if example.isEmpty { example = ReportText.request(seen) }
      evidence.add(seen.id)
      guard !seen.isWrite else { return }
      typed[seen.client.mixed(with: seen.pathHash)] = Typed(
        query: seen.query, arrival: seen.arrival, isCounted: true)
    }
  }

  /// Takes a hasty end back where another request for the same path, as a person types, took its place.
  private mutating func forgive(_ seen: Observation) {
    let key = seen.client.mixed(with: seen.pathHash)
    guard var last = typed[key], last.isCounted, seen.arrival - last.arrival <= Self.typing,
      last.query != seen.query
    else { return }
    last.isCounted = false
    typed[key] = last
    hasty -= 1
  }

  /// Counts slow responses that were given up and asked for again, and those that were waited for.
  private mutating func judgeSlowness(_ seen: Observation, _ role: LogicalRequests.Role) {
    // A hedge is sent while the first is waited for.
    if case .retry(let request, _, _) = role.attempt, request.last.isGivenUpSlow,
      seen.arrival - request.last.end >= .zero - LogicalRequests.overlap.duration
    {
      var known = slow[seen.client] ?? Slow()
      known.impatient += 1
      known.example = ReportText.request(seen)
      known.evidence.add(request.last.id, seen.id)
      slow[seen.client] = known
    }
    guard seen.measuredDelay >= Self.shortestTimeout, seen.outcome == .sent, !seen.plan.isSilence else { return }
    var known = slow[seen.client] ?? Slow()
    known.patient += 1
    slow[seen.client] = known
  }

  private var span: String {
    let (low, high) = (ReportText.duration(shortest), ReportText.duration(longest))
    return low == high ? low : "\(low) to \(high)"
  }

  func finding(_ context: CheckContext) -> Finding {
    var complaints: [String] = []
    if patient > 0 {
      complaints.append(
        "A client waited up to \(ReportText.duration(longest)) for \(ReportText.count(patient, "response")) that did not come: "
          + "\(waitedFor). Set a timeout of 60 s at most.")
    }
    if hasty > 0 {
      complaints.append(
        "A client gave up in less than a second on \(ReportText.count(hasty, "response")) that did not come, "
          + "on one after \(ReportText.duration(shortest)): \(example). Wait longer: a second is not long on a bad network."
      )
    }
    var proof = evidence
    for known in slow.values where known.patient * 4 <= known.impatient && known.impatient >= Self.maximumImpatient {
      complaints.append(
        "\(ReportText.count(known.impatient, "response")) that \(ReportText.were(known.impatient)) merely slow "
          + "\(ReportText.were(known.impatient)) given up and requested again, and the client waited for hardly any: "
          + "\(known.example). Use a longer timeout.")
      for id in known.evidence.ids { proof.add(id) }
      break
    }
    guard complaints.isEmpty else { return Finding(.warn, complaints.joined(separator: " "), proof) }
    guard judged > 0 else { return Finding(.notExercised, "No exchange hung until the client gave up.") }
    return Finding(
      .pass,
      "Clients waited \(span) for \(ReportText.count(judged, "response")) that did not come, and then gave up.")
  }
}

extension PlanSummary {
  /// True if the client gets no byte, or no more bytes, for longer than any client should wait.
  fileprivate var isSilence: Bool {
    guard let hold = ending?.hold else { return false }
    return hold.duration.map { $0 >= TimeoutsSane.shortestTimeout } ?? true
  }
}

extension LogicalRequest.Attempt {
  /// True if its client left before a response that was merely slow.
  fileprivate var isGivenUpSlow: Bool {
    let due = max(plan.delay, end - arrival)
    return result == .lost && !isEndKnown && due >= TimeoutsSane.shortestTimeout && due <= TimeoutsSane.slow
  }
}
