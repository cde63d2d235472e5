import Contract
import Faults

/// Checks that a client that does not know the outcome of its write finds out: by sending it again, or by looking.
///
/// It has thirty seconds; at the end of the run, only a client that has not tried at all fails. A repeated write is
/// recognized by its intent. A read counts if it shows the record, and a later write of the same values makes the old
/// one irrelevant. Another booking does not.
/// A client whose attempt to find out fails has thirty seconds from that attempt. While the sandbox is offline, no time
/// passes, by the sandbox's own clock.
/// A client that gave up may look before the server notices its disconnection, so requests in between count, too.
struct LostReplyFollowedUp: Check {
  static let id = "lost-reply-followed-up"
  static let patience = Duration.seconds(30)
  static let mostPending = 256
  static let mostLooks = 256

  private struct Lost: Sendable {
    let id: Int
    /// The entry of the client's own request, if this was a repetition by its transport.
    let origin: Int
    let client: UInt64
    let identity: UInt64
    let intent: Intent?
    let api: Int?
    let arrival: Tick
    let end: Tick
    /// The instant of the client's last failed attempt to find out, or of the loss, in online time.
    private(set) var lastTry: Tick
    private(set) var isTried = false

    init(_ seen: Observation) {
      id = seen.id
      origin = seen.replayOf ?? seen.id
      client = seen.client
      identity = seen.identity
      intent = seen.intent
      api = seen.api
      arrival = seen.arrival
      end = seen.end
      lastTry = seen.endOnline
    }

    /// Records a request that would have shown the outcome, had it got a response.
    mutating func noteTry(_ seen: Observation) {
      guard let intent, seen.client == client, seen.api == api, !seen.tells else { return }
      guard seen.intent?.settles(intent) == true else { return }
      lastTry = max(lastTry, seen.endOnline)
      isTried = true
    }

    /// Returns true if the client's time has passed, in online time.
    func isOverdue(at moment: Tick) -> Bool { moment - lastTry > LostReplyFollowedUp.patience }

    /// Returns true if the client finds out by this request.
    ///
    /// A request shortly after the arrival of the write was sent concurrently, and not because the write was given up,
    /// unless it repeats the write.
    func isFollowed(by look: Look) -> Bool {
      guard look.client == client, look.id > id, !isOverdue(at: look.arrivalOnline) else { return false }
      guard look.identity == identity || settles(look) else { return false }
      let isLater = look.arrival - end >= .zero - LogicalRequests.overlap
      return isLater || look.arrival - arrival >= LogicalRequests.shortestTimeout || look.identity == identity
    }

    private func settles(_ look: Look) -> Bool {
      guard let intent, let told = look.intent, look.api == api else { return false }
      return told.settles(intent)
    }
  }

  /// A request by which a client may have found out about an earlier one that is still in progress.
  private struct Look: Sendable {
    let id: Int
    let identity: UInt64
    let client: UInt64
    /// Its intent, if it succeeded.
    let intent: Intent?
    let api: Int?
    let arrival: Tick
    let arrivalOnline: Tick
  }

  private var pending: [Lost] = []
  /// The latest requests, in no order.
  private var looks: [Look] = []
  private var oldestLook = 0
  private var followed = 0
  private var forgotten = 0
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    if seen.isWrite || seen.method != "HEAD" { follow(seen) }
    guard seen.isWrite, seen.result == .lost else { return }
    let lost = Lost(seen)
    if looks.contains(where: { lost.isFollowed(by: $0) }) {
      followed += 1
      return
    }
    if pending.count == Self.mostPending { forget(pending.removeFirst()) }
    pending.append(lost)
  }

  private mutating func follow(_ seen: Observation) {
    let look = Look(
      id: seen.id, identity: seen.identity, client: seen.client, intent: seen.tells ? seen.intent : nil, api: seen.api,
      arrival: seen.arrival, arrivalOnline: seen.arrivalOnline)
    if looks.count < Self.mostLooks {
      looks.append(look)
    } else {
      looks[oldestLook] = look
      oldestLook = (oldestLook + 1) % Self.mostLooks
    }
    guard !pending.isEmpty else { return }
    // A repetition by a transport replaces the repeated request, whatever its outcome.
    if let replayOf = seen.replayOf { pending.removeAll { $0.origin == replayOf } }
    var rest: [Lost] = []
    for var lost in pending {
      if lost.isFollowed(by: look) {
        followed += 1
      } else if lost.isOverdue(at: look.arrivalOnline) {
        forget(lost)
      } else {
        lost.noteTry(seen)
        rest.append(lost)
      }
    }
    pending = rest
  }

  private mutating func forget(_ lost: Lost) {
    forgotten += 1
    evidence.add(lost.origin)
  }

  func finding(_ moment: Judgement) -> Finding {
    var judged = self
    for lost in pending
    where moment.isFinal && !lost.isTried || lost.isOverdue(at: moment.now - moment.timeOffline) { judged.forget(lost) }
    return judged.settled
  }

  private var settled: Finding {
    if forgotten > 0 {
      return Finding(
        .fail,
        "\(Words.count(forgotten, "write")) whose reply was lost \(Words.were(forgotten)) neither repeated nor looked "
          + "after within 30 s.", evidence)
    }
    guard followed > 0 else {
      return Finding(.notExercised, "No write lost its reply so long ago that it can be judged.")
    }
    return Finding(
      .pass, "\(Words.count(followed, "write")) whose reply was lost \(Words.were(followed)) repeated or looked after.")
  }
}

/// Instants of a clock that stops while the sandbox is offline, as of the exchange's end. An arrival is too early only
/// if an outage began and ended during the exchange.
extension Observation {
  fileprivate var arrivalOnline: Tick { arrival - timeOffline }
  fileprivate var endOnline: Tick { end - timeOffline }
}
