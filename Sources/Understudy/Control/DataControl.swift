import Contract
import JSON

extension ControlBehaviour {
  static func getState(_ command: Command) -> Reply {
    Reply(200, Representation(command.sandbox.store.document))
  }

  static func patchState(_ command: Command) throws(Problem) -> Reply {
    let patch = try Problem.decode(command.call.body, as: .mockStatePatch)
    let version = command.sandbox.store.version
    try command.sandbox.merge(patch, at: command.call.now)
    note("patched the state", since: version, command)
    return Reply(200, Representation(command.sandbox.store.document), changed: true)
  }

  static func getSnapshot(_ command: Command) throws(Problem) -> Reply {
    Reply(200, Representation(describe(try snapshot(command))))
  }

  static func takeSnapshot(_ command: Command) throws(Problem) -> Reply {
    let name = command.call.arguments[0]
    guard Schema.Format.isLabel(name) else {
      throw Problem(
        400, "malformed-name", "The name is malformed",
        "A snapshot's name is \(Schema.Format.label.expectation); found \(JSON.string(name).text).")
    }
    let isNew = command.sandbox.snapshots[name] == nil
    guard let taken = command.sandbox.keepSnapshot(name, at: command.call.now) else {
      throw Problem(
        507, "too-many-snapshots", "There are too many snapshots",
        "The sandbox keeps \(Sandbox.snapshotCapacity) snapshots already; take one of their names.")
    }
    return Reply(isNew ? 201 : 200, Representation(describe(taken)), changed: true)
  }

  static func restoreSnapshot(_ command: Command) throws(Problem) -> Reply {
    let snapshot = try snapshot(command)
    let version = command.sandbox.store.version
    command.sandbox.restore(snapshot)
    note("restored the snapshot \(snapshot.name)", since: version, command)
    return Reply(204, changed: true)
  }

  /// Notes in the journal that the state changed without a request to any API.
  static func note(_ event: String, since version: Int, _ command: Command) {
    let sandbox = command.sandbox
    sandbox.journal.note(event, versions: version..<sandbox.store.version, at: command.backend.realTime)
    sandbox.rebase()
  }

  private static func snapshot(_ command: Command) throws(Problem) -> Sandbox.Snapshot {
    let name = command.call.arguments[0]
    guard let snapshot = command.sandbox.snapshots[name] else {
      throw Problem(
        404, "unknown-snapshot", "There is no such snapshot",
        "The sandbox has no snapshot called \(JSON.string(name).text). Take it with PUT /_mock/snapshots/{name}.")
    }
    return snapshot
  }

  private static func describe(_ snapshot: Sandbox.Snapshot) -> JSON {
    ["name": .string(snapshot.name), "at": .string(Timestamp.milliseconds(snapshot.at))]
  }

  static func getClock(_ command: Command) -> Reply {
    let clock = command.sandbox.clock
    let now = clock.now(at: command.backend.realTime)
    return Reply(
      200,
      Representation([
        "now": .string(Timestamp.milliseconds(now)),
        "frozen": .bool(clock.isFrozen),
        "elapsed": .string(DurationText.text(command.sandbox.arming.elapsed(at: now))),
      ]))
  }

  static func patchClock(_ command: Command) throws(Problem) -> Reply {
    let patch = try Problem.decode(command.call.body, as: .clockPatch)
    let real = command.backend.realTime
    var clock = command.sandbox.clock
    switch patch["frozen"]?.bool {
    case true: clock.freeze(at: real)
    case false: clock.thaw(at: real)
    case nil: break
    }
    if let advance = patch["advance"]?.string.flatMap(DurationText.init) {
      clock.advance(by: advance.duration)
      guard clock.now(at: real) < Instant(nanoseconds: .max) else {
        throw .invalid([Violation(.root / "advance", "the clock cannot go beyond the year 2262")])
      }
    }
    command.sandbox.set(clock)
    return getClock(command)
  }
}
