import Contract
import Faults
import JSON
import Primitives
import Services

extension Sandbox {
  /// True if it has changes that are not on the disk yet.
  var isUncommitted: Bool { writeAheadLog.map { state.changedTurn > $0.committedTurn } ?? false }

  /// Makes a change by `body`, and records it if the server has a state log.
  ///
  /// The state before the first change of a turn is copied for a rollback, which takes the later changes of the turn back,
  /// too.
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
    let before = state.changedTurn < writeAheadLog.turn ? state.copy() : nil
    let result = body()
    guard let change = change(result) else { return result }
    writeAheadLog.record(
      .changed(name, change), undo: before.map { .state(self, before: $0) } ?? .withFirst, consequences)
    state.changedTurn = writeAheadLog.turn
    switch change {
    case .state(let api, _): state.changedTurns[api] = state.changedTurn
    case .key, .snapshot, .storedSnapshot: break
    case .merged, .restored, .reset, .clock, .armed, .store:
      for api in state.changedTurns.indices { state.changedTurns[api] = state.changedTurn }
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
        state.unansweredChangeCount += 1
      }, as: { change() }, then: consequences)
  }

  /// Takes changes back that could not be stored on the disk.
  ///
  /// - Parameter earlier: The state before them.
  func rollBack(to earlier: SandboxState, at real: Instant) {
    // A restart with changed data files stays, because no client waits for it.
    let hasRestarted = state.start.seeds != earlier.start.seeds
    let (initial, start) = (state.initial, state.start)
    let isUnanswered = hasRestarted || state.unansweredChangeCount > earlier.unansweredChangeCount
    state.rollBack(to: earlier)
    if hasRestarted {
      (state.initial, state.start) = (initial, start)
      state.store.replace(with: initial)
    }
    guard isUnanswered else { return }
    traffic.record("rolled back a change that could not be stored on the disk", versions: nil, at: real)
    reportReplacement()
  }

  /// A restore point, for taking an exchange's changes back before they are committed.
  struct Savepoint {
    fileprivate let state: SandboxState
    /// The number of entries in the write-ahead log.
    fileprivate let recordCount: Int
  }

  var savepoint: Savepoint {
    get { Savepoint(state: state.copy(), recordCount: writeAheadLog?.count ?? 0) }
    set {
      state.rollBack(to: newValue.state)
      writeAheadLog?.forget(beyond: newValue.recordCount)
    }
  }
}

extension Sandbox {
  /// The properties with which it was made, with its current scenario.
  var origin: LogRecord.Origin {
    let configuration = Configuration(
      identity: identity, scenario: state.scenarioState.scenario, seed: state.scenarioState.seed)
    return LogRecord.Origin(configuration: configuration, seeds: state.start.seeds, at: state.start.at)
  }

  /// A function that returns the records that reconstruct the sandbox's current state, on any thread.
  var pendingRecords: @Sendable () -> [LogRecord] {
    let (name, origin, initial, store) = (name, origin, state.initial, state.store)
    let (clock, snapshots, idempotency) = (state.clock, state.snapshots, state.idempotency)
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
    case .key(let key, let record): state.idempotency.store(record, for: key)
    case .merged(let patch, let now):
      do throws(Problem) {
        try merge(patch, at: now)
      } catch {
        throw LogRecord.LogError(expectation: "a merge patch that fits the data, \(error.detail)")
      }
    case .snapshot(let name, let now):
      state.snapshots[name] = SandboxState.Snapshot(name: name, store: state.store, at: now)
    case .restored(let name):
      guard let snapshot = state.snapshots[name] else {
        throw LogRecord.LogError(expectation: "the name of an existing snapshot, found \(JSONValue.string(name).text)")
      }
      restore(snapshot)
    case .reset(let now): reset(at: now)
    case .clock(let clock): state.clock = clock
    case .armed(let scenario, let seed): arm(scenario, seed: seed, at: real)
    case .store(let documents): state.store = try self.store(documents)
    case .storedSnapshot(let name, let now, let documents):
      state.snapshots[name] = SandboxState.Snapshot(name: name, store: try self.store(documents), at: now)
    }
  }

  private func apply(_ delta: Delta, to api: Int) throws(LogRecord.LogError) {
    do throws(Delta.MismatchError) {
      try state.store.apply(delta, to: api)
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
      return try Store(persisted: documents, besides: state.initial, at: state.start.at)
    } catch {
      throw LogRecord.LogError(expectation: "data that fits, at \(error.pointer) \(error.detail)")
    }
  }
}
