import Contract
import Primitives

/// Checks that an `Idempotency-Key` names one logical write: not two of different content, and not each later one too.
///
/// Each failure of an attempt is good for one more, also where another attempt beside it was answered: not every client
/// compares the two.
///
/// A key that comes again after its write was answered may be a retry whose response got lost on the client's side, or a
/// tap too many. One that goes on to come, seconds apart, is a constant: what it was to do never happens.
struct KeyReuse: Check {
  static let id = "key-reuse"
  /// A repetition later than this after an answer is no accidental tap.
  static let later = Duration.seconds(2)
  /// So many times a retry may come after the answer.
  static let maximumRepeats = 1

  private struct Use: Sendable {
    let id: Int
    let meaning: UInt64
    var answered: MonotonicInstant?
    /// The failed attempts that none has followed yet.
    var failures = 0
    var repeats = 0
  }

  private var uses = RecentTable<Use>(capacity: 1_024)
  private var keys = 0
  private var clashes = 0
  private var constants = 0
  private var example = ""
  private var evidence = Evidence()

  var interest: Traits { .keyed }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard seen.isWrite, let key = seen.key, seen.replayOf == nil else { return }
    let scope = seen.pathHash.mixed(with: Observation.hash(seen.method)).mixed(with: key)
    let content = seen.isComparedByBytes ? seen.body : seen.intent?.meaning ?? 0
    let meaning = content.mixed(with: UInt64(seen.api ?? 255))
    guard var use = uses[scope] else {
      keys += 1
      let isAnswered = seen.result == .success
      uses[scope] = Use(
        id: seen.id, meaning: meaning, answered: isAnswered ? seen.end : nil, failures: seen.hasFailed ? 1 : 0)
      return
    }
    if use.meaning != meaning {
      clashes += 1
      record(use.id, seen)
    } else if use.failures > 0 {
      use.failures -= 1
    } else if let answered = use.answered, seen.arrival - answered >= Self.later {
      use.repeats += 1
      if use.repeats > Self.maximumRepeats {
        constants += 1
        record(use.id, seen)
      }
    }
    if seen.hasFailed { use.failures += 1 }
    if seen.result == .success { use.answered = max(use.answered ?? seen.end, seen.end) }
    uses[scope] = use
  }

  private mutating func record(_ first: Int, _ second: Observation) {
    if example.isEmpty { example = ReportText.request(second) }
    evidence.add(first, second.id)
  }

  func finding(_ context: CheckContext) -> Finding {
    if clashes > 0 {
      return Finding(
        .fail,
        "\(ReportText.count(clashes, "write")) had the Idempotency-Key of another write: \(example). Make a new key for each "
          + "logical write, and use it again for its retries only.", evidence)
    }
    if constants > 0 {
      return Finding(
        .fail,
        "\(ReportText.count(constants, "write")) had the Idempotency-Key of a write that had been answered, so the server did "
          + "not apply \(constants == 1 ? "it" : "them"): \(example). Make a new key for each logical write.", evidence)
    }
    guard keys > 0 else { return Finding(.notExercised, "No write had an Idempotency-Key.") }
    return Finding(.pass, "\(ReportText.count(keys, "Idempotency-Key")) stood for one write each.")
  }
}
