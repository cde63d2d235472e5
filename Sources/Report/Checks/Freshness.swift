import Contract
import Faults
import Primitives

/// Checks that a response is reused for as long as `max-age` allows (RFC 9111 section 4.2), instead of being asked for again.
///
/// A request with `Cache-Control: no-cache`, as a person's pull-to-refresh sends it, wants a fresh one and says so.
/// A part (206) is the continuation of an interrupted response, not the same one again.
struct Freshness: Check {
  static let id = "freshness"
  /// So many needless requests of one client for one target are a habit.
  static let maximumNeedless = 3

  private struct Known: Sendable {
    var id: Int
    var fresh: MonotonicInstant
    var needless = 0
  }

  private var known = RecentTable<Known>(capacity: 1_024)
  private var asked = 0
  private var wasteful = 0
  private var needless = 0
  private var example = ""
  private var evidence = Evidence()

  var interest: Traits { .timed }

  mutating func observe(_ seen: Observation, _ role: LogicalRequests.Role) {
    guard let lifetime = seen.operation?.lifetime, seen.method == "GET", !seen.isWrite, seen.result == .success,
      seen.plan.status == nil, seen.status != 206
    else { return }
    guard var last = known[seen.identity] else {
      known[seen.identity] = Known(id: seen.id, fresh: seen.end + lifetime)
      return
    }
    if seen.arrival < last.fresh, !seen.isRefresh {
      last.needless += 1
      needless += 1
      if last.needless == Self.maximumNeedless {
        wasteful += 1
        if example.isEmpty {
          example = "\(ReportText.request(seen)), whose response may be reused for \(ReportText.duration(lifetime))"
        }
        evidence.add(last.id)
      }
      if last.needless >= Self.maximumNeedless { evidence.add(seen.id) }
    } else if !seen.isRefresh {
      asked += 1
    }
    last.id = seen.id
    last.fresh = max(last.fresh, seen.end + lifetime)
    known[seen.identity] = last
  }

  func finding(_ context: CheckContext) -> Finding {
    if wasteful > 0 {
      return Finding(
        .warn,
        "\(ReportText.were(wasteful, "resource")) requested again and again before "
          + "max-age had expired (\(ReportText.count(needless, "needless request"))): \(example). "
          + "Reuse the response, or send Cache-Control: no-cache if it must be fresh.", evidence)
    }
    guard asked > 0 else {
      return Finding(
        .notExercised, "No response with max-age was requested again after it had expired.")
    }
    return Finding(.pass, "\(ReportText.count(asked, "request")) came after max-age had passed.")
  }
}
