import Contract
import Faults
import JSON
import Primitives
import Report
import Services

/// An isolated copy of the data, with its own scenario, clock and journal. Only the loop's thread uses it.
final class Sandbox {
  var identity: Identity
  let state: SandboxState
  let traffic: SandboxTraffic
  /// The requests to which its scenario is to apply.
  private let target: Scenarios.Target
  /// The maximum age of the state that a request has preferred so far, or that `explore` needs.
  private var preferredDepth = 0
  var lastUse: MonotonicInstant
  /// True while it is one of the server's sandboxes: false after its deletion, even if there is a new one of its name.
  var isListed = false
  /// The directory that stores its changes; nil without persistence.
  var directory: StateDirectory?
  /// The state in its directory; nil before its first image is stored.
  var stored: SandboxState?
  /// The threads that free its large values, because freeing a million parts takes long; nil if there are none.
  var workers: Workers?

  /// The properties of a sandbox that no request changes.
  struct Identity: Sendable {
    var name = Sandboxes.defaultName
    /// The API that its port serves at `/`, if it was made for one.
    var api: Int?
    var port: Int?
    /// The time after its last use at which it is deleted; nil if it lives until a client deletes it.
    var timeToLive: Duration?
    /// The merge patch on the server's data with which it was made.
    var patch: JSONValue?
  }

  /// The requested properties of a sandbox to make.
  struct Configuration: Sendable {
    var identity = Identity()
    var scenario = Scenario.calm
    var seed: UInt64 = 1
    /// The requests to which the scenario is to apply.
    var target = Scenarios.Target.apis
  }

  /// Makes a sandbox.
  ///
  /// - Parameters:
  ///   - store: Its data.
  ///   - now: The time at which the data were made.
  init(_ configuration: Configuration, store: Store, at now: Instant, tick: MonotonicInstant) {
    identity = configuration.identity
    target = configuration.target
    lastUse = tick
    state = SandboxState(
      store, at: now, ScenarioState(configuration.scenario, seed: configuration.seed, at: now))
    traffic = SandboxTraffic()
    describeState()
  }

  deinit {
    workers?.discard(
      [state.store, state.history, state.snapshots, traffic.exchangeLog, state.idempotency]
        as [any Sendable])
  }

  var name: String { identity.name }

  /// Tells new checks the scenario and the state.
  private func describeState() {
    traffic.report(armedEvent(state.scenarioState.scenario))
    reportReplacement()
  }

  private func armedEvent(_ scenario: Scenario) -> SandboxEvent {
    .armed(rules: scenario.rules.map { ArmedRule($0) }, inapplicable: target.leftOut(of: scenario))
  }

  /// Returns true if its time to live has passed since its last use.
  func isExpired(at tick: MonotonicInstant) -> Bool { identity.timeToLive.map { tick - lastUse > $0 } ?? false }

  func now(at real: Instant) -> Instant { state.clock.now(at: real) }

  /// Arms another scenario, or the same one with another seed.
  func arm(_ scenario: Scenario, seed: UInt64, at real: Instant) {
    arm(ArmedScenario(scenario, seed: seed), at: real)
  }

  /// Arms a scenario.
  ///
  /// - Parameter completion: Called when the change is stored.
  func arm(_ armed: ArmedScenario, at real: Instant, completion: @escaping () -> Void = {}) {
    let consequences = StateDirectory.Consequences(ifStored: { [self] in
      traffic.report(armedEvent(armed.scenario))
      completion()
    })
    persisting(then: consequences) { rearm(armed, at: real) }
  }

  private func rearm(_ armed: ArmedScenario, at real: Instant) {
    state.timeOfflineBefore = NanosecondDuration(scheduledTimeOffline(at: real))
    state.scenarioState = ScenarioState(armed, at: now(at: real))
    state.history = []
  }

  /// Stores the response to the first request with a key.
  func store(_ response: Response, for key: Idempotency.Key, content: KeyedContent.Digest) {
    persisting(.keys) { state.idempotency.store(response, for: key, content: content) }
  }

  /// The number of older states to store: with another reference to the state, a write copies a part of it.
  var historyDepth: Int { max(state.scenarioState.depth, preferredDepth, traffic.manualFaults.depth) }

  /// Stores at least so many older states from now on.
  func keepVersions(_ count: Int) { preferredDepth = max(preferredDepth, count) }

  /// Returns the state before `count` changes; the oldest stored one if there were fewer. If so many are not stored, they
  /// are from now on.
  func store(versionsAgo count: Int) -> Result<Store, UndeliverableReason> {
    guard count <= historyDepth else {
      preferredDepth = count
      return .failure(.notStoredYet)
    }
    return state.history.suffix(count).first.map(Result.success) ?? .failure(.noOlderState)
  }

  /// Restarts with changed data files. If they no longer fit the sandbox's own patch, its data stays.
  ///
  /// - Parameters:
  ///   - standard: The state of sandboxes that have no patch and whose clock is the machine's.
  ///   - real: The machine's time at which `standard` was made.
  func reseed(_ server: SeedData, from standard: Store, at real: Instant) {
    let now = state.clock.now(at: real)
    var made = standard
    if identity.patch != nil || now != real {
      guard let data = try? server.merging(identity.patch ?? .object(JSONValue.Object())) else { return }
      made = Store(data, at: now)
    }
    let replaced = state.store
    let version = state.store.version
    persisting {
      state.startedAt = now
      state.startNumber += 1
      state.store.restart(as: made)
    }
    traffic.record("restarted with changed data files", versions: version..<state.store.version, at: real)
    reportReplacement()
    workers?.discard(replaced)
  }

  /// Resets data, counters and clock. Snapshots are kept.
  ///
  /// - Parameter further: Its consequences outside of the sandbox.
  func reset(at real: Instant, then further: StateDirectory.Consequences = StateDirectory.Consequences()) {
    let replaced: [any Sendable] = [state.store, state.history, state.idempotency]
    let (delays, replays, faults) = (traffic.delays, traffic.replays, traffic.manualFaults)
    let consequences = StateDirectory.Consequences(
      ifStored: { [self] in
        let replaced = traffic.journal
        traffic.exchangeLog.confirmReset()
        workers?.discard(replaced)
        further.ifStored()
      },
      ifRefused: { [self] in
        traffic.exchangeLog.revertReset()
        (traffic.delays, traffic.replays, traffic.manualFaults) = (delays, replays, faults)
        state.unansweredChangeCount -= 1
        further.ifRefused()
      })
    persisting(then: consequences) {
      state.clock = SandboxClock()
      state.idempotency = Idempotency()
      traffic.manualFaults = ManualFaults()
      rearm(state.scenarioState.armed, at: real)
      state.timeOfflineBefore = .zero
      traffic.replays = TransportRetryDetector()
      traffic.delays = Delays()
      state.store.reset()
      traffic.exchangeLog.beginReset()
      describeState()
    }
    workers?.discard(replaced)
  }

  /// Stores the state under a name; returns nil if there is no room for another name.
  func storeSnapshot(_ name: String, at now: Instant) -> SandboxState.Snapshot? {
    guard state.snapshots[name] != nil || state.snapshots.count < SandboxState.snapshotCapacity else { return nil }
    let snapshot = SandboxState.Snapshot(name: name, store: state.store, at: now)
    let replaced = state.snapshots[name]
    persisting { state.snapshots[name] = snapshot }
    if let replaced { workers?.discard(replaced) }
    return snapshot
  }

  func restore(_ snapshot: SandboxState.Snapshot) {
    let replaced = state.store
    persisting { state.store.restore(snapshot.store) }
    workers?.discard(replaced)
  }
}
