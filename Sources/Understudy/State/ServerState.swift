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
    didSet { for sandbox in sandboxes.inAnyOrder { sandbox.workers = loop.workers } }
  }
  /// Reports an event that concerns the server's operator and no client.
  var notify: (String) -> Void
  /// The write-ahead log that records persistent changes; nil without persistence.
  var writeAheadLog: WriteAheadLog?
  /// All initial data in use, by its number, for the write-ahead log.
  var persistedSeeds: [Int: SeedData] = [:]
  /// The number of rollbacks because changes could not be stored on the disk.
  var rollbackCount = 0
  /// The last report cards of deleted sandboxes.
  var finalCards: [FinalCard] = []
  /// True if these cards are kept, for the report of a run.
  var keepsFinalCards = true
  /// True if a schedule may have changed since the event loop last asked for the next outage.
  var isScheduleNew = true
  /// The sandboxes with a complete batch of exchanges to judge.
  private var unjudged: [Sandbox] = [] { didSet { hasUnjudgedBatch = !unjudged.isEmpty } }
  /// True if a batch of exchanges can be judged when the loop has nothing else to do.
  private(set) var hasUnjudgedBatch = false
  /// The time until a schedule takes a sandbox offline or back online, as of the last round of `runMaintenance`; nil if
  /// none does.
  private(set) var untilOutage: Duration?
  private var untilOutageInRound: Duration?

  /// The properties of a sandbox, as a name that `MockServer` does not hide.
  typealias Standard = Sandbox.Configuration

  /// The source of the responses of every sandbox; nil if these come from its state.
  let source: (any ResponseSource)?

  init(
    seeds: SeedData, standard: Standard, clocks: Clocks, watched: DataDirectory?, source: (any ResponseSource)? = nil,
    notify: @escaping (String) -> Void
  ) {
    self.source = source
    self.notify = notify
    self.seeds = seeds
    self.standard = standard
    self.clocks = clocks
    self.watched = watched
    let sandbox = Sandbox(standard, seeds: seeds, at: clocks.instant(), tick: clocks.tick())
    sandbox.source = source
    sandboxes = Sandboxes(sandbox)
  }
}

extension ServerState {
  func add(_ sandbox: Sandbox) {
    sandbox.writeAheadLog = writeAheadLog
    sandbox.workers = loop.workers
    sandbox.source = source
    sandboxes.add(sandbox)
    if sandbox.state.scenarioState.armed.hasOutages { isScheduleNew = true }
    writeAheadLog?.record(.made(sandbox.origin), undo: .made(sandbox))
  }

  /// Deletes a sandbox. Its port is closed when the deletion is stored, because another program might take it before
  /// the deletion is rolled back.
  func remove(_ sandbox: Sandbox) {
    let card = pendingCard(of: sandbox, isReset: false)
    hide(sandbox)
    let consequences = WriteAheadLog.Consequences(ifStored: { [self] in
      if let card { store(card) }
      close(sandbox)
    })
    guard let writeAheadLog else { return consequences.ifStored() }
    writeAheadLog.record(.deleted(sandbox.name), undo: .deleted(sandbox), consequences)
  }

  /// Deletes a sandbox whose time is over. No client waits for this, so it is not rolled back.
  func removeExpired(_ sandbox: Sandbox) {
    writeAheadLog?.record(.deleted(sandbox.name), undo: .none)
    if let card = pendingCard(of: sandbox, isReset: false) { store(card) }
    forget(sandbox)
  }

  /// Removes a sandbox, and closes its port.
  func forget(_ sandbox: Sandbox) {
    hide(sandbox)
    close(sandbox)
  }

  /// Makes a sandbox unknown. Exchanges in flight finish but are not persisted.
  private func hide(_ sandbox: Sandbox) {
    _ = sandboxes.remove(sandbox.name)
    if sandbox.traffic.awaitsJudging { unjudged.removeAll { $0 === sandbox } }
    sandbox.traffic.awaitsJudging = false
    sandbox.writeAheadLog = nil
  }

  /// Closes the port of a sandbox, and sends the responses that its network switch held.
  private func close(_ sandbox: Sandbox) {
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
    let consequences = WriteAheadLog.Consequences(
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

  /// Does the maintenance that is due about twice a second: expired sandboxes, rivals, changed data files.
  ///
  /// - Parameter units: The amount of work after which the next call continues with the other sandboxes. A unit is
  ///   about 5 µs: the visit of a sandbox, an action of a rival, the check of an exchange.
  /// - Returns: True if the round is complete.
  @discardableResult
  func runMaintenance(at tick: MonotonicInstant, atMost units: Int = .max) -> Bool {
    if sandboxes.isRoundBeginning {
      writeAheadLog?.tryRepair()
      reloadWatchedData()
    }
    let now = clocks.instant()
    var offline: Set<String> = []
    var spent = 0
    repeat {
      spent += maintain(sandboxes.nextOfRound(), at: tick, now, &offline)
    } while !sandboxes.isRoundBeginning && spent < units
    if !offline.isEmpty { loop.resetConnections(of: offline) }
    guard sandboxes.isRoundBeginning else { return false }
    (untilOutage, untilOutageInRound) = (untilOutageInRound, nil)
    return true
  }

  /// Does the maintenance of one sandbox, and returns its amount.
  private func maintain(
    _ sandbox: Sandbox, at tick: MonotonicInstant, _ now: Instant, _ offline: inout Set<String>
  ) -> Int {
    if sandbox.isExpired(at: tick) {
      removeExpired(sandbox)
      return Self.unitsOfRemoval
    }
    let units = 1 + min(sandbox.traffic.exchangeLog.waitingCount, JudgingQueue.batch)
    sandbox.traffic.exchangeLog.judgeBatch()
    if sandbox.traffic.exchangeLog.isBatchComplete { awaitJudging(of: sandbox) }
    let isOnline = sandbox.traffic.network.isOnline && sandbox.traffic.scheduledOutage == nil
    guard sandbox.state.scenarioState.armed.actsByItself || !isOnline else { return units }
    updateNetwork(of: sandbox)
    followSchedule(of: sandbox, at: now)
    let moves = sandbox.state.scenarioState.rivals(at: sandbox.now(at: now))
    sandbox.move(moves, at: now)
    // A scenario that is not stored yet may be rolled back, and a connection cannot.
    if sandbox.isOffline(at: now), !sandbox.isUncommitted { offline.insert(sandbox.name) }
    if let wait = sandbox.untilOutage(at: now) { untilOutageInRound = min(wait, untilOutageInRound ?? wait) }
    return units + moves.count
  }

  /// The work of a sandbox's removal: its last card takes a copy of its journal's entries.
  private static let unitsOfRemoval = 32

  /// Adds a sandbox to those with a complete batch of exchanges to judge.
  func awaitJudging(of sandbox: Sandbox) {
    guard !sandbox.traffic.awaitsJudging, sandboxes.has(sandbox) else { return }
    sandbox.traffic.awaitsJudging = true
    unjudged.append(sandbox)
  }

  /// Judges a batch of one sandbox's exchanges.
  func judgeBatch() {
    guard !unjudged.isEmpty else { return }
    let sandbox = unjudged.removeFirst()
    sandbox.traffic.awaitsJudging = false
    sandbox.traffic.exchangeLog.judgeBatch()
    if sandbox.traffic.exchangeLog.isBatchComplete { awaitJudging(of: sandbox) }
  }

  /// True if more work is due than one turn may do: journals to evict.
  var hasUnfinishedWork: Bool { sandboxes.isEvicting }
}
