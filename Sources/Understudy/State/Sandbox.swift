package import Contract
package import JSON

/// An isolated copy of the backend. Only the loop's thread touches it.
package final class Sandbox {
  package let name: String
  /// The API that its port serves at `/`, when it was made for one.
  package let api: Int?
  package let port: Int?
  /// The scenario's name.
  package let scenario = "calm"
  package let seed = 1
  /// How long it lives after its last use; without one it lives until it is deleted.
  package let timeToLive: Duration?
  package var lastUse: Tick
  /// What a reset goes back to.
  private var initial: Store
  /// The merge patch on the server's data that the sandbox was made with.
  private let patch: JSON?
  package var store: Store
  package var clock = SandboxClock()
  package var idempotency = Idempotency()
  package private(set) var snapshots: [String: Snapshot] = [:]
  /// The id of the newest request; ids are never used twice, a reset notwithstanding.
  package private(set) var lastRequest = 0

  package struct Snapshot: Sendable {
    package let name: String
    package let store: Store
    package let at: Instant
  }

  package static let snapshotCapacity = 256

  package init(
    name: String, seeds: SeedData, patch: JSON? = nil, api: Int? = nil, port: Int? = nil, timeToLive: Duration? = nil,
    at now: Instant,
    tick: Tick
  ) {
    self.name = name
    self.api = api
    self.port = port
    self.timeToLive = timeToLive
    self.patch = patch
    lastUse = tick
    initial = Store(seeds, at: now)
    store = initial
  }

  package func nextRequest() -> Int {
    lastRequest += 1
    return lastRequest
  }

  /// Starts anew from data files that have changed; where they do not fit the sandbox's own data any more, it stays.
  func reseed(_ server: SeedData, at real: Instant) {
    guard let merged = try? server.merging(patch ?? .object(JSON.Object())) else { return }
    initial = Store(merged, at: clock.now(at: real))
    store.replace(with: initial)
  }

  /// Brings data, counters and clock back to the start. Snapshots are kept.
  package func reset() {
    clock = SandboxClock()
    idempotency = Idempotency()
    store.replace(with: initial)
  }

  /// Keeps the state under a name; nil when there is no room for another name.
  package func keepSnapshot(_ name: String, at now: Instant) -> Snapshot? {
    guard snapshots[name] != nil || snapshots.count < Self.snapshotCapacity else { return nil }
    let snapshot = Snapshot(name: name, store: store, at: now)
    snapshots[name] = snapshot
    return snapshot
  }
}
