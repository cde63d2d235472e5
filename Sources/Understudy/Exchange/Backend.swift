import Contract
import Faults
import HTTP1

/// Everything that answers requests and owns no socket: addresses, sandboxes, control, clocks.
///
/// The event loop feeds it; so does a simulation with a network and clocks of its own. One thread owns it.
final class Backend {
  var addresses = AddressBook(apis: API.all, control: .control)
  var sandboxes: Sandboxes
  let gate: ControlGate
  let control = ControlBehaviour()
  /// What new sandboxes start from.
  var seeds: SeedData
  let responder = Responder()
  var writer = MessageWriter()
  var log: RequestLog
  var metrics: Metrics
  let standard: Standard
  private let clocks: Clocks
  /// The data files that are looked at about twice a second.
  var watched: DataDirectory?
  /// True while another thread looks at them.
  var isReloading = false
  /// How many connections there ever were.
  private(set) var connectionCount = 0
  /// The port of the merged origin.
  var port = 0
  /// The ports of the APIs' own origins, by the API's place in the catalogue.
  var apiPorts: [Int: Int] = [:]
  /// What the backend asks of whoever feeds it.
  var loop: any Loop = NoLoop()
  /// Tells whoever runs the server of something that no client is told.
  var notify: (String) -> Void = { File.append(Array(($0 + "\n").utf8), to: 2) }
  /// Where changes are noted that are to outlive the server; nil where none are.
  var ledger: Ledger?
  /// All data that sandboxes start from, by its number, where the ledger keeps it.
  var keptSeeds: [Int: SeedData] = [:]
  /// The last cards of sandboxes that are no more.
  var finalCards: [FinalCard] = []
  /// True if a schedule may be another since the event loop last asked when an outage is due.
  var isScheduleNew = true
  /// Whether clients that part from now on do so because somebody ends them.
  var areClientsEnded = false
  /// The work that this turn of the loop may still begin.
  var budget = TurnBudget()
  /// The number of times that changes were taken back because the disk did not take them.
  var rollbackCount = 0
  /// The number of requests that arrived.
  var arrivalCount = 0
  /// How long it is until a schedule takes a sandbox off the network, or back, as the last round of `keepHouse` found it;
  /// nil where none does.
  private(set) var untilOutage: Duration?
  private var untilOutageInRound: Duration?

  /// What the default sandbox is like, and new ones where nothing else is asked for.
  typealias Standard = Sandbox.Order

  /// Where time comes from.
  struct Clocks: Sendable {
    let tick: @Sendable () -> Tick
    let instant: @Sendable () -> Instant

    init(tick: @escaping @Sendable () -> Tick, instant: @escaping @Sendable () -> Instant) {
      self.tick = tick
      self.instant = instant
    }

    static let system = Clocks(tick: SystemClock.tick, instant: SystemClock.instant)
  }

  /// - Parameter standard: What the default sandbox is like, and new ones where nothing else is asked for.
  init(
    seeds: SeedData, standard: Standard = Standard(), isLoopback: Bool = true, token: String? = nil,
    clocks: Clocks = .system, log: RequestLog = RequestLog(.off), watched: DataDirectory? = nil
  ) {
    gate = ControlGate(isLoopback: isLoopback, token: token)
    self.seeds = seeds
    self.standard = standard
    self.clocks = clocks
    self.log = log
    metrics = Metrics(addresses.apis)
    self.watched = watched
    sandboxes = Sandboxes(Sandbox(standard, seeds: seeds, at: clocks.instant(), tick: clocks.tick()))
  }

  var realTime: Instant { clocks.instant() }
  var tick: Tick { clocks.tick() }

  /// A number for a new connection.
  func nextConnection() -> Int {
    connectionCount += 1
    return connectionCount
  }

  /// The merged origin as the client of an exchange reaches it: its authority without labels, at the port without them.
  func origin(of exchange: borrowing Exchange) -> String {
    let authority = exchange.request.clientAuthority.map { HostName($0.utf8) }
    let host = authority?.host ?? "localhost"
    let isLabelled = host.hasSuffix(".localhost")
    let port = exchange.port == Labels() && authority != nil ? authority?.port : port
    return exchange.request.scheme.rawValue + "://" + (isLabelled ? "localhost" : host) + (port.map { ":\($0)" } ?? "")
  }

  /// The number of a port that these labels belong to.
  func portNumber(of labels: Labels) -> Int {
    labels.sandbox.flatMap { sandboxes[$0]?.port } ?? labels.api.flatMap { apiPorts[$0] } ?? port
  }

  /// Whether whoever comes by a port is to be turned away, because the sandbox that it was given to is offline.
  func refuses(_ port: Labels) -> Bool {
    guard let name = port.sandbox, let sandbox = sandboxes[name] else { return false }
    settleNetwork(of: sandbox)
    let now = realTime
    guard sandbox.isOffline(at: now) else { return false }
    if sandbox.isScheduledOffline(at: now) { sandbox.noteRefusal() }
    metrics.countRefusedConnection()
    return true
  }
}

extension Backend {
  func add(_ sandbox: Sandbox) {
    sandbox.ledger = ledger
    sandboxes.add(sandbox)
    if sandbox.arming.armed.hasOutages { isScheduleNew = true }
    ledger?.note(.made(sandbox.origin), undo: .made(sandbox))
  }

  /// Deletes a sandbox and gives its port back.
  func remove(_ sandbox: Sandbox, undo: Ledger.Undo) {
    ledger?.note(.deleted(sandbox.name), undo: undo)
    keepCard(of: sandbox, .deleted)
    forget(sandbox)
  }

  /// Has nobody find a sandbox any more. Exchanges that are under way in it still end, and nobody keeps what they change.
  func forget(_ sandbox: Sandbox) {
    if let port = sandbox.port { loop.close(port) }
    _ = sandboxes.remove(sandbox.name)
    if sandbox.network.keepsResponses {
      sandbox.network = NetworkSwitch()
      loop.releaseResponses(of: sandbox.name)
    }
    sandbox.ledger = nil
  }

  /// Does what is due about twice a second: sandboxes that nobody uses any more, rivals, data files that changed.
  ///
  /// - Parameter count: How many sandboxes to look after at most; the next call goes on with the others.
  /// - Returns: True when the round is done.
  @discardableResult
  func keepHouse(at tick: Tick, atMost count: Int = .max) -> Bool {
    if sandboxes.isRoundBeginning {
      ledger?.tryRepair()
      reloadWatchedData()
    }
    let now = realTime
    var offline: Set<String> = []
    for sandbox in sandboxes.nextOfRound(atMost: count) {
      if sandbox.isExpired(at: tick) {
        remove(sandbox, undo: .none)
        continue
      }
      guard sandbox.arming.armed.actsByItself || !sandbox.network.isOnline else { continue }
      settleNetwork(of: sandbox)
      sandbox.move(sandbox.arming.rivals(at: sandbox.now(at: now)), at: now)
      if sandbox.isOffline(at: now) { offline.insert(sandbox.name) }
      if let wait = sandbox.untilOutage(at: now) { untilOutageInRound = min(wait, untilOutageInRound ?? wait) }
    }
    if !offline.isEmpty { loop.resetConnections(of: offline) }
    guard sandboxes.isRoundBeginning else { return false }
    (untilOutage, untilOutageInRound) = (untilOutageInRound, nil)
    return true
  }

  /// Does what is due at the end of each turn of the loop.
  func endTurn() {
    log.flush()
    sandboxes.boundJournals(evicting: 2)
  }

  /// True while journals have to give up more than one turn's worth of what they keep.
  var isEvicting: Bool { sandboxes.isEvicting }
}

/// What answering needs of the event loop.
protocol Loop {
  /// Begins to listen, and gives the port.
  ///
  /// - Parameter port: 0 for a free one.
  func open(_ port: Int, for labels: Labels) throws(SystemError) -> Int
  func close(_ port: Int)
  /// Has connections to a port refused, and keeps the port.
  func suspend(_ port: Int)
  /// Listens at a suspended port again; at a port that listens it does nothing.
  func resume(_ port: Int) throws(SystemError)
  /// Sends the responses that a sandbox's network switch kept back, once the current turn has done its work.
  func releaseResponses(of sandbox: String)
  /// Ends the connections whose last exchange was with one of these sandboxes, by RST.
  func resetConnections(of sandboxes: Set<String>)
  /// True if works are done off the loop; else an exchange does its own at once.
  var hasWorkers: Bool { get }
  /// Has `work` done on another thread, and then what it returns on the loop's.
  ///
  /// - Parameter backend: The backend of this loop.
  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for backend: Backend)
  /// Frees a value on another thread: one of a million parts takes long.
  func discard(_ value: some Sendable)
  /// How many connections are open.
  var connectionCount: Int { get }
}

/// The end of work that was done off the loop, on the loop's thread.
typealias OnLoop = @Sendable (Backend) -> Void

/// A backend on its own has no ports to give and no connections to end.
struct NoLoop: Loop {
  func open(_ port: Int, for labels: Labels) throws(SystemError) -> Int { throw SystemError("no event loop") }
  func close(_ port: Int) {}
  func suspend(_ port: Int) {}
  func resume(_ port: Int) throws(SystemError) {}
  func releaseResponses(of sandbox: String) {}
  func resetConnections(of sandboxes: Set<String>) {}
  var hasWorkers: Bool { false }
  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for backend: Backend) { work()(backend) }
  func discard(_ value: some Sendable) {}
  var connectionCount: Int { 0 }
}
