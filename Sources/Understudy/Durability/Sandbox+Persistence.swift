import Contract
import Faults
import JSON
import Primitives
import Services

extension Sandbox {
  /// The state of a sandbox, as a value: assigning it takes all later changes back. The journal and the checks stay,
  /// because they have seen the changes, and so does the network switch, because its position is not stored.
  struct PersistentState {
    fileprivate var initial: Store
    fileprivate var start: (seeds: Int, at: Instant)
    fileprivate var store: Store
    fileprivate let clock: SandboxClock
    fileprivate let idempotency: Idempotency
    fileprivate let snapshots: [String: Snapshot]
    /// The counters of the requests are not a part of the stored state, and are shared.
    fileprivate let scenarioState: ScenarioState
    fileprivate let history: [Store]
    fileprivate let timeOfflineBefore: NanosecondDuration
    fileprivate let changedTurn: Int
    fileprivate let changedTurns: [Int]
    fileprivate let unansweredChangeCount: Int
  }

  private var persistentState: PersistentState {
    get {
      PersistentState(
        initial: initial, start: start, store: store, clock: clock, idempotency: idempotency, snapshots: snapshots,
        scenarioState: scenarioState, history: history, timeOfflineBefore: timeOfflineBefore,
        changedTurn: changedTurn, changedTurns: changedTurns, unansweredChangeCount: unansweredChangeCount)
    }
    set {
      (initial, start, store, clock) = (newValue.initial, newValue.start, newValue.store, newValue.clock)
      (snapshots, scenarioState, history) = (newValue.snapshots, newValue.scenarioState, newValue.history)
      timeOfflineBefore = newValue.timeOfflineBefore
      (changedTurn, changedTurns) = (newValue.changedTurn, newValue.changedTurns)
      unansweredChangeCount = newValue.unansweredChangeCount
      idempotency.rollBack(to: newValue.idempotency)
    }
  }

  /// True if it has changes that are not on the disk yet.
  var isUncommitted: Bool { writeAheadLog.map { changedTurn > $0.committedTurn } ?? false }

  /// Makes a change by `body`, and records it if the server has a state log.
  ///
  /// The state before the first change of a turn is remembered, so that a rollback can assign it; it takes the later
  /// changes of the turn back, too.
  ///
  /// - Parameter change: Returns the change from the result of `body`; nil if there was none.
  func persisting<Result>(
    _ body: () -> Result, as change: (Result) -> LogRecord.Change?,
    then consequences: WriteAheadLog.Consequences? = nil
  ) -> Result {
    guard let writeAheadLog else {
      defer { consequences?.ifStored() }
      return body()
    }
    let before = changedTurn < writeAheadLog.turn ? persistentState : nil
    let result = body()
    guard let change = change(result) else { return result }
    writeAheadLog.record(
      .changed(name, change), undo: before.map { .state(self, before: $0) } ?? .withFirst, consequences)
    changedTurn = writeAheadLog.turn
    switch change {
    case .state(let api, _): changedTurns[api] = changedTurn
    case .key, .snapshot, .storedSnapshot: break
    case .merged, .restored, .reset, .clock, .armed, .store:
      for api in changedTurns.indices { changedTurns[api] = changedTurn }
    }
    return result
  }

  /// Makes a change that is not a call of an API.
  func persisting(
    _ change: @autoclosure () -> LogRecord.Change, then consequences: WriteAheadLog.Consequences? = nil,
    _ body: () -> Void
  ) {
    persisting(
      {
        body()
        unansweredChangeCount += 1
      }, as: { change() }, then: consequences)
  }

  /// Takes changes back that could not be stored on the disk.
  ///
  /// - Parameter earlier: The state before them.
  func rollBack(to earlier: PersistentState, at real: Instant) {
    var earlier = earlier
    // A restart with changed data files stays, because no client waits for it.
    let hasRestarted = start.seeds != earlier.start.seeds
    if hasRestarted {
      (earlier.initial, earlier.start) = (initial, start)
      earlier.store.replace(with: initial)
    }
    let isUnanswered = hasRestarted || unansweredChangeCount > earlier.unansweredChangeCount
    persistentState = earlier
    guard isUnanswered else { return }
    record("rolled back a change that could not be stored on the disk", versions: nil, at: real)
    reportReplacement()
  }

  /// A restore point, for taking an exchange's changes back before they are committed.
  struct Savepoint {
    fileprivate let state: PersistentState
    /// The number of entries in the write-ahead log.
    fileprivate let recordCount: Int
  }

  var savepoint: Savepoint {
    get { Savepoint(state: persistentState, recordCount: writeAheadLog?.count ?? 0) }
    set {
      persistentState = newValue.state
      writeAheadLog?.forget(beyond: newValue.recordCount)
    }
  }
}

extension Sandbox {
  /// The properties with which it was made, with its current scenario.
  var origin: LogRecord.Origin {
    var configuration = Configuration()
    (configuration.name, configuration.api, configuration.port, configuration.timeToLive) = (
      name, api, port, timeToLive
    )
    (configuration.patch, configuration.scenario, configuration.seed) = (
      patch, scenarioState.scenario, scenarioState.seed
    )
    return LogRecord.Origin(configuration: configuration, seeds: start.seeds, at: start.at)
  }

  /// A function that returns the records that reconstruct the sandbox's current state, on any thread.
  var pendingRecords: @Sendable () -> [LogRecord] {
    let (name, origin, initial, store) = (name, origin, initial, store)
    let (clock, snapshots, idempotency) = (clock, snapshots, idempotency)
    return {
      let start = initial.persisted
      var changes: [LogRecord.Change] = []
      let changed = Self.differences(of: store, from: start)
      if !changed.isEmpty { changes.append(.store(changed)) }
      if clock != SandboxClock() { changes.append(.clock(clock)) }
      for snapshot in snapshots.values.sorted(by: { $0.name < $1.name }) {
        changes.append(
          .storedSnapshot(snapshot.name, at: snapshot.at, Self.differences(of: snapshot.store, from: start)))
      }
      changes += idempotency.all.map { .key($0.key, $0.record) }
      return [.made(origin)] + changes.map { .changed(name, $0) }
    }
  }

  private static func differences(of store: Store, from start: [JSONValue]) -> [Int: JSONValue] {
    var differences: [Int: JSONValue] = [:]
    for (index, json) in store.persisted.enumerated() where json != start[index] { differences[index] = json }
    return differences
  }

  /// Applies a logged change again.
  func redo(_ change: LogRecord.Change, at real: Instant) throws(LogRecord.LogError) {
    switch change {
    case .state(let api, let delta): try apply(delta, to: api)
    case .key(let key, let record): idempotency.store(record, for: key)
    case .merged(let patch, let now):
      do throws(Problem) {
        try merge(patch, at: now)
      } catch {
        throw LogRecord.LogError(expectation: "a merge patch that fits the data, \(error.detail)")
      }
    case .snapshot(let name, let now): snapshots[name] = Snapshot(name: name, store: store, at: now)
    case .restored(let name):
      guard let snapshot = snapshots[name] else {
        throw LogRecord.LogError(expectation: "the name of an existing snapshot, found \(JSONValue.string(name).text)")
      }
      restore(snapshot)
    case .reset(let now): reset(at: now)
    case .clock(let clock): self.clock = clock
    case .armed(let scenario, let seed): arm(scenario, seed: seed, at: real)
    case .store(let documents): store = try self.store(documents)
    case .storedSnapshot(let name, let now, let documents):
      snapshots[name] = Snapshot(name: name, store: try self.store(documents), at: now)
    }
  }

  private func apply(_ delta: Delta, to api: Int) throws(LogRecord.LogError) {
    do throws(Delta.MismatchError) {
      try store.apply(delta, to: api)
    } catch {
      throw LogRecord.LogError(expectation: error.expectation)
    }
    // An invalid record is refused now. Otherwise it would become part of the next image, and only then be refused,
    // when the log is already replaced.
    let records = delta.records
    guard !records.isEmpty, let violation = API.all[api].data.violations(in: .array(records)).first else { return }
    throw LogRecord.LogError(expectation: "records that fit, at \(violation.pointer) \(violation.detail)")
  }

  private func store(_ documents: [Int: JSONValue]) throws(LogRecord.LogError) -> Store {
    do throws(ValidationError) {
      return try Store(persisted: documents, besides: initial, at: start.at)
    } catch {
      throw LogRecord.LogError(expectation: "data that fits, at \(error.pointer) \(error.detail)")
    }
  }
}
