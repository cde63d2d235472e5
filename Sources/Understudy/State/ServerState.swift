import Contract
import Faults
import Platform
import Primitives
import Report
import Services

/// The state of a server: its sandboxes, their initial data, and its persistence. One thread owns it.
final class ServerState {
  var sandboxes: Sandboxes
  /// The initial data of new sandboxes.
  var seeds: SeedData
  /// The properties of the default sandbox, and the defaults of new ones.
  let standard: Standard
  let clocks: Clocks
  /// The data files, which are checked about twice a second.
  var watched: DataDirectory?
  /// True while another thread checks them.
  var isReloading = false
  /// The event loop's services.
  var loop: any Loop = NoLoop() {
    didSet { for sandbox in sandboxes.inOrderOfMaking { sandbox.workers = loop.workers } }
  }
  /// Reports an event that concerns the server's operator and no client.
  var notify: (String) -> Void
  /// The directory that stores all changes; nil without persistence.
  var directory: StateDirectory?
  /// The number of rollbacks because changes could not be stored on the disk.
  var rollbackCount = 0
  /// The last report cards of deleted sandboxes.
  var finalCards: [FinalCard] = []
  /// True if these cards are kept, for the report of a run.
  var keepsFinalCards = true
  /// True if a schedule may have changed since the event loop last asked for the next outage.
  var isScheduleNew = true
  /// The time until a schedule takes a sandbox offline or back online, as of the last `runMaintenance`; nil if none does.
  private(set) var untilOutage: Duration?

  /// The properties of a sandbox, as a name that `MockServer` does not hide.
  typealias Standard = Sandbox.Configuration

  init(
    seeds: SeedData, standard: Standard, clocks: Clocks, watched: DataDirectory?,
    notify: @escaping (String) -> Void
  ) {
    self.notify = notify
    self.seeds = seeds
    self.standard = standard
    self.clocks = clocks
    self.watched = watched
    let now = clocks.instant()
    sandboxes = Sandboxes(Sandbox(standard, store: Store(seeds, at: now), at: now, tick: clocks.tick()))
  }
}

extension ServerState {
  func add(_ sandbox: Sandbox) {
    sandbox.directory = directory
    sandbox.workers = loop.workers
    sandboxes.add(sandbox)
    if sandbox.state.scenarioState.armed.hasOutages { isScheduleNew = true }
    directory?.record(.made, of: sandbox)
  }

  /// Deletes a sandbox. Its port is closed when the deletion is stored, because another program might take it before
  /// the deletion is rolled back.
  func remove(_ sandbox: Sandbox) {
    let card = pendingCard(of: sandbox, isReset: false)
    hide(sandbox)
    let consequences = StateDirectory.Consequences(ifStored: { [self] in
      if let card { store(card) }
      close(sandbox)
    })
    guard let directory else { return consequences.ifStored() }
    storeNumber(of: sandbox)
    directory.record(.deleted, of: sandbox, consequences)
  }

  /// Stores that a deleted sandbox had its name: the image of the default sandbox has the highest generated number.
  private func storeNumber(of deleted: Sandbox) {
    guard let standard = sandboxes[nil], Sandboxes.number(in: deleted.name) != nil else { return }
    directory?.record(.changed, of: standard)
  }

  /// Removes a sandbox, and closes its port.
  func forget(_ sandbox: Sandbox) {
    hide(sandbox)
    close(sandbox)
  }

  /// Makes a sandbox unknown. Exchanges in flight finish but are not persisted.
  private func hide(_ sandbox: Sandbox) {
    _ = sandboxes.remove(sandbox.name)
    sandbox.directory = nil
  }

  /// Closes the port of a sandbox, and sends the responses that its network switch held.
  func close(_ sandbox: Sandbox) {
    if let port = sandbox.identity.port { loop.close(port) }
    guard sandbox.traffic.holdsResponses else { return }
    (sandbox.traffic.network, sandbox.traffic.scheduledOutage) = (NetworkSwitch(), nil)
    loop.releaseResponses(of: sandbox.name)
  }

  /// Resets a sandbox, its report and its network. The switch of the network follows when the reset is stored, because
  /// it cannot be rolled back: connections are reset, or get the responses that were held.
  ///
  /// - Throws: A problem if its port cannot be opened again.
  func reset(_ sandbox: Sandbox) throws(Problem) {
    let card = pendingCard(of: sandbox, isReset: true)
    let (real, version) = (clocks.instant(), sandbox.state.store.version)
    try setPort(of: sandbox, isRefusing: false)
    let consequences = StateDirectory.Consequences(
      ifStored: { [self] in
        let (wasSilent, heldResponses) = (sandbox.traffic.isSilent, sandbox.traffic.holdsResponses)
        (sandbox.traffic.network, sandbox.traffic.scheduledOutage) = (NetworkSwitch(), nil)
        // Silent connections do not recover: their clients would wait for responses to requests that were dropped.
        if wasSilent { loop.resetConnections(of: [sandbox.name]) }
        if heldResponses { loop.releaseResponses(of: sandbox.name) }
        followSchedule(of: sandbox, at: real)
        if let card { store(card) }
        sandbox.traffic.record("reset", versions: version..<version + 1, at: real)
      },
      ifRefused: { [self] in
        let isRefused =
          sandbox.traffic.network.position == .offline(.refused) || sandbox.traffic.scheduledOutage == .refused
        if isRefused, let port = sandbox.identity.port { loop.suspend(port) }
      })
    sandbox.reset(at: real, then: consequences)
  }

  /// Does the maintenance that is due about twice a second: expired sandboxes, schedules, rivals, changed data files.
  ///
  /// - Returns: False if there was too much to do for one turn: then the next call continues.
  @discardableResult
  func runMaintenance(at tick: MonotonicInstant) -> Bool {
    directory?.tryRepair()
    reloadWatchedData()
    let now = clocks.instant()
    let isRemoved = removeExpired(at: tick)
    let acting = sandboxes.inOrderOfMaking.filter(\.actsByItself)
    let haveActed = moveRivals(in: acting, at: now)
    followSchedules(of: acting, at: now)
    return isRemoved && haveActed
  }

  /// The maximum number of expired sandboxes that one call of `runMaintenance` deletes: the last card of each takes a
  /// copy of its journal's entries.
  static let maximumRemovals = 16

  /// Deletes sandboxes whose time is over; returns false if the next turn must delete more.
  private func removeExpired(at tick: MonotonicInstant) -> Bool {
    let expired = sandboxes.inOrderOfMaking.filter { $0.isExpired(at: tick) }
    for sandbox in expired.prefix(Self.maximumRemovals) { remove(sandbox) }
    // Those that the disk refuses to delete come back: the next regular maintenance tries again.
    return expired.count <= Self.maximumRemovals || directory?.failure != nil
  }

  /// The number of rivals' actions after which the other sandboxes wait for the next call of `runMaintenance`.
  static let maximumRivals = 256

  /// Lets rivals act; returns false if some still have to.
  private func moveRivals(in acting: [Sandbox], at now: Instant) -> Bool {
    var count = 0
    for sandbox in acting {
      guard count < Self.maximumRivals else { return false }
      let moves = sandbox.state.scenarioState.rivals(at: sandbox.now(at: now))
      sandbox.move(moves, at: now)
      count += moves.count
    }
    return true
  }

  /// Lets the networks of sandboxes follow their switches and schedules.
  private func followSchedules(of acting: [Sandbox], at now: Instant) {
    var offline: Set<String> = []
    untilOutage = nil
    for sandbox in acting {
      updateNetwork(of: sandbox)
      followSchedule(of: sandbox, at: now)
      // A scenario that is not stored yet may be rolled back, and a connection cannot.
      if sandbox.isOffline(at: now), !sandbox.isUncommitted { offline.insert(sandbox.name) }
      if let wait = sandbox.untilOutage(at: now) { untilOutage = min(wait, untilOutage ?? wait) }
    }
    if !offline.isEmpty { loop.resetConnections(of: offline) }
  }
}
