import Contract
import Faults

/// Whether a client that does not know what became of its write finds out: by sending it again, or by looking.
///
/// It has thirty seconds; the end of the run is held against who has not tried at all. What it sends again is told by its
/// intent, as everywhere; a read counts if it shows the record, and a later write that sets the same makes the old one
/// moot. Another booking does not.
/// Who tries to find out and learns nothing has thirty seconds from that try. While the sandbox is off the network, no
/// time passes, by the sandbox's own clock.
/// Who gave up waiting may look before the server notices that nobody waits any more, so what came meanwhile counts too.
struct LostReplyFollowedUp: Check {
  static let id = "lost-reply-followed-up"
  static let patience = Duration.seconds(30)
  static let mostPending = 256
  static let mostLooks = 256

  private struct Lost: Sendable {
    let id: Int
    /// What the client sent, where this was its transport's repetition.
    let origin: Int
    let client: UInt64
    let identity: UInt64
    let intent: Intent?
    let api: Int?
    let arrival: Tick
    let end: Tick
    /// When its client last tried in vain to find out, or lost it, in time online.
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

    /// Takes note of a request that would have told its client, had it had a reply.
    mutating func noteTry(_ seen: Observation) {
      guard let intent, seen.client == client, seen.api == api, !seen.tells else { return }
      guard seen.intent?.settles(intent) == true else { return }
      lastTry = max(lastTry, seen.endOnline)
      isTried = true
    }

    /// Whether its client has had its time by a moment of time online.
    func isOverdue(at moment: Tick) -> Bool { moment - lastTry > LostReplyFollowedUp.patience }

    /// Whether a request is one by which its client finds out.
    ///
    /// What came sooner after the write had come was sent beside it, and not because it was given up, unless it is the
    /// same again.
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

  /// A request by which a client may have found out about an earlier one that is still under way.
  private struct Look: Sendable {
    let id: Int
    let identity: UInt64
    let client: UInt64
    /// What it means, where that came to something.
    let intent: Intent?
    let api: Int?
    let arrival: Tick
    let arrivalOnline: Tick
  }

  private var pending: [Lost] = []
  /// The latest ones, in no order.
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
    // A transport's repetition stands for the request that it repeats, whatever it came to.
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

/// Moments by a clock that stands still while the sandbox is off the network, as it was read at the exchange's end: an
/// arrival is too early only where an outage began and ended during the exchange.
extension Observation {
  fileprivate var arrivalOnline: Tick { arrival - timeOffline }
  fileprivate var endOnline: Tick { end - timeOffline }
}
