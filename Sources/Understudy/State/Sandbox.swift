import Contract
import Faults
import JSON
import Primitives
import Report
import Services

/// An isolated copy of the data, with its own scenario, clock and journal. Only the loop's thread uses it.
final class Sandbox {
  let name: String
  /// The API that its port serves at `/`, if it was made for one.
  let api: Int?
  var port: Int?
  /// The time after its last use at which it is deleted; nil if it lives until a client deletes it.
  let timeToLive: Duration?
  var lastUse: MonotonicInstant
  /// The state after a reset.
  var initial: Store
  /// The number of its initial data, and the time at which it was made.
  var start: (seeds: Int, at: Instant)
  /// The merge patch on the server's data with which the sandbox was made.
  let patch: JSONValue?
  var store: Store { didSet { version = store.version } }
  /// The version of the state; asking `store` itself costs every request a check of exclusive access.
  private(set) var version: Int
  /// The source of responses in place of the state's handlers; nil if these respond.
  var source: (any ResponseSource)? {
    didSet {
      hasSource = source != nil
      // Fewer rules apply to a source.
      if hasSource { report(armedEvent(scenarioState.scenario)) }
    }
  }
  /// True if there is a source; asking `source` itself copies it.
  private(set) var hasSource = false
  var clock = SandboxClock()
  var idempotency = Idempotency()
  var snapshots: [String: Snapshot] = [:]
  var scenarioState: ScenarioState
  /// Its network switch, which takes precedence over the scenario; online after a reset and after a restart of the
  /// server.
  var network = NetworkSwitch()
  /// The outage of the scenario's schedule that its port and connections follow; nil while it is online.
  var scheduledOutage: Outage?
  /// The faults by hand, which precede the scenario.
  var manualFaults = ManualFaults() { didSet { hasManualFaults = !manualFaults.isEmpty } }
  /// True if there are faults by hand, stored for the same reason as `version`.
  private(set) var hasManualFaults = false
  /// Its index among all sandboxes; nil before it is added and after it was removed.
  var index: Int?
  /// The time for which earlier scenarios kept it offline.
  var timeOfflineBefore = NanosecondDuration.zero
  var exchangeLog = ExchangeLog() { didSet { nextID = exchangeLog.journal.nextID } }
  /// The id of the next entry of its journal, stored for the same reason as `version`.
  private(set) var nextID = 1
  /// True while it is among the sandboxes with a batch of exchanges to judge.
  var awaitsJudging = false
  /// The size of all journals together, and the last contribution of this journal to it.
  private var journalBudget: JournalBudget?
  private var journalByteCount = 0
  var replays = TransportRetryDetector() { didSet { expectsReplays = replays.expectsAny } }
  /// True if a request may be a repetition; asking `replays` itself costs every request a check of exclusive access.
  private(set) var expectsReplays = false
  var delays = Delays()
  /// Older states, the newest last; stored only while a scenario or a preference may use them.
  var history: [Store] = []
  /// The maximum age that a request has preferred so far.
  private var preferredDepth = 0
  /// The write-ahead log that records persistent changes; nil without persistence.
  var writeAheadLog: WriteAheadLog?
  /// The threads that free its large values, because freeing a million parts takes long; nil if there are none.
  var workers: Workers?
  /// The turn in which it changed last, as counted by the write-ahead log.
  var changedTurn = 0
  /// The turn in which the data of each API changed last, by the API's index in the catalogue.
  var changedTurns = [Int](repeating: 0, count: API.all.count)
  /// The number of changes whose rollback no 507 in the journal shows: resets and others by the control API, rivals'
  /// actions, and writes whose clients have left.
  var unansweredChangeCount = 0

  struct Snapshot: Sendable {
    let name: String
    let store: Store
    let at: Instant
  }

  static let snapshotCapacity = 256

  /// The requested properties of a sandbox to make.
  struct Configuration: Sendable {
    var name = Sandboxes.defaultName
    var api: Int?
    var port: Int?
    var timeToLive: Duration?
    var patch: JSONValue?
    var scenario = Scenario.calm
    var seed: UInt64 = 1
  }

  /// Makes a sandbox.
  ///
  /// - Parameter store: The state of `seeds` at `now`, if it was already made.
  init(
    _ configuration: Configuration, seeds: SeedData, store made: Store? = nil, at now: Instant, tick: MonotonicInstant
  ) {
    name = configuration.name
    api = configuration.api
    port = configuration.port
    timeToLive = configuration.timeToLive
    patch = configuration.patch
    lastUse = tick
    initial = made ?? Store(seeds, at: now)
    start = (seeds.number, now)
    store = initial
    version = initial.version
    scenarioState = ScenarioState(configuration.scenario, seed: configuration.seed, at: now)
    describeState()
  }

  deinit {
    journalBudget?.byteCount -= journalByteCount
    workers?.discard([initial, store, history, snapshots, exchangeLog, idempotency] as [any Sendable])
  }

  var journal: Journal { exchangeLog.journal }

  /// The checks since its start or its last reset.
  var checks: CheckRunner { exchangeLog.checks }

  /// Includes its journal in the size of all journals of a server.
  func count(in budget: JournalBudget) {
    journalBudget = budget
    updateJournalSize()
  }

  /// Updates its contribution to the size of all journals. To be called after its journal grew or shrank.
  func updateJournalSize() {
    let byteCount = exchangeLog.journal.byteCount
    exchangeLog.journal.isResized = false
    guard let journalBudget else { return }
    journalBudget.byteCount += byteCount - journalByteCount
    journalByteCount = byteCount
  }

  /// Records in its journal that the state changed without a request.
  func record(_ event: String, versions: Range<Int>?, at now: Instant) {
    exchangeLog.record(event, versions: versions, at: now)
    updateJournalSize()
  }

  /// Tells new checks the scenario and the state.
  private func describeState() {
    report(armedEvent(scenarioState.scenario))
    reportReplacement()
  }

  private func armedEvent(_ scenario: Scenario) -> SandboxEvent {
    .armed(
      rules: scenario.rules.map { ArmedRule($0) },
      inapplicable: hasSource ? Scenarios.Target.upstream.leftOut(of: scenario) : [])
  }

  /// Returns true if its time to live has passed since its last use.
  func isExpired(at tick: MonotonicInstant) -> Bool { timeToLive.map { tick - lastUse > $0 } ?? false }

  func now(at real: Instant) -> Instant { clock.now(at: real) }

  /// Arms another scenario, or the same one with another seed.
  func arm(_ scenario: Scenario, seed: UInt64, at real: Instant) {
    arm(ArmedScenario(scenario, seed: seed), at: real)
  }

  /// Arms a scenario.
  ///
  /// - Parameter completion: Called when the change is stored.
  func arm(_ armed: ArmedScenario, at real: Instant, completion: @escaping () -> Void = {}) {
    let consequences = WriteAheadLog.Consequences(ifStored: { [self] in
      report(armedEvent(armed.scenario))
      completion()
    })
    persisting(.armed(armed.scenario, seed: armed.seed), then: consequences) { rearm(armed, at: real) }
  }

  private func rearm(_ armed: ArmedScenario, at real: Instant) {
    timeOfflineBefore = NanosecondDuration(scheduledTimeOffline(at: real))
    scenarioState = ScenarioState(armed, at: now(at: real))
    history = []
  }

  /// Stores the response to the first request with a key.
  func store(_ response: Response, for key: Idempotency.Key, content: KeyedContent.Digest) {
    _ = persisting({ idempotency.store(response, for: key, content: content) }, as: { $0.map { .key(key, $0) } })
  }

  /// The number of older states to store: with another reference to the state, a write copies a part of it.
  var historyDepth: Int { max(scenarioState.depth, preferredDepth, manualFaults.depth) }

  /// Returns the state before `count` changes; the oldest stored one if there were fewer. If so many are not stored, they
  /// are from now on.
  func store(versionsAgo count: Int) -> Result<Store, UndeliverableReason> {
    guard count <= historyDepth else {
      preferredDepth = count
      return .failure(.notStoredYet)
    }
    return history.suffix(count).first.map(Result.success) ?? .failure(.noOlderState)
  }

  /// Restarts with changed data files. If they no longer fit the sandbox's own patch, its data stays.
  ///
  /// - Parameters:
  ///   - standard: The state of sandboxes that have no patch and whose clock is the machine's.
  ///   - real: The machine's time at which `standard` was made.
  func reseed(_ server: SeedData, from standard: Store, at real: Instant) {
    let now = clock.now(at: real)
    var made = standard
    if patch != nil || now != real {
      guard let data = try? server.merging(patch ?? .object(JSONValue.Object())) else { return }
      made = Store(data, at: now)
    }
    let replaced = [initial, store]
    start = (server.number, now)
    initial = made
    unansweredChangeCount += 1
    let version = store.version
    store.replace(with: initial)
    record("restarted with changed data files", versions: version..<store.version, at: real)
    reportReplacement()
    workers?.discard(replaced)
  }

  /// Resets data, counters and clock. Snapshots are kept.
  ///
  /// - Parameter further: Its consequences outside of the sandbox.
  func reset(at real: Instant, then further: WriteAheadLog.Consequences = WriteAheadLog.Consequences()) {
    let replaced: [any Sendable] = [store, history, idempotency]
    let (delays, replays, faults) = (delays, replays, manualFaults)
    let consequences = WriteAheadLog.Consequences(
      ifStored: { [self] in
        let replaced = journal
        exchangeLog.confirmReset()
        updateJournalSize()
        workers?.discard(replaced)
        further.ifStored()
      },
      ifRefused: { [self] in
        exchangeLog.revertReset()
        (self.delays, self.replays, manualFaults) = (delays, replays, faults)
        unansweredChangeCount -= 1
        further.ifRefused()
      })
    persisting(.reset(at: real), then: consequences) {
      clock = SandboxClock()
      idempotency = Idempotency()
      manualFaults = ManualFaults()
      rearm(scenarioState.armed, at: real)
      timeOfflineBefore = .zero
      self.replays = TransportRetryDetector()
      self.delays = Delays()
      store.replace(with: initial)
      exchangeLog.beginReset()
      describeState()
    }
    workers?.discard(replaced)
  }

  /// Stores the state under a name; returns nil if there is no room for another name.
  func storeSnapshot(_ name: String, at now: Instant) -> Snapshot? {
    guard snapshots[name] != nil || snapshots.count < Self.snapshotCapacity else { return nil }
    let snapshot = Snapshot(name: name, store: store, at: now)
    let replaced = snapshots[name]
    persisting(.snapshot(name, at: now)) { snapshots[name] = snapshot }
    if let replaced { workers?.discard(replaced) }
    return snapshot
  }

  func restore(_ snapshot: Snapshot) {
    let replaced = store
    persisting(.restored(snapshot.name)) { store.replace(with: snapshot.store) }
    workers?.discard(replaced)
  }
}
