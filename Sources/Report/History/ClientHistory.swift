import Contract
import Faults
import Primitives

/// The history of one client, whatever it asks for.
struct ClientHistory: Sendable {
  /// The arrival of its last write; nil if there is none.
  fileprivate(set) var lastWrite: MonotonicInstant?
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

    func isOverdrawn(isNamed: Bool) -> Bool {
      retries > requests / Self.share + (isNamed ? Self.floor : 2 * Self.floor)
    }
  }

  /// The time until which a 429 told the client to wait.
  struct Limit: Sendable {
    let id: Int
    fileprivate let pathHash: UInt64
    fileprivate let connection: Int
    fileprivate let start: MonotonicInstant
    fileprivate let until: MonotonicInstant
    /// The requests for other targets since, and those of them that were refused.
    fileprivate(set) var others = 0
    fileprivate(set) var refused = 0
    /// True if all of them are certain to be this client's.
    fileprivate(set) var isSure = true
  }

  fileprivate struct Retry: Sendable {
    let at: MonotonicInstant
    let id: Int
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
    let pathHash: UInt64
    let query: UInt64
    let identity: UInt64
    let arrival: MonotonicInstant
    let end: MonotonicInstant
    /// True if its response was slow, and none would have been missing.
    let isSlow: Bool
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
    if rows.values[index].limit != nil || seen.retryAfter != nil { rows.values[index].watchLimit(seen, &facts) }
    if rows.values[index].budget != nil || facts.isRepetition { spend(seen, at: index, &facts) }
    if rows.values[index].typed != nil { rows.values[index].replaceTyped(seen, &facts) }
    if facts.patience == nil, hasFailed || seen.isPlanned || seen.record.measured >= TimeoutsSane.slowest {
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
      facts.isOverdrawn = rows.values[index].budget?.isOverdrawn(isNamed: seen.isNamed) == true
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

  /// Returns its retries of the last tenth of a second, this one included.
  fileprivate mutating func gather(_ seen: Observation) -> [Int] {
    retries.removeAll { seen.arrival - $0.at > ClientTable.moment }
    if retries.count == 64 { retries.removeFirst() }
    retries.append(Retry(at: seen.arrival, id: seen.id))
    return retries.map(\.id)
  }

  /// Counts the requests for other targets while a 429 has told the client to wait.
  fileprivate mutating func watchLimit(_ seen: Observation, _ facts: inout Facts) {
    guard seen.replayOf == nil else { return }
    let isRefused = seen.result == .unavailable(429)
    if var known = limit, seen.arrival - known.start >= RetryAfterHonoured.slack,
      seen.arrival + RetryAfterHonoured.slack < known.until, seen.pathHash != known.pathHash
    {
      known.others += 1
      if isRefused { known.refused += 1 }
      if !seen.isNamed, seen.connection != known.connection { known.isSure = false }
      limit = known
      facts.limit = known
    } else if isRefused, let until = seen.notBefore, limit.map({ $0.until <= seen.end }) ?? true {
      limit = Limit(
        id: seen.id, pathHash: seen.pathHash, connection: seen.connection, start: seen.end, until: until)
    }
  }

  /// Takes a read back that was given up at once, if another for the same path took its place.
  fileprivate mutating func replaceTyped(_ seen: Observation, _ facts: inout Facts) {
    guard let last = typed else { return }
    let isTyped =
      last.pathHash == seen.pathHash && last.query != seen.query && seen.arrival - last.arrival <= Typed.window
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
      } else if hasLeft {
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
      pathHash: seen.pathHash, query: seen.query, identity: seen.identity, arrival: seen.arrival, end: seen.end,
      isSlow: isSlow)
  }

  fileprivate mutating func poll(_ seen: Observation) -> (id: Int, arrival: MonotonicInstant, isSure: Bool)? {
    guard let operation = seen.operation else { return nil }
    let key = Observation.hash(operation.id)
    let previous = polls[key]
    polls[key] = Poll(id: seen.id, arrival: seen.arrival, connection: seen.connection)
    return previous.map { poll in
      let isOnItsConnection = seen.connection != 0 && seen.connection == poll.connection
      return (poll.id, poll.arrival, seen.isNamed || isOnItsConnection)
    }
  }
}

extension PlanSummary {
  /// True if the client gets no byte, or no more bytes, for longer than any client should wait.
  fileprivate var isSilence: Bool {
    guard let hold = ending?.hold else { return false }
    return hold.duration.map { $0 >= TimeoutsSane.shortestTimeout } ?? true
  }
}
