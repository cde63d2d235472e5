import Contract
import Faults
import JSON

extension Sandbox {
  /// The complete stored state of a sandbox, as a value: assigning it restores it.
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

  func note(_ change: LogRecord.Change, undo: WriteAheadLog.Undo, in writeAheadLog: WriteAheadLog) {
    writeAheadLog.note(.changed(name, change), undo: undo)
    changedTurn = writeAheadLog.turn
  }

  /// Records the change that `body` makes, if changes are recorded.
  func keeping(_ change: @autoclosure () -> LogRecord.Change, _ body: () -> Void) {
    guard let writeAheadLog else { return body() }
    let before = image
    body()
    note(change(), undo: .image(self, before), in: writeAheadLog)
  }

  func takeBack(_ delta: Delta, of api: Int) {
    store.takeBack(delta, of: api)
    if !history.isEmpty { history.removeLast() }
  }

  func takeBack(to image: PersistentState, at real: Instant) {
    (initial, start, store, clock) = (image.initial, image.start, image.store, image.clock)
    (snapshots, scenarioState, history) = (image.snapshots, image.scenarioState, image.history)
    idempotency.takeBack(to: image.idempotency)
    journal.note("rolled back a change that could not be stored on the disk", versions: nil, at: real)
    rebase()
  }
}

extension Sandbox {
  /// The properties with which it was made, with its current scenario.
  var origin: LogRecord.Origin {
    var order = Order()
    (order.name, order.api, order.port, order.timeToLive) = (name, api, port, timeToLive)
    (order.patch, order.scenario, order.seed) = (patch, scenarioState.scenario, scenarioState.seed)
    return LogRecord.Origin(order: order, seeds: start.seeds, at: start.at)
  }

  /// The records that reconstruct the sandbox.
  var records: [LogRecord] { pendingRecords() }

  /// A function that returns the records of the sandbox's current state, on any thread.
  var pendingRecords: @Sendable () -> [LogRecord] {
    let (name, origin, initial, store) = (name, origin, initial, store)
    let (clock, snapshots, idempotency) = (clock, snapshots, idempotency)
    return {
      let start = initial.kept
      var changes: [LogRecord.Change] = []
      let held = Self.differences(of: store, from: start)
      if !held.isEmpty { changes.append(.store(held)) }
      if clock != SandboxClock() { changes.append(.clock(clock)) }
      for snapshot in snapshots.values.sorted(by: { $0.name < $1.name }) {
        changes.append(
          .keptSnapshot(snapshot.name, at: snapshot.at, Self.differences(of: snapshot.store, from: start)))
      }
      changes += idempotency.all.map { .key($0.key, $0.record) }
      return [.made(origin)] + changes.map { .changed(name, $0) }
    }
  }

  private static func differences(of store: Store, from start: [JSONValue]) -> [Int: JSONValue] {
    var differences: [Int: JSONValue] = [:]
    for (index, kept) in store.kept.enumerated() where kept != start[index] { differences[index] = kept }
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
    case .keptSnapshot(let name, let now, let documents):
      snapshots[name] = Snapshot(name: name, store: try self.store(documents), at: now)
    }
  }

  private func apply(_ delta: Delta, to api: Int) throws(LogRecord.LogError) {
    do throws(Delta.UndoError) {
      try store.apply(delta, to: api)
    } catch {
      throw LogRecord.LogError(expectation: error.expectation)
    }
    // An invalid record must be refused now; otherwise it would be refused in the next image, which replaces the log.
    let records = delta.records
    guard !records.isEmpty, let violation = API.all[api].data.violations(in: .array(records)).first else { return }
    throw LogRecord.LogError(expectation: "records that fit, at \(violation.pointer) \(violation.detail)")
  }

  private func store(_ documents: [Int: JSONValue]) throws(LogRecord.LogError) -> Store {
    do throws(ValidationError) {
      return try Store(kept: documents, besides: initial, at: start.at)
    } catch {
      throw LogRecord.LogError(expectation: "data that fits, at \(error.pointer) \(error.detail)")
    }
  }
}
