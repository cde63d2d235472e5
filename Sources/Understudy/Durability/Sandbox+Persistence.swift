import Contract
import Faults
import JSON

extension Sandbox {
  /// The complete stored state of a sandbox, as a value to which it can be rolled back.
  struct PersistentState {
    fileprivate let initial: Store
    fileprivate let start: (seeds: Int, at: Instant)
    fileprivate let store: Store
    fileprivate let clock: SandboxClock
    fileprivate let idempotency: Idempotency
    fileprivate let snapshots: [String: Snapshot]
    fileprivate let scenarioState: ScenarioState
    fileprivate let history: [Store]
  }

  private var image: PersistentState {
    PersistentState(
      initial: initial, start: start, store: store, clock: clock, idempotency: idempotency, snapshots: snapshots,
      scenarioState: scenarioState, history: history)
  }

  func record(_ change: LogRecord.Change, undo: WriteAheadLog.Undo, in writeAheadLog: WriteAheadLog) {
    writeAheadLog.record(.changed(name, change), undo: undo)
    changedTurn = writeAheadLog.turn
  }

  /// Makes a change by `body`, and records it if the server has a state log.
  func persisting(_ change: @autoclosure () -> LogRecord.Change, _ body: () -> Void) {
    guard let writeAheadLog else { return body() }
    let before = image
    body()
    record(change(), undo: .image(self, before), in: writeAheadLog)
  }

  func rollBack(_ delta: Delta, of api: Int) {
    store.rollBack(delta, of: api)
    if !history.isEmpty { history.removeLast() }
  }

  func rollBack(to image: PersistentState, at real: Instant) {
    (initial, start, store, clock) = (image.initial, image.start, image.store, image.clock)
    (snapshots, scenarioState, history) = (image.snapshots, image.scenarioState, image.history)
    idempotency.rollBack(to: image.idempotency)
    record("rolled back a change that could not be stored on the disk", versions: nil, at: real)
    rebase()
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

  /// The records that reconstruct the sandbox.
  var records: [LogRecord] { pendingRecords() }

  /// A function that returns the records of the sandbox's current state, on any thread.
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
    do throws(Delta.UndoError) {
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
