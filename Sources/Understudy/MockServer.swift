import Contract

/// A running server. Any number of them can live in one process, each with a loop on a thread of its own.
public final class MockServer: Sendable {
  /// The port of the merged origin.
  public let port: Int
  /// The ports that serve one API each, by the API's name; empty unless they were asked for.
  public let apiPorts: [String: Int]
  /// The APIs' names, in the order of their ports.
  package static let apiNames = API.all.map(\.name)
  /// The merged origin, without a closing slash: `http://127.0.0.1:8080`.
  public let url: String
  private let jobs: JobQueue<EventLoop.Job>

  private init(_ ports: BoundPorts, host: String, jobs: JobQueue<EventLoop.Job>) {
    port = ports.port
    apiPorts = ports.apiPorts
    url = "http://\(host.contains(":") ? "[\(host)]" : host):\(ports.port)"
    self.jobs = jobs
  }

  /// Starts a server, and returns when it accepts connections.
  ///
  /// - Parameter options: How the server runs; by default on a free port of 127.0.0.1.
  /// - Throws: `StartError`, when the port is taken or an option cannot be used.
  public static func start(_ options: Options = Options()) async throws(StartError) -> MockServer {
    let options = withBareHost(options)
    guard isLoopback(options.host) || options.adminToken != nil else {
      throw StartError.badOptions(
        "host \(options.host) is no loopback address, so others might use the control API: set adminToken")
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
    let standard = Backend.Standard(
      scenario: try Scenarios.load(options.scenario, keeping: options.keptRules), seed: options.seed)
    let data = try DataDirectory.load(options.dataDirectory)
    let started: Result<MockServer, StartError> = await withCheckedContinuation { continuation in
      do {
        try LoopThread.start { run(options, standard, data) { continuation.resume(returning: $0) } }
      } catch {
        continuation.resume(returning: .failure(.system("\(error)")))
      }
    }
    return try started.get()
  }

  /// Ends the server: it takes no more connections, replies that are owed go out, and all ports are free again.
  public func stop() async {
    await withCheckedContinuation { continuation in
      let isRunning = jobs.post { loop in loop.stop { continuation.resume() } }
      if !isRunning { continuation.resume() }
    }
  }

  /// Returns the number of connections, for tests, which must not guess when one has ended.
  func connectionCount() async -> Int {
    await ask { $0.connections.count } ?? 0
  }

  /// The number of bytes that all connections hold for their peers.
  func heldOutput() async -> Int {
    await ask { $0.heldOutput } ?? 0
  }

  /// The most that any one connection holds until it is sent, in bytes.
  func longestOutput() async -> Int {
    await ask { loop in loop.connections.all.map { $0.connection.output.weight }.max() ?? 0 } ?? 0
  }

  /// Returns the answer of the loop's thread; nil if the loop has ended.
  func ask<Answer: Sendable>(_ question: @escaping @Sendable (EventLoop) -> Answer) async -> Answer? {
    await withCheckedContinuation { continuation in
      let isRunning = jobs.post { loop in continuation.resume(returning: question(loop)) }
      if !isRunning { continuation.resume(returning: nil) }
    }
  }

  /// Returns an answer of the loop's thread that takes more than one turn; nil if the loop has ended.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (EventLoop, @escaping @Sendable (Answer) -> Void) -> Void
  ) async -> Answer? {
    await withCheckedContinuation { continuation in
      let isRunning = jobs.post { loop in question(loop) { continuation.resume(returning: $0) } }
      if !isRunning { continuation.resume(returning: nil) }
    }
  }

  /// Runs a job on the loop's thread, if the loop still runs.
  func tell(_ letter: @escaping EventLoop.Job) { jobs.post(letter) }

  /// Begins what `stop()` does, and does not wait for its end.
  func beginStopping() { jobs.post { loop in loop.stop {} } }

  /// Beyond it a JSON number would lose digits in many a client.
  public static let maximumSeed: UInt64 = 9_007_199_254_740_991

  /// Returns the reason for which clients cannot send a token in a field; nil if they can (RFC 9110 section 5.5).
  private static func defect(ofToken token: String) -> String? {
    if token.isEmpty { return "is empty" }
    if token.hasPrefix(" ") || token.hasSuffix(" ") { return "begins or ends with a blank, so no client can send it" }
    let index = token.utf8.enumerated().first { $0.element < 0x20 || $0.element == 0x7F }?.offset
    return index.map { "holds a line break or another control character at byte \($0), so no client can send it" }
  }

  /// An IPv6 address may be given as URLs have it.
  private static func withBareHost(_ options: Options) -> Options {
    guard options.host.hasPrefix("["), options.host.hasSuffix("]") else { return options }
    var bare = options
    bare.host = String(options.host.dropFirst().dropLast())
    return bare
  }

  private static func isLoopback(_ host: String) -> Bool {
    HostField((host.contains(":") ? "[\(host)]" : host).utf8).isLoopback
  }
}

extension MockServer {
  private struct BoundPorts {
    let port: Int
    let apiPorts: [String: Int]
  }

  /// The whole life of a server, on the loop's thread.
  private static func run(
    _ options: Options, _ standard: Backend.Standard, _ data: DataDirectory,
    _ report: (Result<MockServer, StartError>) -> Void
  ) {
    let loop: EventLoop
    do {
      let disk = try options.stateDirectory.map { path throws(StartError) in try KernelDisk(path) }
      let backend = Backend(
        seeds: data.seeds, standard: standard, isLoopback: isLoopback(options.host), token: options.adminToken,
        clocks: options.clocks, log: RequestLog(options.log), watched: options.watchesData ? data : nil)
      if let disk { try backend.openState(on: disk) }
      loop = EventLoop(
        poller: try options.poller.make(), jobs: try JobQueue(), backend: backend, timeouts: options.timeouts)
      DescriptorTable.grow(with: loop.jobs.descriptor)
      backend.loop = LoopHandle(loop: loop, host: options.host)
      let ports = try openPorts(of: loop, options)
      backend.port = ports.port
      for (index, api) in API.all.enumerated() { backend.apiPorts[index] = ports.apiPorts[api.name] }
      backend.reopenPorts()
      report(.success(MockServer(ports, host: options.host, jobs: loop.jobs)))
    } catch let error as StartError {
      return report(.failure(error))
    } catch {
      return report(.failure(.system("\(error)")))
    }
    loop.run()
    loop.backend.confirmState()
  }

  private static func openPorts(of loop: EventLoop, _ options: Options) throws -> BoundPorts {
    let port = try open(options.port, Labels(), loop, options)
    var apiPorts: [String: Int] = [:]
    if let first = options.apiPorts {
      for (index, api) in API.all.enumerated() {
        apiPorts[api.name] = try open(first == 0 ? 0 : first + index, Labels(api: index), loop, options)
      }
    }
    return BoundPorts(port: port, apiPorts: apiPorts)
  }

  private static func open(_ port: Int, _ labels: Labels, _ loop: EventLoop, _ options: Options) throws -> Int {
    do {
      return try loop.open(port, at: options.host, for: labels)
    } catch {
      throw error.isAddressInUse
        ? StartError.portInUse(port) : StartError.system("cannot listen at \(options.host):\(port): \(error)")
    }
  }
}

extension MockServer {
  /// The origin of another of this server's ports.
  public func url(of port: Int) -> String {
    String(url.prefix(through: url.lastIndex(of: ":") ?? url.startIndex)) + "\(port)"
  }

  /// The OpenAPI 3.1 document of everything that is served, as YAML.
  public static let openAPI = Document().yaml
}

/// Small text files that a program leaves for others.
package enum TextFile {
  /// Writes a file so that who reads it finds it whole or not at all.
  package static func write(_ text: String, to path: String) throws {
    try File.writeAtomically(Array(text.utf8), to: path)
  }

  /// Returns the bytes of a file.
  package static func read(_ path: String) throws -> [UInt8] { try File.read(path) }

  /// Throws what `write` would throw, as far as that can be known before there is anything to write.
  package static func checkPlace(_ path: String) throws { try File.checkPlace(path) }
}
