import Contract

/// Whether a client that does not know what became of its write finds out: by sending it again, or by looking.
///
/// It has thirty seconds, or until the run ends. A later write to the same place counts too: it makes the old one moot.
struct LostReplyFollowedUp: Check {
  static let id = "lost-reply-followed-up"
  static let patience = Duration.seconds(30)
  static let mostPending = 256

  private struct Lost: Sendable {
    let id: Int
    let client: UInt64
    let place: UInt64
    let api: Int?
    var end: Tick
  }

  private var pending: [Lost] = []
  private var followed = 0
  private var forgotten = 0
  private var evidence = Evidence()

  mutating func observe(_ seen: Observation, _ trial: LogicalRequests.Trial) {
    if !pending.isEmpty { follow(seen) }
    guard seen.isWrite, seen.result == .lost else { return }
    if pending.count == Self.mostPending { forget(pending.removeFirst()) }
    pending.append(
      Lost(id: seen.replayOf ?? seen.id, client: seen.client, place: seen.place, api: seen.api, end: seen.end))
  }

  private mutating func follow(_ seen: Observation) {
    // A transport's repetition stands for the request that it repeats, whatever it came to.
    if let replayOf = seen.replayOf { pending.removeAll { $0.id == replayOf } }
    var rest: [Lost] = []
    for lost in pending {
      let isLater = seen.arrival >= lost.end + (.zero - LogicalRequests.overlap) && seen.id > lost.id
      let looksAfter = seen.isWrite ? seen.place == lost.place : seen.api == lost.api && seen.method != "HEAD"
      if isLater, seen.client == lost.client, looksAfter, seen.arrival - lost.end <= Self.patience {
        followed += 1
      } else if seen.arrival - lost.end > Self.patience {
        forget(lost)
      } else {
        rest.append(lost)
      }
    }
    pending = rest
  }

  private mutating func forget(_ lost: Lost) {
    forgotten += 1
    evidence.add(lost.id)
  }

  func finding(_ moment: Judgement) -> Finding {
    var judged = self
    for lost in pending where moment.isFinal || moment.now - lost.end > Self.patience { judged.forget(lost) }
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
