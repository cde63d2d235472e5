import Contract
import Primitives
import Services

/// The state of a sandbox: its data, and everything else that an image stores and a rollback restores.
///
/// It is an object, because its parts are changed in place while others are read: access to a value's parts would be
/// exclusive for all of them.
final class SandboxState {
  /// The time at which the data were made to which a reset returns, and the number of times that they were replaced.
  var startedAt: Instant
  var startNumber = 0
  var store: Store
  var clock = SandboxClock()
  var idempotency = Idempotency()
  var snapshots: [String: Snapshot] = [:]
  /// The armed scenario. The counters of its requests are not stored, and a copy shares them.
  var scenarioState: ScenarioState
  /// Older states of the data, the newest last; stored only while a scenario or a preference may use them.
  var history: [Store] = []
  /// The time for which earlier scenarios kept it offline.
  var timeOfflineBefore = NanosecondDuration.zero
  /// The round that stores its last change, as counted by the state directory.
  var changedRound = 0
  /// The round that stores the last change of each API's data, by the API's index in the catalogue.
  var changedRounds = [Int](repeating: 0, count: API.all.count)
  /// The number of changes whose rollback no 507 in the journal shows: resets and others by the control API, rivals'
  /// actions, and writes whose clients have left.
  var unansweredChangeCount = 0

  /// A stored state of the data. It is an object, so that its identity tells whether a file has it.
  final class Snapshot: Sendable {
    let name: String
    let store: Store
    let at: Instant

    init(name: String, store: Store, at: Instant) {
      (self.name, self.store, self.at) = (name, store, at)
    }
  }

  static let snapshotCapacity = 256

  init(_ store: Store, at now: Instant, _ scenarioState: ScenarioState) {
    startedAt = now
    self.store = store
    self.scenarioState = scenarioState
  }

  /// Returns the state as it is now, for a rollback.
  func copy() -> SandboxState {
    let copy = SandboxState(store, at: startedAt, scenarioState)
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
    (startedAt, startNumber, store, clock) = (other.startedAt, other.startNumber, other.store, other.clock)
    (snapshots, scenarioState, history) = (other.snapshots, other.scenarioState, other.history)
    timeOfflineBefore = other.timeOfflineBefore
    (changedRound, changedRounds) = (other.changedRound, other.changedRounds)
    unansweredChangeCount = other.unansweredChangeCount
  }
}
