import Contract
import Faults
import JSON

/// An isolated copy of the backend. Only the loop's thread touches it.
final class Sandbox {
  let name: String
  /// The API that its port serves at `/`, when it was made for one.
  let api: Int?
  var port: Int?
  /// How long it lives after its last use; without one it lives until it is deleted.
  let timeToLive: Duration?
  var lastUse: Tick
  /// What a reset goes back to.
  var initial: Store
  /// The data and the moment that it was made of.
  var start: (seeds: Int, at: Instant)
  /// The merge patch on the server's data that the sandbox was made with.
  let patch: JSON?
  var store: Store
  var clock = SandboxClock()
  var idempotency = Idempotency()
  var snapshots: [String: Snapshot] = [:]
  var arming: Arming
  /// Where it stands among all sandboxes.
  var place = 0
  /// How long the scenarios before this one kept it off the network.
  private var timeOfflineBefore = Duration.zero
  var journal = Journal() { didSet { weighJournal() } }
  /// Where the journal's weight is counted, and what was counted last.
  private var journalMemory: JournalMemory?
  private var journalWeight = 0
  var replays = Replays()
  var delays = Delays()
  var examination = Examination()
  /// Older states, the newest last; kept only while a scenario may ask for them.
  var history: [Store] = []
  /// Where changes are noted that are to outlive the server; nil where none are.
  var ledger: Ledger?
  /// The turn of the loop in which it changed last, as the ledger counts them.
  var changedTurn = 0

  struct Snapshot: Sendable {
    let name: String
    let store: Store
    let at: Instant
  }

  static let snapshotCapacity = 256

  /// What is asked for when a sandbox is made.
  struct Order: Sendable {
    var name = Sandboxes.defaultName
    var api: Int?
    var port: Int?
    var timeToLive: Duration?
    var patch: JSON?
    var scenario = Scenario.calm
    var seed: UInt64 = 1
  }

  /// - Parameter store: The state that `seeds` make at `now`, where it was made already.
  init(_ order: Order, seeds: SeedData, store made: Store? = nil, at now: Instant, tick: Tick) {
    name = order.name
    api = order.api
    port = order.port
    timeToLive = order.timeToLive
    patch = order.patch
    lastUse = tick
    initial = made ?? Store(seeds, at: now)
    start = (seeds.number, now)
    store = initial
    arming = Arming(order.scenario, seed: order.seed, at: now)
    beginExamination()
  }

  deinit { journalMemory?.byteCount -= journalWeight }

  /// Has its journal counted among those of a server.
  func count(in memory: JournalMemory) {
    journalMemory = memory
    weighJournal()
  }

  private func weighJournal() {
    guard let journalMemory, case let weight = journal.byteCount, weight != journalWeight else { return }
    journalMemory.byteCount += weight - journalWeight
    journalWeight = weight
  }

  private func beginExamination() {
    examination = Examination(firstID: journal.lastID + 1)
    examination.note(.armed(rules: arming.scenario.rules.map { ArmedRule($0) }))
    rebase()
  }

  /// True if its time to live has passed since its last use.
  func isExpired(at tick: Tick) -> Bool { timeToLive.map { tick - lastUse > $0 } ?? false }

  func now(at real: Instant) -> Instant { clock.now(at: real) }

  /// What an exchange may change: kept to take back what is not to last.
  struct Moment {
    fileprivate let store: Store
    fileprivate let idempotency: Idempotency
    fileprivate let history: [Store]
    /// How much was noted in the ledger.
    fileprivate let noted: Int
  }

  var moment: Moment {
    get { Moment(store: store, idempotency: idempotency, history: history, noted: ledger?.count ?? 0) }
    set {
      (store, idempotency, history) = (newValue.store, newValue.idempotency, newValue.history)
      ledger?.forget(beyond: newValue.noted)
    }
  }

  /// Lets another scenario, or the same one with another seed, begin.
  func arm(_ scenario: Scenario, seed: UInt64, at real: Instant) {
    arm(ArmedScenario(scenario, seed: seed), at: real)
  }

  func arm(_ armed: ArmedScenario, at real: Instant) {
    keeping(.armed(armed.scenario, seed: armed.seed)) {
      rearm(armed, at: real)
      examination.note(.armed(rules: armed.scenario.rules.map { ArmedRule($0) }))
    }
  }

  private func rearm(_ armed: ArmedScenario, at real: Instant) {
    timeOfflineBefore = timeOffline(at: real)
    arming = Arming(armed, at: now(at: real))
    history = []
  }

  func isOffline(at real: Instant) -> Bool {
    arming.armed.isOffline(at: arming.elapsed(at: now(at: real)))
  }

  /// How long its schedules have kept it off the network since it was made or reset, by its own clock; more where two of
  /// them overlap.
  ///
  /// - Parameter real: The time, which is asked for only where there is a schedule.
  func timeOffline(at real: @autoclosure () -> Instant) -> Duration {
    guard arming.armed.hasOutages else { return timeOfflineBefore }
    return timeOfflineBefore + arming.armed.timeOffline(until: arming.elapsed(at: now(at: real())))
  }

  /// How long it is until its schedule takes it off the network, or back; nil where that never comes.
  func untilOutage(at real: Instant) -> Duration? {
    guard !clock.isFrozen else { return nil }
    let elapsed = arming.elapsed(at: now(at: real))
    return arming.armed.nextOfflineChange(after: elapsed).map { $0 - elapsed }
  }

  /// Stores what was answered to the first request with a key.
  func keep(_ reply: Reply, for key: Idempotency.Key, body: ArraySlice<UInt8>) {
    guard let stored = idempotency.store(reply, for: key, body: body), let ledger else { return }
    note(.key(key, stored.record), undo: .key(self, stored), in: ledger)
  }

  /// The state before so many changes; the oldest known when there were fewer, nil when there was none.
  func store(versionsAgo count: Int) -> Store? { history.suffix(count).first }

  /// Starts anew from data files that have changed; where they do not fit the sandbox's own data any more, it stays.
  func reseed(_ server: SeedData, at real: Instant) {
    let now = clock.now(at: real)
    guard let made = Reseeding.Start(server, patch, at: now) else { return }
    take(made, number: server.number, at: real)
  }

  /// Starts anew from a state that was made for it.
  func take(_ made: Reseeding.Start, number: Int, at real: Instant) {
    start = (number, clock.now(at: real))
    initial = made.store
    let version = store.version
    store.replace(with: initial)
    journal.note("took data files that changed", versions: version..<store.version, at: real)
    examination.note(.replaced(store.judged(made.counters), at: lastUse + clock.advanced))
  }

  /// Brings data, counters and clock back to the start. Snapshots are kept.
  func reset(at real: Instant) {
    keeping(.reset(at: real)) {
      clock = SandboxClock()
      idempotency = Idempotency()
      rearm(arming.armed, at: real)
      timeOfflineBefore = .zero
      journal.reset()
      replays = Replays()
      delays = Delays()
      store.replace(with: initial)
      beginExamination()
    }
  }

  /// Keeps the state under a name; nil when there is no room for another name.
  func keepSnapshot(_ name: String, at now: Instant) -> Snapshot? {
    guard snapshots[name] != nil || snapshots.count < Self.snapshotCapacity else { return nil }
    let snapshot = Snapshot(name: name, store: store, at: now)
    keeping(.snapshot(name, at: now)) { snapshots[name] = snapshot }
    return snapshot
  }

  func restore(_ snapshot: Snapshot) {
    keeping(.restored(snapshot.name)) { store.replace(with: snapshot.store) }
  }

  /// Changes the data of some APIs by a merge patch.
  func merge(_ patch: JSON, at now: Instant) throws(Problem) {
    var merged = store
    try merged.merge(patch, at: now)
    take(merged, mergedFrom: patch, at: now)
  }

  /// Takes what a merge patch made of the state.
  func take(_ merged: Store, mergedFrom patch: JSON, at now: Instant) {
    keeping(.merged(patch, at: now)) { store = merged }
  }

  func set(_ clock: SandboxClock) {
    keeping(.clock(clock)) { self.clock = clock }
  }
}
