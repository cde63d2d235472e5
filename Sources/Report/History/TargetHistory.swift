import Contract
import Faults
import Primitives

/// The history of one client's reads at one target.
struct TargetHistory: Sendable {
  private var id = 0
  private var arrival = MonotonicInstant(nanoseconds: 0)
  private var end = MonotonicInstant(nanoseconds: 0)
  private var hasSucceeded = false
  private(set) var pace = Pace()
  /// The tags that its client was given last, the newest first.
  private var tags = Tags()
  /// The tags that its client was given last with a variant of the same resource, the newest first.
  private var tagsOfVariants = Tags()
  private var unchanged = NeedlessReads()
  /// When the response with the last tag was complete: what had been sent before could not know it.
  private var tagEnd = MonotonicInstant(nanoseconds: 0)
  /// The end of the lifetime of the last response; nil if it has none.
  private var freshUntil: MonotonicInstant?
  /// The requests in a row, each within a second of the one before it, that wanted a fresh response though they had one.
  private var refreshes = 0
  /// The id and the arrival of the last request whose response had a lifetime.
  private var freshID = 0
  private var freshSince = MonotonicInstant(nanoseconds: 0)
  private var freshEnd = MonotonicInstant(nanoseconds: 0)
  private var needless = NeedlessReads()
  /// The newest response with a tag that was no whole one.
  private(set) var broken: (tag: UInt64, id: Int)?

  private struct Tags: Sendable {
    var first: UInt64?
    var second: UInt64?
    var third: UInt64?

    func has(_ tag: UInt64) -> Bool { first == tag || second == tag || third == tag }

    mutating func add(_ tag: UInt64) { (first, second, third) = (tag, first, second) }
  }

  /// The pace of a steady poll. Only successful reads set it, so that looks and retries after a failure are none of it.
  struct Pace: Sendable {
    /// Rarer reads may each follow a failure.
    private static let slowest = NanosecondDuration.seconds(10)

    private var last: MonotonicInstant?
    private var interval = NanosecondDuration(nanoseconds: 0)
    private var regular = 0
    /// The arrival of the read with which three had come at the same interval; nil before it.
    fileprivate private(set) var began: MonotonicInstant?

    /// True if a read that arrives at this instant is one interval after the last one.
    fileprivate func isRegular(_ arrival: MonotonicInstant) -> Bool {
      last.map { isRegular(NanosecondDuration(from: $0, to: arrival)) } ?? false
    }

    /// True if a read so long after one that failed comes because of the pace, and not because of the failure.
    func isTurn(after wait: NanosecondDuration) -> Bool {
      wait >= .seconds(1) && wait >= interval * 0.9 && wait <= interval * 1.1
    }

    private func isRegular(_ wait: NanosecondDuration) -> Bool {
      guard wait != interval else { return true }
      let ratio = Double(wait.nanoseconds) / Double(interval.nanoseconds)
      return ratio >= 0.6 && ratio <= 2.7
    }

    fileprivate mutating func add(_ arrival: MonotonicInstant, isRegular: Bool, isLook: Bool) {
      defer { last = arrival }
      guard let last else { return }
      let wait = NanosecondDuration(from: last, to: arrival)
      // Looks set no pace, be they as regular as the failures after which they come.
      let keepsPace = isRegular && !(isLook && began == nil && wait >= Self.slowest)
      regular = keepsPace ? regular + 1 : 0
      // A turn that was left out, or came late, does not change the pace.
      if !keepsPace || wait < interval * 1.5 { interval = wait }
      if regular < 2 { began = nil } else if began == nil { began = arrival }
    }
  }

  /// Adds a read, and describes it.
  ///
  /// - Parameters:
  ///   - isLook: True if it shows what became of a write that failed.
  ///   - lastWrite: The arrival of its client's last write, which may have changed what it had read; nil if there is none.
  mutating func add(
    _ seen: Observation, isSuccess: Bool, isLook: Bool, lastWrite: MonotonicInstant?, _ facts: inout Facts
  ) {
    facts.previous = id
    let isRegular = pace.isRegular(seen.arrival)
    facts.paceSet = isRegular ? pace.began : nil
    if !hasSucceeded, id > 0 { facts.isTurn = pace.isTurn(after: NanosecondDuration(from: arrival, to: seen.arrival)) }
    if id > 0, hasSucceeded { facts.waitAfterSuccess = NanosecondDuration(from: end, to: seen.arrival) }
    if isSuccess { pace.add(seen.arrival, isRegular: isRegular, isLook: isLook) }
    if !seen.isStream { addTag(seen, isSuccess: isSuccess, &facts) }
    if isSuccess, seen.isTimed || seen.isOfUnknownAPI {
      addLifetime(seen.lifetime, seen, hasWritten: lastWrite.map { $0 >= freshSince } ?? false, &facts)
    }
    (id, arrival, hasSucceeded) = (seen.id, seen.arrival, isSuccess)
    end = max(end, seen.end)
  }

  /// Records that its client was given a variant of the resource whole.
  mutating func addTagOfVariant(_ tag: UInt64) { tagsOfVariants.add(tag) }

  /// True if its client was given a whole response with this tag.
  func wasGiven(_ tag: UInt64) -> Bool { tags.has(tag) || tagsOfVariants.has(tag) }

  private mutating func addTag(_ seen: Observation, isSuccess: Bool, _ facts: inout Facts) {
    let named = seen.namedTags
    if let broken, named.contains(broken.tag) { self.broken = nil }
    // A tag that the client was never given, here, is made up or from another run: it proves nothing.
    if !named.isEmpty { facts.sentKnownTag = named.contains { tags.has($0) } }
    guard let tag = seen.tag else { return }
    if isSuccess {
      facts.hasTag = true
      if let broken, broken.tag == tag {
        facts.discarded = broken.id
        self.broken = nil
      }
      guard seen.status == 200 else { return }
      if tags.first != tag {
        tags.add(tag)
        tagEnd = seen.end
      } else if !facts.sentKnownTag, seen.arrival >= tagEnd {
        unchanged.add(seen.id, after: facts.previous)
        facts.unchanged = unchanged
      }
    } else if seen.status == 200, seen.result == .lost || seen.isUnreadable, !named.contains(tag), !tags.has(tag) {
      broken = (tag, seen.id)
    }
  }

  /// The number of refreshes in a row that no person makes.
  private static let quickRefreshes = 10

  private mutating func addLifetime(
    _ lifetime: Duration?, _ seen: Observation, hasWritten: Bool, _ facts: inout Facts
  ) {
    // A part is the continuation of an interrupted response, and an injected one has no lifetime.
    guard seen.plan.status == nil, seen.status != 206 else { return }
    if let freshUntil, !hasWritten {
      let isQuick = seen.isRefresh && NanosecondDuration(from: arrival, to: seen.arrival) < .seconds(1)
      refreshes = isQuick ? refreshes + 1 : 0
      if seen.arrival >= freshUntil {
        facts.isAfterLifetime = !seen.isRefresh
      } else if seen.isRefresh ? refreshes > Self.quickRefreshes : seen.arrival >= freshEnd {
        needless.add(seen.id, after: freshID)
        facts.needless = needless
        facts.lifetime = freshUntil - freshEnd
      }
    }
    guard let lifetime else { return }
    freshEnd = seen.end
    freshUntil = max(freshUntil ?? seen.end, seen.end + lifetime)
    (freshID, freshSince) = (seen.id, seen.arrival)
  }
}

/// Reads of one client at one target that it did not need: their number, and the first ids that prove it.
struct NeedlessReads: Sendable {
  /// So many are a habit.
  static let habit = 3

  private(set) var count = 0
  /// The response that made the first one needless.
  private var response = 0
  private var first = 0
  private var second = 0

  mutating func add(_ id: Int, after response: Int) {
    count += 1
    switch count {
    case 1: (self.response, first) = (response, id)
    case 2: second = id
    default: break
    }
  }

  /// True if there are as many as make a habit, and not yet more than a finding cites.
  var provesHabit: Bool { Self.habit...Evidence.maximumIDs ~= count }

  /// The ids before the read with which they become a habit.
  var before: [Int] { [response, first, second] }
}
