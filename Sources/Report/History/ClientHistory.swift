import Contract
import Faults
import Primitives

/// The history of one client, whatever it asks for.
struct ClientHistory: Sendable {
  /// The arrival of its last write; nil if there is none.
  fileprivate(set) var lastWrite: MonotonicInstant?
  /// When the last of its responses was complete.
  fileprivate var lastEnd = MonotonicInstant(nanoseconds: 0)
  /// Its newest waits between a successful read and the next equal one.
  fileprivate(set) var paces: [Duration] = []
  /// Its newest successes.
  fileprivate(set) var successes = Successes()
  fileprivate var budget: Budget?
  fileprivate var limit: Limit?
  /// Its retries within the last tenth of a second, the newest last.
  fileprivate var retries: [Retry] = []
  /// Its slow responses.
  fileprivate(set) var slow = Slow()
  fileprivate var typed: Typed?
  fileprivate var polls: [UInt64: Poll] = [:]

  /// The newest success of a client, and the newest turn of a steady poll with the time when its pace was set.
  struct Successes: Sendable {
    fileprivate var id = 0
    fileprivate var turn = 0
    fileprivate var paceSet = MonotonicInstant(nanoseconds: 0)

    /// True if one came after the last attempt of a request, and does not go on with a pace that was set before its first.
    func includesOne(since request: LogicalRequest) -> Bool {
      id > request.last.id || turn > request.last.id && paceSet > request.start
    }
  }

  /// The retries that a client has: a fifth of its requests, and ten a second besides, over ten seconds (Finagle's default).
  fileprivate struct Budget: Sendable {
    static let window = NanosecondDuration.seconds(10)
    static let share = 5
    static let floor = 100

    var start: MonotonicInstant
    var requests = 0
    var retries = 0

    var isOverdrawn: Bool { retries > requests / Self.share + Self.floor }
  }

  fileprivate struct Retry: Sendable {
    let at: MonotonicInstant
    let id: Int
    let connection: Int
  }

  /// A request that was given up. Another may have taken its place: for another query, as a person types, or as a hedge.
  /// The slow responses that a client waited for, and those that it gave up.
  struct Slow: Sendable {
    fileprivate(set) var awaited = 0
    fileprivate(set) var left = 0
    fileprivate(set) var example = ""
    fileprivate(set) var evidence = Evidence()
  }

  fileprivate struct Typed: Sendable {
    static let window = Duration.seconds(2)
    let target: [UInt8]
    let identity: UInt64
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    /// True if its response was slow, and none would have been missing.
    let isSlow: Bool

    /// True if the other target has only letters more, or fewer, in one place, as when a person types.
    func isTyped(into other: ArraySlice<UInt8>) -> Bool {
      guard target.contains(UInt8(ascii: "?")), target.count != other.count else { return false }
      let same = zip(target, other).prefix { $0 == $1 }.count
      let rest = zip(target.dropFirst(same).reversed(), other.dropFirst(same).reversed()).prefix { $0 == $1 }.count
      return same + rest == min(target.count, other.count)
    }
  }

  fileprivate struct Poll: Sendable {
    let id: Int
    let arrival: MonotonicInstant
    let connection: Int
  }

  /// A client's reaction when no response came.
  enum Patience: Sendable {
    case gaveUp
    /// It waited longer than any client should.
    case waitedTooLong
    /// A request that was given up at once made way for another one, as when a person types.
    case typed
  }
}

/// The clients of a sandbox.
struct ClientTable: Sendable {
  /// Retries of different clients that come within this time came together.
  static let moment = Duration.milliseconds(100)
  /// Waits as long as this are not alike by chance.
  static let longWait = Duration.milliseconds(500)

  private var rows = RecentTable<ClientHistory>(capacity: 512)
  private var last: (client: UInt64, index: Int)?
  /// The newest retries of all clients after long waits.
  private var newest: [(client: UInt64, at: MonotonicInstant)] = []
  /// The most clients of which such retries came together, and one of the requests.
  private(set) var herd = (count: 0, example: "", id: 0)
  /// The clients that retried.
  private var retrying = RecentTable<Void>(capacity: 1_024)

  var retryingCount: Int { retrying.count }

  var all: [ClientHistory] { rows.values }

  /// Returns the newest successes of a client.
  func successes(at index: Int) -> ClientHistory.Successes { rows.values[index].successes }

  /// Returns the arrival of a client's last write; nil if there is none.
  func lastWrite(at index: Int) -> MonotonicInstant? { rows.values[index].lastWrite }

  /// Returns the time for which a client had no request under way, as far as those before this moment show.
  func idle(at index: Int, until arrival: MonotonicInstant) -> NanosecondDuration {
    NanosecondDuration(from: rows.values[index].lastEnd, to: arrival)
  }

  /// True if a client that waits this long also waits so after successes: that is its pace, and no retry.
  ///
  /// - Parameter client: Nil for any client. Of one that was evicted it counts as true: its pace is not known.
  func isPace(_ wait: ClosedRange<Duration>, of client: UInt64?) -> Bool {
    let near = wait.lowerBound * 0.9...wait.upperBound * 1.1
    func isPace(_ history: ClientHistory) -> Bool { history.paces.count { near.contains($0) } >= 2 }
    guard let client else { return rows.values.contains(where: isPace) }
    return rows.index(of: client).map { isPace(rows.values[$0]) } ?? rows.hasEvicted
  }

  mutating func index(of seen: Observation) -> Int {
    if let last, last.client == seen.client { return last.index }
    let index = rows.index(of: seen.client) ?? rows.insert(ClientHistory(), for: seen.client)
    last = (seen.client, index)
    return index
  }

  /// Adds an exchange whose place among the attempts is known.
  mutating func add(_ seen: Observation, at index: Int, isSuccess: Bool, hasFailed: Bool, _ facts: inout Facts) {
    if isSuccess { rows.values[index].succeed(seen.id, facts.paceSet) }
    if seen.isWrite { rows.values[index].lastWrite = seen.arrival }
    if !seen.isStream, NanosecondDuration(from: seen.arrival, to: seen.end) < LoopHistory.longAnswer {
      rows.values[index].lastEnd = max(rows.values[index].lastEnd, seen.end)
    }
    if let wait = facts.waitAfterSuccess, wait >= .milliseconds(100) { rows.values[index].addPace(wait.duration) }
    if rows.values[index].limit != nil || seen.retryAfter != nil {
      facts.limit = ClientHistory.Limit.watch(&rows.values[index].limit, seen)
    }
    if rows.values[index].budget != nil || facts.isRepetition { spend(seen, at: index, &facts) }
    if rows.values[index].typed != nil { rows.values[index].replaceTyped(seen, &facts) }
    if facts.patience == nil, hasFailed || seen.isPlanned || seen.entry.measured >= TimeoutsSane.slowest {
      rows.values[index].judgePatience(seen, facts, &facts.patience)
    }
    if seen.isTimed, seen.isGet, seen.operation?.caching.pollingInterval != nil, seen.result == .success {
      facts.lastPoll = rows.values[index].poll(seen)
    }
  }

  private mutating func spend(_ seen: Observation, at index: Int, _ facts: inout Facts) {
    guard case .retry(let request, _, let wait) = facts.kind else {
      if case .first = facts.kind { rows.values[index].spend(seen, isRetry: false) }
      return
    }
    // What an outage refuses reaches no backend, and the time of the others is the server's own choice.
    guard !seen.isOutage else { return }
    if !request.last.allows(seen.arrival) || request.last.notBefore == nil {
      rows.values[index].spend(seen, isRetry: true)
      if let budget = rows.values[index].budget, budget.isOverdrawn { facts.retriesInWindow = budget.retries }
    }
    facts.together = rows.values[index].gather(seen)
    if retrying.index(of: seen.client) == nil { _ = retrying.insert((), for: seen.client) }
    guard wait >= Self.longWait else { return }
    newest.removeAll { seen.arrival - $0.at > Self.moment || $0.client == seen.client }
    if newest.count == 256 { newest.removeFirst() }
    newest.append((seen.client, seen.arrival))
    if newest.count > herd.count { herd = (newest.count, ReportText.request(seen), seen.id) }
  }
}

extension ClientHistory {
  fileprivate mutating func succeed(_ id: Int, _ paceSet: MonotonicInstant?) {
    if let paceSet { (successes.turn, successes.paceSet) = (id, paceSet) } else { successes.id = id }
  }

  fileprivate mutating func spend(_ seen: Observation, isRetry: Bool) {
    // A client that asks seldom never leaves the floor, so only clients that retry have an account.
    guard isRetry || budget != nil else { return }
    var account = budget ?? Budget(start: seen.arrival)
    let time = NanosecondDuration(from: account.start, to: seen.arrival)
    if time > Budget.window { account = Budget(start: seen.arrival) }
    if isRetry { account.retries += 1 } else { account.requests += 1 }
    budget = account
  }

  fileprivate mutating func addPace(_ wait: Duration) { paces = paces.suffix(7) + [wait] }

  /// Returns its retries of the last tenth of a second that were under way at once, this one included: one of each
  /// connection, which sends one request after the other.
  fileprivate mutating func gather(_ seen: Observation) -> [Int] {
    retries.removeAll {
      seen.arrival - $0.at > ClientTable.moment || seen.connection != 0 && $0.connection == seen.connection
    }
    if retries.count == 64 { retries.removeFirst() }
    retries.append(Retry(at: seen.arrival, id: seen.id, connection: seen.connection))
    return retries.map(\.id)
  }

  /// Takes a read back that was given up at once, if another took its place: one with letters more or fewer, or a hedge.
  fileprivate mutating func replaceTyped(_ seen: Observation, _ facts: inout Facts) {
    guard let last = typed else { return }
    let isTyped = seen.arrival - last.arrival <= Typed.window && last.isTyped(into: seen.target)
    let isHedge = last.identity == seen.identity && seen.arrival + LogicalRequests.overlap < last.end
    if isTyped || isHedge {
      typed = nil
      if last.isSlow { slow.left -= 1 } else { facts.patience = .typed }
    } else if seen.arrival - last.arrival > Typed.window, seen.arrival > last.end {
      typed = nil
    }
  }

  fileprivate mutating func judgePatience(_ seen: Observation, _ facts: Facts, _ patience: inout Patience?) {
    let hasLeft = seen.outcome == .peerGone
    if seen.plan.isSilence {
      if seen.waitedTime > TimeoutsSane.longestTimeout + TimeoutsSane.slack {
        patience = .waitedTooLong
      } else if hasLeft, !facts.isAnsweredBeside {
        patience = .gaveUp
        if seen.waitedTime < TimeoutsSane.shortestTimeout { addTyped(seen, isSlow: false) }
      }
      return
    }
    let due = max(seen.plan.delay, seen.end - seen.arrival)
    guard due >= TimeoutsSane.slowest.duration, due <= TimeoutsSane.slow else { return }
    if hasLeft {
      // The other half of a hedge is cancelled when one is answered.
      guard !facts.isAnsweredBeside else { return }
      slow.left += 1
      slow.example = ReportText.request(seen)
      slow.evidence.add(seen.id)
      addTyped(seen, isSlow: true)
    } else if seen.outcome == .sent, seen.measuredDelay >= TimeoutsSane.slowest.duration {
      slow.awaited += 1
    }
  }

  private mutating func addTyped(_ seen: Observation, isSlow: Bool) {
    typed = Typed(
      target: Array(seen.target), identity: seen.identity, arrival: seen.arrival, end: seen.end, isSlow: isSlow)
  }

  fileprivate mutating func poll(
    _ seen: Observation
  ) -> (id: Int, arrival: MonotonicInstant, otherSenders: Explanations)? {
    guard let operation = seen.operation else { return nil }
    let key = Observation.hash(operation.id)
    let previous = polls[key]
    polls[key] = Poll(id: seen.id, arrival: seen.arrival, connection: seen.connection)
    return previous.map { poll in
      let isOnItsConnection = seen.connection != 0 && seen.connection == poll.connection
      return (poll.id, poll.arrival, seen.isNamed || isOnItsConnection ? [] : .severalClients)
    }
  }
}

extension Plan {
  /// True if the client gets no byte, or no more bytes, for longer than any client should wait.
  fileprivate var isSilence: Bool {
    guard let hold = ending?.hold else { return false }
    return hold.duration.map { $0 >= TimeoutsSane.shortestTimeout } ?? true
  }
}
