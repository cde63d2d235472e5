import Contract
import ControlAPI
import Faults
import Platform
import Services

/// A running server. A process can run any number of servers; each has its own thread.
public final class MockServer: Sendable {
  /// The port of the merged origin.
  public let port: Int
  /// The port of the control API for browsers, which only a server in front of a backend has.
  public let controlPort: Int?
  /// The port of each API, by the name of the API; empty unless ``Options/apiPorts`` was set.
  public let apiPorts: [String: Int]
  /// The names of the APIs, in the order of their ports.
  package static let apiNames = API.all.map(\.name)
  /// The merged origin, without a trailing slash: `http://127.0.0.1:8080`.
  public let url: String
  /// The origin of the control API for browsers, without a trailing slash.
  public var controlURL: String { controlPort.map { url(of: $0) } ?? url }
  let jobs: JobQueue<EventLoop.PostedCall>

  private init(_ ports: BoundPorts, host: String?, jobs: JobQueue<EventLoop.PostedCall>) {
    port = ports.port
    controlPort = ports.controlPort
    apiPorts = ports.apiPorts
    let host = host ?? "127.0.0.1"
    url = "http://\(host.contains(":") ? "[\(host)]" : host):\(ports.port)"
    self.jobs = jobs
  }

  /// Starts a server, and returns when it accepts connections.
  ///
  /// - Parameter options: The options of the server; by default it listens on a free port of both loopback addresses.
  /// - Throws: ``StartError`` if the port is in use, or if an option or a file is invalid.
  public static func start(_ options: Options = Options()) async throws(StartError) -> MockServer {
    let options = withBareHost(options)
    if let host = options.host, !isLoopback(host), options.adminToken == nil {
      guard !SocketAddress.resolve(host, port: 0).isEmpty else {
        throw StartError.badOptions("host \(host): there is no such host")
      }
      throw StartError.badOptions(
        "host \(host) is not a loopback address, so other machines could use the control API: set adminToken")
    }
    guard (0...65_535).contains(options.port), (0...65_536 - API.all.count).contains(options.apiPorts ?? 0) else {
      throw StartError.badOptions(
        "a port is from 0 to 65535, and the first of \(API.all.count) in a row at most \(65_536 - API.all.count)")
    }
    if let defect = options.adminToken.flatMap(defect(ofToken:)) {
      throw StartError.badOptions("adminToken \(defect)")
    }
    guard options.seed <= maximumSeed else {
      throw StartError.badOptions("seed \(options.seed): at most \(maximumSeed)")
    }
    let upstream = try options.reachableUpstream().map { ($0, UpstreamResolver($0.address)) }
    let standard = ServerState.Standard(
      scenario: try Scenarios.load(options.scenario, keeping: options.keptRules, for: options.scenarioTarget()),
      seed: options.seed)
    let data = try DataDirectory.load(options.dataDirectory)
    // Passed on under a lock: if a continuation is resumed before it is awaited, the runtime orders the two by an atomic that the
    // thread sanitizer does not see.
    let started = Locked<Result<MockServer, StartError>>(.failure(.system("the server's thread did not start")))
    await withCheckedContinuation { continuation in
      do {
        try LoopThread.start {
          run(options, standard, data, upstream) { result in
            started.withLock { $0 = result }
            continuation.resume()
          }
        }
      } catch {
        started.withLock { $0 = .failure(.system("\(error)")) }
        continuation.resume()
      }
    }
    return try started.withLock { $0 }.get()
  }

  /// Stops the server: it accepts no more connections, sends the pending responses, closes its ports, and releases its state
  /// directory. Does nothing if the server has stopped already, or is about to.
  public func stop() async { _ = await stop { _ in true } }

  /// Stops the server, and returns the result of a function of its state; nil if it has stopped already.
  func stop<Answer: Sendable>(_ question: @escaping @Sendable (Application) -> Answer) async -> Answer? {
    await withCheckedContinuation { continuation in
      let isRunning = jobs.post { loop in loop.stop { continuation.resume(returning: question($0)) } }
      if !isRunning { continuation.resume(returning: nil) }
    }
  }

  /// Returns the result of a function that runs on the loop's thread; nil if the loop has ended.
  func ask<Answer: Sendable>(_ question: @escaping @Sendable (inout EventLoop) -> Answer) async -> Answer? {
    await withCheckedContinuation { continuation in
      let isRunning = jobs.post { loop in continuation.resume(returning: question(&loop)) }
      if !isRunning { continuation.resume(returning: nil) }
    }
  }

  /// Returns the result of a function that may take several turns of the loop; nil if the loop has ended.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (inout EventLoop, @escaping @Sendable (Answer) -> Void) -> Void
  ) async -> Answer? {
    await withCheckedContinuation { continuation in
      let isRunning = jobs.post { loop in question(&loop) { continuation.resume(returning: $0) } }
      if !isRunning { continuation.resume(returning: nil) }
    }
  }

  /// The maximum seed, 2^53 − 1: many JSON parsers read a larger number inexactly (RFC 8259 section 6).
  public static let maximumSeed: UInt64 = 9_007_199_254_740_991

  /// Returns the reason why a token cannot be sent in a header field; nil if it can (RFC 9110 section 5.5).
  private static func defect(ofToken token: String) -> String? {
    if token.isEmpty { return "is empty" }
    if token.hasPrefix(" ") || token.hasSuffix(" ") { return "begins or ends with a blank, so no client can send it" }
    let index = token.utf8.enumerated().first { $0.element < 0x20 || $0.element == 0x7F }?.offset
    return index.map { "holds a line break or another control character at byte \($0), so no client can send it" }
  }

  /// Returns the options without the brackets around an IPv6 address, which URLs require.
  private static func withBareHost(_ options: Options) -> Options {
    guard let host = options.host, host.hasPrefix("["), host.hasSuffix("]") else { return options }
    var bare = options
    bare.host = String(host.dropFirst().dropLast())
    return bare
  }

  static func isLoopback(_ host: String) -> Bool {
    HostField((host.contains(":") ? "[\(host)]" : host).utf8).isLoopback
  }
}

extension MockServer {
  private struct BoundPorts {
    let port: Int
    let controlPort: Int?
    let apiPorts: [String: Int]
  }

  /// Runs a server on the current thread until it is stopped.
  private static func run(
    _ options: Options, _ standard: ServerState.Standard, _ data: DataDirectory,
    _ upstream: (Upstream.Configuration, UpstreamResolver)?,
    _ report: (Result<MockServer, StartError>) -> Void
  ) {
    var disk: KernelDisk?
    do {
      disk = try options.stateDirectory.map { path throws(StartError) in try KernelDisk(path) }
      let application = Application(
        seeds: data.seeds, standard: standard, isLoopback: options.host.map(isLoopback) ?? true,
        token: options.adminToken,
        clocks: options.clocks, requestLog: RequestLog(options.log, masking: options.adminToken),
        watched: options.watchesData ? data : nil,
        upstream: upstream.map { Upstream($0, asking: UpstreamConnections($0, $1, clock: options.clocks.tick)) })
      // A server that cannot start has perhaps said more than its error does.
      defer { application.requestLog.finish() }
      application.journalsBodies = options.journalsBodies
      (application.only, application.exploration) = (options.only, options.exploration)
      application.secrets = SecretMask(isOn: !options.journalsSecrets, sparing: upstream?.0.semantics ?? .none)
      application.areUnnamedClientsOne = options.areUnnamedClientsOne
      application.state.keepsFinalCards = options.keepsFinalCards
      if let disk { try application.state.openState(on: disk) }
      var loop = EventLoop(
        poller: try options.poller.make(), jobs: try JobQueue(), application: application, host: options.host,
        timeouts: options.timeouts)
      // The program has done so; a test's process has not.
      ProcessResources.growDescriptorTable(with: loop.jobs.descriptor)
      let ports = try openPorts(of: loop.services, options)
      if let (configuration, resolver) = upstream {
        for port in [ports.port, ports.controlPort].compactMap(\.self) {
          try configuration.refuseOwnAddress(resolver.addresses(), port: port, host: options.host)
        }
      }
      application.port = ports.port
      application.gate.controlPort = ports.controlPort.map {
        AccessControl.ControlPort(
          number: $0, isOnly: options.controlPort != nil, allowedOrigin: options.controlOrigin)
      }
      for (index, api) in API.all.enumerated() { application.apiPorts[index] = ports.apiPorts[api.name] }
      application.state.reopenPorts()
      report(.success(MockServer(ports, host: options.host, jobs: loop.jobs)))
      let whenStopped = loop.run()
      disk?.release()
      for call in whenStopped { call(application) }
    } catch {
      disk?.release()
      report(.failure(error as? StartError ?? .system("\(error)")))
    }
  }

  private static func openPorts(of loop: LoopServices, _ options: Options) throws -> BoundPorts {
    let port = try open(options.port, Labels(), loop, options)
    var apiPorts: [String: Int] = [:]
    if let first = options.apiPorts {
      for (index, api) in API.all.enumerated() {
        apiPorts[api.name] = try open(first == 0 ? 0 : first + index, Labels(api: index), loop, options)
      }
    }
    var control = Labels()
    control.isControl = true
    let controlPort = options.upstream == nil ? nil : try open(options.controlPort ?? 0, control, loop, options)
    return BoundPorts(port: port, controlPort: controlPort, apiPorts: apiPorts)
  }

  private static func open(_ port: Int, _ labels: Labels, _ loop: LoopServices, _ options: Options) throws -> Int {
    do {
      return try loop.open(port, for: labels, keepsReserve: false)
    } catch {
      throw error.isAddressInUse
        ? StartError.portInUse(port)
        : StartError.system("cannot listen at \(options.host ?? "127.0.0.1"):\(port): \(error)")
    }
  }
}

extension MockServer {
  /// Returns the origin of one of this server's ports: `http://127.0.0.1:9000`.
  public func url(of port: Int) -> String {
    String(url.prefix(through: url.lastIndex(of: ":") ?? url.startIndex)) + "\(port)"
  }

  /// The OpenAPI 3.1 document of all operations, as YAML.
  public static let openAPI = Document().yaml
}
