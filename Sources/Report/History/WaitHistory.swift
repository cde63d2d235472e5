import Contract
import Primitives

/// The waits before retries that are the client's own choice: not those that `Retry-After` set, nor those whose begin only the
/// client knows, nor those in which the sandbox's clock was advanced.
struct WaitHistory: Sendable {
  /// A transport repeats this soon without asking its client.
  static let transport = Duration.milliseconds(5)
  static let maximumNumber = 8
  /// Requests that a person repeats with one tap follow each other this closely; they are one draw.
  static let tap = Duration.seconds(1)
  /// From so many attempts on it is a loop, and no person.
  static let maximumTaps = 2

  /// The waits of each client, and of its requests for each operation.
  private(set) var series = RecentTable<Series>(capacity: 512)
  /// The waits before the same attempt, of each client.
  private(set) var groups = RecentTable<[Group]>(capacity: 256)
  /// The waits before the same attempt, of all clients together.
  private(set) var all = Self.noGroups
  /// The falling waits of each logical request.
  private var chains = RecentTable<Chain>(capacity: 512)
  /// The clients that made any of them.
  private(set) var clientCount = 0

  private static let noGroups = Array(repeating: Group(), count: maximumNumber)

  private struct Chain: Sendable {
    var count = 1
    var last: Duration
    var isFalling = true
  }

  /// The waits of one client, or of its requests for one operation.
  struct Series: Sendable {
    let client: UInt64
    let isNamed: Bool
    /// A request of the client.
    let example: String
    /// The improbability that all chains of three waits and more fall, in powers of two, and the number that do not.
    fileprivate(set) var fallBits = 0.0
    fileprivate(set) var unfallen = 0
    /// The newest waits.
    fileprivate(set) var waits: [Duration] = []
    fileprivate(set) var firsts = Mean()
    fileprivate(set) var laters = Mean()
    /// The longest chain of waits.
    fileprivate(set) var depth = 0
    /// The number of times that the bounds of all waits doubled, if they were drawn under full jitter.
    fileprivate(set) var doublings = 0
    fileprivate(set) var evidence = Evidence()
  }

  struct Mean: Sendable {
    private(set) var count = 0
    private var sum = Duration.zero

    fileprivate mutating func add(_ wait: Duration) {
      count += 1
      sum += wait
    }

    var value: Duration { count > 0 ? sum / count : .zero }
  }

  /// The waits before attempts of the same number.
  struct Group: Sendable {
    fileprivate(set) var waits: [Duration] = []
    fileprivate(set) var example = ""
    fileprivate(set) var evidence = Evidence()
    /// When the last of them ended.
    fileprivate var last: MonotonicInstant?
  }

  /// Adds the wait before a retry.
  mutating func add(_ seen: Observation, after request: LogicalRequest, wait: Duration) {
    let last = request.last
    guard last.notBefore == nil, last.isEndKnown, last.advanced == seen.advanced.lowerBound else { return }
    // One repetition at once is a transport's own; a second one shows that both are the client's.
    if request.round == 1, wait <= Self.transport { return }
    if request.round == 2, wait <= Self.transport, let first = request.firstWait, first <= Self.transport {
      addToSeries(seen, request, first, number: 1)
    }
    addToSeries(seen, request, wait, number: request.round)
    guard request.round <= Self.maximumNumber, wait > BackoffGrows.tiny, wait < BackoffGrows.longEnough else { return }
    addToGroups(seen, request, wait)
  }

  private mutating func addToSeries(_ seen: Observation, _ request: LogicalRequest, _ wait: Duration, number: Int) {
    let fall = fall(seen.identity, number: number, wait: wait)
    add(seen, request, number, wait, fall, to: seen.client)
    guard let operation = seen.operation else { return }
    add(seen, request, number, wait, (0, false), to: seen.client.mixed(with: Observation.hash(operation.id)))
  }

  private mutating func add(
    _ seen: Observation, _ request: LogicalRequest, _ number: Int, _ wait: Duration,
    _ fall: (bits: Double, isUnfallen: Bool), to owner: UInt64
  ) {
    if owner == seen.client, series.index(of: owner) == nil { clientCount += 1 }
    var known = series[owner] ?? Series(client: seen.client, isNamed: seen.isNamed, example: ReportText.request(seen))
    known.fallBits += fall.bits
    if fall.isUnfallen { known.unfallen += 1 }
    known.waits = known.waits.suffix(63) + [wait]
    // A first retry this late comes from a person or a schedule, not from a loop that must slow down.
    if number == 1 ? wait < BackoffGrows.longEnough : (request.firstWait ?? .zero) < BackoffGrows.longEnough {
      if number == 1 { known.firsts.add(wait) } else { known.laters.add(wait) }
    }
    known.depth = max(known.depth, number)
    if wait <= BackoffGrows.base { known.doublings += min(number, 8) - 1 }
    known.evidence.add(request.last.id, seen.id)
    series[owner] = known
  }

  /// Returns the improbability that one more wait adds to the fall of a chain, and whether a chain of three has turned out
  /// not to fall.
  private mutating func fall(_ identity: UInt64, number: Int, wait: Duration) -> (bits: Double, isUnfallen: Bool) {
    guard number > 1, var chain = chains[identity] else {
      chains[identity] = Chain(last: wait)
      return (0, false)
    }
    chain.count += 1
    let (wasFalling, before) = (chain.isFalling, chain.last)
    // Timers are early or late by a little, so equal waits neither fall nor rise.
    chain.isFalling = wasFalling && wait <= chain.last * 0.9
    chain.last = wait
    defer { chains[identity] = chain }
    guard chain.isFalling else { return (0, wasFalling && chain.count <= 3) }
    // Of n waits drawn alike, each is at most half of the one before it once in n! times two to the power of n(n-1)/2.
    let isHalved = wait <= before * 0.5
    return (Double(chain.count).bits + (isHalved ? Double(chain.count - 1) : 0), false)
  }

  private mutating func addToGroups(_ seen: Observation, _ request: LogicalRequest, _ wait: Duration) {
    let number = request.round
    var own = groups[seen.client] ?? Self.noGroups
    let last = own[number - 1].last
    own[number - 1].last = seen.arrival
    if number <= Self.maximumTaps, let last, request.last.end <= last, seen.arrival - last < Self.tap {
      groups[seen.client] = own
      return
    }
    own[number - 1].add(seen, after: request.last.id, wait)
    groups[seen.client] = own
    all[number - 1].add(seen, after: request.last.id, wait)
  }
}

extension WaitHistory.Group {
  fileprivate mutating func add(_ seen: Observation, after id: Int, _ wait: Duration) {
    waits = waits.suffix(31) + [wait]
    example = ReportText.request(seen)
    evidence.add(id, seen.id)
  }
}

extension Double {
  /// The binary logarithm of a number from 1, in straight lines between the powers of two.
  var bits: Double {
    var (bits, rest) = (0.0, self)
    while rest >= 2 { (bits, rest) = (bits + 1, rest / 2) }
    return bits + (rest - 1)
  }
}
