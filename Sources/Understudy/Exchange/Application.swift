import Contract
import ControlAPI
import Faults
import HTTP1
import Platform
import Primitives
import Report
import Services

/// The request-answering part of a server, without sockets: routing, access, handlers, counters.
///
/// The event loop drives it; a simulation with its own network and clocks can drive it, too. One thread owns it.
final class Application {
  let router: RequestRouter
  /// The backend; nil if the five APIs are served.
  let upstream: Upstream?
  let state: ServerState
  var gate: AccessControl
  let control: ControlService
  let responder = Responder()
  let writer = MessageWriter()
  let requestLog: RequestLog
  var metrics = Metrics()
  /// The number of all connections so far.
  private(set) var connectionCount = 0
  /// The port of the merged origin.
  var port = 0
  /// The ports of the APIs' own origins, by the API's index in the catalogue.
  var apiPorts: [Int: Int] = [:]
  /// True if clients that disconnect from now on are being terminated by the run.
  var areClientsEnded = false
  /// True if all requests without a client's name are one client's.
  var areUnnamedClientsOne = false
  /// The bounds of this turn of the loop.
  var budget = TurnBudget()
  /// The exchanges whose clients have left while a question was open, by their ordinals.
  var unattended: [Int: UnattendedExchange] = [:]
  /// The number of received requests.
  var arrivalCount = 0
  /// The only paths of requests that scenarios strike; nil for all.
  var only: PathGlob?
  /// The layer of `explore` above all scenarios; nil if no exploration uses the server.
  var exploration: ExplorationLayer?
  /// The outcomes of the questions to the backend.
  var upstreamCounts = UpstreamCounts()
  /// The use of the file of semantics.
  var semanticsUse: SemanticsUse
  /// True if journals store the bodies of all responses, not only of those that a fault harmed.
  var journalsBodies = false
  /// The mask of credentials in the journals and in the log.
  var secrets = SecretMask.standard { didSet { requestLog.secrets = secrets } }

  /// Creates an application.
  ///
  /// - Parameter standard: The properties of the default sandbox, and the defaults of new ones.
  init(
    seeds: SeedData, standard: Sandbox.Configuration = Sandbox.Configuration(), isLoopback: Bool = true,
    token: String? = nil,
    clocks: Clocks = .system, requestLog: RequestLog = RequestLog(.off), watched: DataDirectory? = nil,
    upstream: Upstream? = nil
  ) {
    self.upstream = upstream
    router = RequestRouter(apis: API.all, control: .control, upstream: upstream)
    semanticsUse = SemanticsUse(upstream?.configuration.semantics ?? .none)
    control = ControlService(servesState: upstream == nil)
    gate = AccessControl(isLoopback: isLoopback, token: token)
    self.requestLog = requestLog
    var standard = standard
    standard.target = upstream.map { .upstream($0.configuration.semantics) } ?? .apis
    state = ServerState(
      seeds: seeds, standard: standard, clocks: clocks, watched: watched, notify: requestLog.notify)
    router.hasSandbox = { [unowned state] name in state.sandboxes[name] != nil }
  }

  var realTime: Instant { state.clocks.instant() }
  var tick: MonotonicInstant { state.clocks.tick() }
  var now: ClockReading { state.clocks.now }

  /// Sentences about the parts of the file of semantics that had no effect.
  var semanticsNotices: [String] { semanticsUse.notices(about: upstream?.configuration.semantics ?? .none) }

  /// The requests to which scenarios are to apply.
  var scenarioTarget: Scenarios.Target { state.standard.target }

  /// The limits of requests.
  var requestLimits: Limits {
    guard upstream != nil else { return .standard }
    // A backend may have methods of any length.
    var limits = Limits(method: Limits.standard.requestLine, body: .max)
    limits.acceptsUnencodedTargets = true
    limits.awaitedContent = Self.awaitedContent
    return limits
  }

  /// The bytes of content to a backend that are awaited before the plan, so that equal requests can be told from others.
  static let awaitedContent = 64 << 10

  /// Does the work that is due at the end of each turn of the loop.
  func endTurn() {
    requestLog.flush()
  }

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
    let port = exchange.link.port == Labels() && authority != nil ? authority?.port : port
    return exchange.request.scheme.rawValue + "://" + (isLabelled ? "localhost" : host) + (port.map { ":\($0)" } ?? "")
      + exchange.request.clientPrefix
  }

  /// Returns the number of the port with these labels.
  func portNumber(of labels: Labels) -> Int {
    labels.sandbox.flatMap { state.sandboxes[$0]?.identity.port } ?? labels.api.flatMap { apiPorts[$0] } ?? port
  }

  /// Returns true if connections at a port must be refused, because its sandbox is offline.
  func refuses(_ port: Labels) -> Bool {
    guard let name = port.sandbox, let sandbox = state.sandboxes[name] else { return false }
    state.updateNetwork(of: sandbox)
    let now = realTime
    guard sandbox.isOffline(at: now) else { return false }
    if sandbox.isScheduledOffline(at: now) { sandbox.recordRefusal() }
    metrics.refusedConnections += 1
    return true
  }
}
