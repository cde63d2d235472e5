import Contract
import ControlAPI
import JSON
import Services

extension ControlService {
  static func getState(_ command: Command) -> Performance {
    let sandbox = command.sandbox
    return .rendering(.worker, as: RenderingKey("state", of: sandbox, version: sandbox.state.store.version)) {
      let store = sandbox.state.store
      return { Response(200, Representation(store.json)) }
    }
  }

  static func patchState(_ command: Command) -> Performance {
    let (call, sandbox) = (command.call, command.sandbox)
    return .evaluation(.worker, at: { sandbox.state.store.version }) {
      let store = sandbox.state.store
      return { Result { () throws(Problem) in try Patched(store, call) } }
    } then: { result, _, _, _ in
      Performance { () throws(Problem) in
        let (patched, version) = (try result.get(), sandbox.state.store.version)
        sandbox.adopt(patched.store)
        record("patched the state", since: version, command)
        return .response(Response(200, patched.shown, changed: true))
      }
    }
  }

  /// A state after a merge patch.
  private struct Patched: Sendable {
    let store: Store
    let shown: Representation

    init(_ store: Store, _ call: Call) throws(Problem) {
      let patch = try Problem.decode(call.body, as: .mockStatePatch)
      var merged = store
      try merged.merge(patch, at: call.now)
      self.store = merged
      shown = Representation(merged.json)
    }
  }

  static func listSnapshots(_ command: Command) -> Response {
    let snapshots = command.sandbox.state.snapshots.values.sorted { $0.name < $1.name }
    return Response(200, Representation(["snapshots": .array(snapshots.map(describe))]))
  }

  static func getSnapshot(_ command: Command) throws(Problem) -> Response {
    Response(200, Representation(describe(try snapshot(command))))
  }

  static func takeSnapshot(_ command: Command) throws(Problem) -> Response {
    let name = command.call.arguments[0]
    guard Schema.Format.isLabel(name) else {
      throw .malformedSnapshotName(name)
    }
    let isNew = command.sandbox.state.snapshots[name] == nil
    guard let taken = command.sandbox.storeSnapshot(name, at: command.call.now) else {
      throw .tooManySnapshots(SandboxState.snapshotCapacity)
    }
    return Response(isNew ? 201 : 200, Representation(describe(taken)), changed: true)
  }

  static func restoreSnapshot(_ command: Command) throws(Problem) -> Response {
    let snapshot = try snapshot(command)
    let version = command.sandbox.state.store.version
    command.sandbox.restore(snapshot)
    record("restored the snapshot \(snapshot.name)", since: version, command)
    return Response(204, changed: true)
  }

  /// Records in the journal that the state changed without a request to an API.
  static func record(_ event: String, since version: Int, _ command: Command) {
    let sandbox = command.sandbox
    sandbox.traffic.record(event, versions: version..<sandbox.state.store.version, at: command.application.realTime)
    sandbox.reportReplacement()
  }

  private static func snapshot(_ command: Command) throws(Problem) -> SandboxState.Snapshot {
    let name = command.call.arguments[0]
    guard let snapshot = command.sandbox.state.snapshots[name] else {
      throw .unknownSnapshot(name)
    }
    return snapshot
  }

  private static func describe(_ snapshot: SandboxState.Snapshot) -> JSONValue {
    ["name": .string(snapshot.name), "at": .string(Timestamp.milliseconds(snapshot.at))]
  }

  static func getClock(_ command: Command) -> Response {
    let clock = command.sandbox.state.clock
    let now = clock.now(at: command.application.realTime)
    return Response(
      200,
      Representation([
        "now": .string(Timestamp.milliseconds(now)),
        "frozen": .bool(clock.isFrozen),
        "elapsed": .string(DurationText.text(command.sandbox.state.scenarioState.elapsed(at: now))),
      ]))
  }

  static func patchClock(_ command: Command) throws(Problem) -> Performance {
    try command.reading(as: .clockPatch) { patch throws(Problem) in try patchClock(command, with: patch) }
  }

  private static func patchClock(_ command: Command, with patch: JSONValue) throws(Problem) -> Response {
    let real = command.application.realTime
    var clock = command.sandbox.state.clock
    switch patch["frozen"]?.bool {
    case true: clock.freeze(at: real)
    case false: clock.thaw(at: real)
    case nil: break
    }
    if let advance = patch["advance"]?.string.flatMap(DurationText.init) {
      clock.advance(by: advance.duration)
      guard clock.now(at: real) < Instant(nanoseconds: .max) else {
        throw .invalid([ValidationError(.root / "advance", "the clock cannot go beyond the year 2262")])
      }
    }
    command.sandbox.set(clock, at: real)
    return getClock(command)
  }
}
