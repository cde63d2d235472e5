import Contract
import Faults
import Primitives

/// All that the checks know of the clients of one sandbox, each fact once: what two checks both ask for cannot differ on one
/// card.
///
/// Exchanges are added in the order in which their requests came. Every table is bounded and drops its oldest row; all of
/// them together stay under some 10 MB however long a run lasts.
struct History: Sendable {
  private(set) var requests = LogicalRequests()
  private(set) var unnamed = UnnamedClients()
  private(set) var clients = ClientTable()
  /// Reads by client, target and query.
  private(set) var targets = RecentTable<TargetHistory>(capacity: 2_048)
  private(set) var records = RecordHistory()
  private(set) var keys = KeyHistory()
  private(set) var effects = EffectHistory()
  private(set) var streams = StreamHistory()
  private(set) var waits = WaitHistory()
  private(set) var unknown = UnknownWrites()
  private(set) var rules = RuleHistory()
  private(set) var loops = LoopHistory()
  /// The responses whose tags no whole response had, by client, path and tag; 0 for those that one had later.
  private var brokenTags = RecentTable<Int>(capacity: 256)
  /// True if a request was to an API whose records are not known.
  private(set) var isStateUnknown = false

  /// Adds an exchange, and sets the facts about it that follow from earlier exchanges.
  ///
  /// - Parameter facts: As of an exchange of which nothing is known. They are set in place, because most are not set at all.
  mutating func add(_ seen: Observation, _ facts: inout Facts) {
    let isSuccess = seen.isSuccess
    let hasFailed = !isSuccess && seen.hasFailed
    if seen.isOfUnknownAPI { isStateUnknown = true }
    unnamed.observe(seen)
    rules.observe(seen)
    let client = clients.index(of: seen)
    for tag in seen.namedTags + seen.requiredTags {
      if let broken = brokenTags[Self.key(of: tag, seen)], broken > 0 { facts.brokenTag = broken }
    }
    if seen.isGet, !seen.isWrite {
      addRead(
        seen, isSuccess: isSuccess, isLook: requests.isLook(seen), lastWrite: clients.lastWrite(at: client), &facts)
    }
    loops.add(seen, hasFailed: hasFailed, idle: clients.idle(at: client, until: seen.arrival), &facts)
    requests.classify(seen, hasFailed: hasFailed, clients.successes(at: client), &facts)
    if !unknown.isEmpty || effects.awaitsLooks || seen.isWrite || facts.isRepetition {
      addRare(seen, hasFailed: hasFailed, &facts)
    }
    if seen.isStream { facts.stream = streams.open(seen) } else if !streams.isEmpty, facts.hasTag { streams.read(seen) }
    if seen.versions != nil { facts.overwritten = records.add(seen) }
    clients.add(seen, at: client, isSuccess: isSuccess, hasFailed: hasFailed, &facts)
  }

  /// Adds a write whose content never came: its client tried to repeat what was lost.
  mutating func addIncomplete(_ seen: Observation) { unknown.addAttempt(seen) }

  /// - Parameter lastWrite: The arrival of its client's last write; nil if there is none.
  private mutating func addRead(
    _ seen: Observation, isSuccess: Bool, isLook: Bool, lastWrite: MonotonicInstant?, _ facts: inout Facts
  ) {
    let target = Self.target(of: seen)
    let index = targets.index(of: target) ?? targets.insert(TargetHistory(), for: target)
    targets.values[index].add(seen, isSuccess: isSuccess, isLook: isLook, lastWrite: lastWrite, &facts)
    if let tag = seen.tag, seen.status == 200 {
      addTag(tag, of: seen, isSuccess: isSuccess, isBroken: targets.values[index].broken?.id == seen.id)
    }
  }

  /// A tag names one representation among all of a resource, whatever `Vary` says (RFC 9110 section 8.8.3): a client that was given
  /// it whole in one of them may send it for another.
  private mutating func addTag(_ tag: UInt64, of seen: Observation, isSuccess: Bool, isBroken: Bool) {
    let key = Self.key(of: tag, seen)
    if isSuccess {
      if brokenTags[key] != nil { brokenTags[key] = 0 }
      if seen.variant != 0 {
        let resource = targets.index(of: seen.identity) ?? targets.insert(TargetHistory(), for: seen.identity)
        targets.values[resource].addTagOfVariant(tag)
      }
    } else if isBroken, !(targets[seen.identity]?.wasGiven(tag) ?? false) {
      brokenTags[key] = seen.id
    }
  }

  private static func key(of tag: UInt64, _ seen: Observation) -> UInt64 {
    seen.client.mixed(with: seen.pathHash).mixed(with: tag)
  }

  /// The hash by which a cache would tell responses apart.
  static func target(of seen: Observation) -> UInt64 {
    seen.variant == 0 ? seen.identity : seen.identity.mixed(with: seen.variant)
  }

  private mutating func addRare(_ seen: Observation, hasFailed: Bool, _ facts: inout Facts) {
    if case .retry(let request, _, let wait) = facts.kind { waits.add(seen, after: request, wait: wait) }
    let isFollowingStream = seen.isWrite && streams.isFollowed(by: seen)
    if seen.isWrite {
      if seen.key != nil {
        if case .repeated(let refusal, _, _) = facts.kind {
          facts.waitsForKey = keys.wasBusy(seen, at: refusal.last.arrival)
        }
        facts.key = keys.add(seen, hasFailed: hasFailed)
      }
      facts.earlierEffect = effects.add(seen, facts, keys, isFollowingStream: isFollowingStream)
    }
    unknown.add(seen, facts, isFollowingStream: isFollowingStream)
    if effects.awaitsLooks, seen.intent.map({ $0.reads || $0.isRemoval }) ?? false { effects.look(seen) }
  }

  /// Records an event, after the exchanges that ended before it.
  mutating func record(_ event: SandboxEvent) {
    rules.record(event)
    switch event {
    case .replaced:
      unknown.forgetAll()
      effects.forgetAll()
    case .streamEnded(let end): streams.close(end)
    case .armed, .refused, .rival: break
    }
  }

  /// True if the fate of a write was decided since the last call of `takeFates()`.
  var hasFates: Bool { unknown.hasFates }

  /// Removes and returns the writes of unknown outcome whose fate was decided since the last call.
  mutating func takeFates() -> [WriteFate] { unknown.takeFates() }

  /// Decides the fates of all writes of unknown outcome as they stand at a moment.
  mutating func conclude(at context: CheckContext) {
    unknown.conclude(at: context, reads: requests.refusedReads)
  }
}

/// The facts of one exchange that follow from those before it.
struct Facts: Sendable {
  /// The place of an exchange among the attempts of its client.
  enum Kind: Sendable {
    case first
    /// Another attempt after a failure.
    ///
    /// - `number`: 1 for the first repetition.
    indirect case retry(of: LogicalRequest, number: Int, wait: Duration)
    /// The same again after a refusal of what was asked for: no retry after a failure of the backend.
    indirect case repeated(refusal: LogicalRequest, wait: Duration, Repetitions)
    /// A repetition by a transport, which the client did not decide.
    indirect case replay(of: LogicalRequest?)
  }

  /// Repetitions in a row, each soon after the last, and with no success of the client in between.
  struct Repetitions: Sendable {
    /// True if its client had no success since the refusal.
    var isInARow = false
    var quick = 0
    /// The explanations by which the last one may be another client's.
    var otherSenders: Explanations = []
    /// Those that are certain to be of one client, and the requests before them.
    var sure = 0
    var ids: [Int] = []
  }

  var kind = Kind.first
  /// When its client had set the pace of successful reads to which this read belongs; nil if it belongs to none.
  var paceSet: MonotonicInstant?
  /// True if it is a turn of a steady poll that goes on though the last one failed.
  var isTurn = false
  /// True if it failed, and the same request was answered beside it.
  var isAnsweredBeside = false
  /// The read before it of the same client and target; 0 if there is none.
  var previous = 0
  /// True if it sent an entity tag that its client had been given.
  var sentKnownTag = false
  /// True if it is a successful response with an entity tag.
  var hasTag = false
  /// The complete responses with an unchanged tag, this one included; none if this is none.
  var unchanged = NeedlessReads()
  /// The requests while the last response was fresh, this one included; none if this is none.
  var needless = NeedlessReads()
  /// True if it came when the last response with `max-age` was no longer fresh.
  var isAfterLifetime = false
  /// The request before it in a loop that it makes certain; 0 if it makes none certain.
  var previousTurn = 0
  /// True if the turns of that loop asked different questions.
  var hasSeveralQuestions = false
  /// The time since the read before it, which succeeded, was complete; nil if it did not, or if there is none.
  var waitAfterSuccess: NanosecondDuration?
  /// The lifetime of the response that it did not use.
  var lifetime = Duration.zero
  /// True if a write with its key was under way when it was refused before.
  var waitsForKey = false
  /// The broken response whose tag it sent; 0 if there is none.
  var brokenTag = 0
  /// The broken response that it replaced by a whole one; 0 if there is none.
  var discarded = 0
  /// The read of the same operation before it: its id, its arrival, and the explanations by which it is another client's.
  @Rare var lastPoll: (id: Int, arrival: MonotonicInstant, otherSenders: Explanations)?
  /// The refusal whose wait it did not respect, though it is another request.
  @Rare var limit: ClientHistory.Limit?
  /// The client's own retries up to this one, within the last tenth of a second.
  var together: [Int] = []
  /// The attempts of the same request in the last ten seconds, if this is a retry.
  @Rare var burst: LogicalRequest.Burst?
  /// The retries of its client in the window of its budget, if this one exceeds that; otherwise 0.
  var retriesInWindow = 0
  /// The client's reaction to a missing response; nil if there was none.
  var patience: ClientHistory.Patience?
  /// The change of another client that this write replaced without having seen it; 0 if there is none.
  var overwritten = 0
  var key: KeyHistory.Reuse?
  @Rare var earlierEffect: EffectHistory.Earlier?
  @Rare var stream: StreamHistory.Opening?

  /// Its number among the attempts of its request, for the end of a text about it; empty for the first one.
  var attemptText: String {
    guard case .retry(_, let number, _) = kind else { return "" }
    return ", the last of \(number + 1) attempts"
  }

  var isRepetition: Bool { if case .first = kind { false } else { true } }

  /// True if it goes on with a pace of reads that was set before a moment: such a read shows no interest in what failed then.
  func isBackground(since moment: MonotonicInstant) -> Bool { paceSet.map { $0 <= moment } ?? false }

  /// The traits by which checks ask for it, besides those of the exchange itself.
  var traits: Traits {
    var traits: Traits = []
    switch kind {
    case .first: break
    case .retry: traits.insert(.retry)
    case .repeated: traits.insert(.repeated)
    case .replay: traits.insert(.replay)
    }
    if previousTurn > 0 { traits.insert(.loop) }
    if brokenTag > 0 || discarded > 0 { traits.insert(.broken) }
    if limit != nil { traits.insert(.limited) }
    if needless.count > 0 || isAfterLifetime { traits.insert(.timed) }
    if patience != nil { traits.insert(.patience) }
    return traits
  }
}

/// A value that few have, stored apart, so that those without it are small.
@propertyWrapper
struct Rare<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  init() {}

  var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map { Box($0) } }
  }
}
