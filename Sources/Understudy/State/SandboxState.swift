import Contract
import Primitives
import Services

/// The state of a sandbox: its data, and all else that a state log stores and a rollback takes back.
///
/// It is an object, because its parts are changed in place while others are read: access to a value's parts would be
/// exclusive for all of them.
final class SandboxState {
  /// The state of the data after a reset.
  var initial: Store
  /// The number of its initial data, and the time at which it was made.
  var start: (seeds: Int, at: Instant)
  var store: Store { didSet { facts.version = store.version } }
  var clock = SandboxClock()
  var idempotency = Idempotency()
  var snapshots: [String: Snapshot] = [:]
  /// The armed scenario. The counters of its requests are not stored, and a copy shares them.
  var scenarioState: ScenarioState
  /// Older states of the data, the newest last; stored only while a scenario or a preference may use them.
  var history: [Store] = []
  /// The time for which earlier scenarios kept it offline.
  var timeOfflineBefore = NanosecondDuration.zero
  /// The turn in which it changed last, as counted by the write-ahead log.
  var changedTurn = 0
  /// The turn in which the data of each API changed last, by the API's index in the catalogue.
  var changedTurns = [Int](repeating: 0, count: API.all.count)
  /// The number of changes whose rollback no 507 in the journal shows: resets and others by the control API, rivals'
  /// actions, and writes whose clients have left.
  var unansweredChangeCount = 0
  private let facts: SandboxFacts

  struct Snapshot: Sendable {
    let name: String
    let store: Store
    let at: Instant
  }

  static let snapshotCapacity = 256

  init(_ store: Store, seeds: Int, at now: Instant, _ scenarioState: ScenarioState, noting facts: SandboxFacts) {
    initial = store
    start = (seeds, now)
    self.store = store
    self.scenarioState = scenarioState
    self.facts = facts
    facts.version = store.version
  }

  /// Returns the state as it is now, for a rollback.
  func copy() -> SandboxState {
    let copy = SandboxState(store, seeds: start.seeds, at: start.at, scenarioState, noting: facts)
    copy.assign(self)
    copy.idempotency = idempotency
    return copy
  }

  /// Takes all changes since a copy was made back.
  func rollBack(to earlier: SandboxState) {
    assign(earlier)
    idempotency.rollBack(to: earlier.idempotency)
  }

  private func assign(_ other: SandboxState) {
    (initial, start, store, clock) = (other.initial, other.start, other.store, other.clock)
    (snapshots, scenarioState, history) = (other.snapshots, other.scenarioState, other.history)
    timeOfflineBefore = other.timeOfflineBefore
    (changedTurn, changedTurns) = (other.changedTurn, other.changedTurns)
    unansweredChangeCount = other.unansweredChangeCount
  }
}
