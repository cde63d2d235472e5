import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services
import Sockets

/// The request-answering part of a server, without sockets: routes, sandboxes, control API, clocks.
///
/// The event loop drives it; a simulation with its own network and clocks can drive it, too. One thread owns it.
final class Backend {
  let router = RequestRouter(apis: API.all, control: .control)
  var sandboxes: Sandboxes
  let gate: AccessControl
  let control = ControlService()
  /// The initial data of new sandboxes.
  var seeds: SeedData
  let responder = Responder()
  let writer = MessageWriter()
  var log: RequestLog
  var metrics: Metrics
  let standard: Standard
  private let clocks: Clocks
  /// The data files, which are checked about twice a second.
  var watched: DataDirectory?
  /// True while another thread checks them.
  var isReloading = false
  /// Changed data with which some sandboxes have not restarted yet.
  var reseeding: Reseeding?
  /// The number of all connections so far.
  private(set) var connectionCount = 0
  /// The port of the merged origin.
  var port = 0
  /// The ports of the APIs' own origins, by the API's index in the catalogue.
  var apiPorts: [Int: Int] = [:]
  /// The event loop's services for the backend.
  var loop: any Loop = NoLoop() {
    didSet { for sandbox in sandboxes.inAnyOrder { sandbox.workers = loop.workers } }
  }
  /// Reports an event that concerns the server's operator and no client.
  var notify: (String) -> Void = { Descriptor.append(Array(($0 + "\n").utf8), to: 2) }
  /// The write-ahead log that records persistent changes; nil without persistence.
  var writeAheadLog: WriteAheadLog?
  /// All initial data in use, by its number, for the write-ahead log.
  var persistedSeeds: [Int: SeedData] = [:]
  /// The last report cards of deleted sandboxes.
  var finalCards: [FinalCard] = []
  /// True if a schedule may have changed since the event loop last asked for the next outage.
  var isScheduleNew = true
  /// True if clients that disconnect from now on are being terminated by the run.
  var areClientsEnded = false
  /// The work that this turn of the loop may still begin.
  var budget = TurnBudget()
  /// The number of rollbacks because changes could not be stored on the disk.
  var rollbackCount = 0
  /// The number of received requests.
  var arrivalCount = 0
  /// The time until a schedule takes a sandbox offline or back online, as of the last round of `runMaintenance`; nil if
  /// none does.
  private(set) var untilOutage: Duration?
  private var untilOutageInRound: Duration?

  /// The properties of the default sandbox, and the defaults of new ones.
  typealias Standard = Sandbox.Configuration

  /// The sources of time.
  struct Clocks: Sendable {
    let tick: @Sendable () -> MonotonicInstant
    let instant: @Sendable () -> Instant

    init(tick: @escaping @Sendable () -> MonotonicInstant, instant: @escaping @Sendable () -> Instant) {
      self.tick = tick
      self.instant = instant
    }

    static let system = Clocks(tick: SystemClock.tick, instant: SystemClock.instant)
  }

  /// Creates a backend.
  ///
  /// - Parameter standard: The properties of the default sandbox, and the defaults of new ones.
  init(
    seeds: SeedData, standard: Standard = Standard(), isLoopback: Bool = true, token: String? = nil,
    clocks: Clocks = .system, log: RequestLog = RequestLog(.off), watched: DataDirectory? = nil
  ) {
    gate = AccessControl(isLoopback: isLoopback, token: token)
    self.seeds = seeds
    self.standard = standard
    self.clocks = clocks
    self.log = log
    metrics = Metrics(router.apis)
    self.watched = watched
    sandboxes = Sandboxes(Sandbox(standard, seeds: seeds, at: clocks.instant(), tick: clocks.tick()))
  }

  var realTime: Instant { clocks.instant() }
  var tick: MonotonicInstant { clocks.tick() }

  /// Returns the number of a new connection.
  func nextConnection() -> Int {
    connectionCount += 1
    return connectionCount
  }

  /// Returns the merged origin as the client of an exchange uses it: its authority without labels, at the port without
  /// labels.
  func origin(of exchange: borrowing Exchange) -> String {
    let authority = exchange.request.clientAuthority.map { HostField($0.utf8) }
    let host = authority?.host ?? "localhost"
    let isLabelled = host.hasSuffix(".localhost")
    let port = exchange.port == Labels() && authority != nil ? authority?.port : port
    return exchange.request.scheme.rawValue + "://" + (isLabelled ? "localhost" : host) + (port.map { ":\($0)" } ?? "")
  }

  /// Returns the number of the port with these labels.
  func portNumber(of labels: Labels) -> Int {
    labels.sandbox.flatMap { sandboxes[$0]?.port } ?? labels.api.flatMap { apiPorts[$0] } ?? port
  }

  /// Returns true if connections at a port must be refused, because its sandbox is offline.
  func refuses(_ port: Labels) -> Bool {
    guard let name = port.sandbox, let sandbox = sandboxes[name] else { return false }
    updateNetwork(of: sandbox)
    let now = realTime
    guard sandbox.isOffline(at: now) else { return false }
    if sandbox.isScheduledOffline(at: now) { sandbox.recordRefusal() }
    metrics.countRefusedConnection()
    return true
  }
}

extension Backend {
  func add(_ sandbox: Sandbox) {
    sandbox.writeAheadLog = writeAheadLog
    sandbox.workers = loop.workers
    sandboxes.add(sandbox)
    if sandbox.scenarioState.armed.hasOutages { isScheduleNew = true }
    writeAheadLog?.record(.made(sandbox.origin), undo: .made(sandbox))
  }

  /// Deletes a sandbox. Its port is closed when the deletion is stored, because another program might take it before
  /// the deletion is rolled back.
  func remove(_ sandbox: Sandbox) {
    let card = pendingCard(of: sandbox, .deleted)
    continueReseeding(of: sandbox)
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
    if let card = pendingCard(of: sandbox, .deleted) { store(card) }
    forget(sandbox)
  }

  /// Removes a sandbox, and closes its port.
  func forget(_ sandbox: Sandbox) {
    excuse(sandbox.name)
    hide(sandbox)
    close(sandbox)
  }

  /// Makes a sandbox unknown. Exchanges in flight finish but are not persisted.
  private func hide(_ sandbox: Sandbox) {
    _ = sandboxes.remove(sandbox.name)
    sandbox.writeAheadLog = nil
  }

  /// Closes the port of a sandbox, and sends the responses that its network switch held.
  private func close(_ sandbox: Sandbox) {
    if let port = sandbox.port { loop.close(port) }
    guard sandbox.network.holdsResponses else { return }
    sandbox.network = NetworkSwitch()
    loop.releaseResponses(of: sandbox.name)
  }

  /// Resets a sandbox, its report and its network. The switch of the network follows when the reset is stored, because
  /// it cannot be rolled back: connections are reset, or get the responses that were held.
  ///
  /// - Throws: A problem if its port cannot be opened again.
  func reset(_ sandbox: Sandbox) throws(Problem) {
    let card = pendingCard(of: sandbox, .reset)
    let (real, version) = (realTime, sandbox.store.version)
    try openPort(of: sandbox, unless: false)
    let consequences = WriteAheadLog.Consequences(
      ifStored: { [self] in
        let before = sandbox.network
        sandbox.network = NetworkSwitch()
        // Silent connections do not recover: their clients would wait for responses to requests that were dropped.
        if before.position == .offline(.silence) { loop.resetConnections(of: [sandbox.name]) }
        if before.holdsResponses { loop.releaseResponses(of: sandbox.name) }
        if let card { store(card) }
        sandbox.record("reset", versions: version..<version + 1, at: real)
      },
      ifRefused: { [self] in
        if sandbox.network.position == .offline(.refused), let port = sandbox.port { loop.suspend(port) }
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
    let now = realTime
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
    let units = 1 + sandbox.exchangeLog.waitingCount
    sandbox.judge()
    guard sandbox.scenarioState.armed.actsByItself || !sandbox.network.isOnline else { return units }
    continueReseeding(of: sandbox)
    updateNetwork(of: sandbox)
    let moves = sandbox.scenarioState.rivals(at: sandbox.now(at: now))
    sandbox.move(moves, at: now)
    // A scenario that is not stored yet may be rolled back, and a connection cannot.
    if sandbox.isOffline(at: now), !sandbox.isUncommitted { offline.insert(sandbox.name) }
    if let wait = sandbox.untilOutage(at: now) { untilOutageInRound = min(wait, untilOutageInRound ?? wait) }
    return units + moves.count
  }

  /// The work of a sandbox's removal: its last card takes a copy of its journal's entries.
  private static let unitsOfRemoval = 32

  /// Counts a request against the turn's budget.
  func countBegunRequest() { budget.countRequest() }

  /// Does the work that is due at the end of each turn of the loop.
  func endTurn() {
    log.flush()
    sandboxes.boundJournals(evicting: 2)
    continueReseeding(atMost: Reseeding.maximumSandboxes)
  }

  /// True if more work is due than one turn may do: journals to evict, or sandboxes to restart with changed data.
  var hasUnfinishedWork: Bool { sandboxes.isEvicting || reseeding != nil }
}
