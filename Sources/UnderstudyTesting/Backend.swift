public import Foundation
import HTTP1
import JSON
public import Understudy

/// An isolated backend for one test: a sandbox with all APIs and its own data, faults, clock and journal.
///
/// The type is the same for a server in this process and for one at a URL, for example from a UI test.
///
/// ```swift
/// @Test(.understudy(.lostAck, seed: 7)) func aLostResponseLosesNoInstallation() async throws {
///   let backend = try Backend.current
///   let client = MyClient(backend.url(of: .devices))
///   …
///   let sent = try await backend.next(.patch, "/devices/*", within: .seconds(5))
/// }
/// ```
public struct Backend: Sendable {
  /// The sandbox's name on its server.
  public let name: String
  /// The address at which all APIs are served, for an app's base URL: `http://127.0.0.1:8080/@sandbox-1`.
  public let url: URL
  /// The base URL of each API alone.
  public let urls: [API: URL]
  let client: ControlClient
  /// A client of the server's control API, which can delete the sandbox.
  private let server: ControlClient
  let inbox = Inbox()

  /// The server on which a sandbox is created.
  public enum Server: Sendable {
    /// The server at `UNDERSTUDY_URL`, which `understudy run` sets; without that variable, a server in this process
    /// that all its tests share.
    case shared
    /// A server in this process that all its tests share, even if `UNDERSTUDY_URL` is set.
    case inProcess
    /// A server in this process that stands in front of another backend, and that all tests with this URL share:
    /// `http://localhost:3000`. All its sandboxes share the backend's data. The file of semantics, if there is one,
    /// declares what requests mean.
    case inFrontOf(URL, semantics: URL? = nil)
    /// A server at a URL, and the token of its control API if it requires one.
    case at(URL, token: String? = nil)
    /// A server that the caller started in this process.
    case running(MockServer)
  }

  /// Creates a sandbox on a server.
  ///
  /// - Parameters:
  ///   - scenario: The faults; the default is the server's scenario, which is `.calm` for a server in this process.
  ///   - seed: The seed of every decision, at most 2^53 − 1; the default is `UNDERSTUDY_SEED` if it is set, or else the
  ///     server's seed.
  ///   - name: A DNS label of at most 63 characters; the default is a generated name.
  ///   - data: A JSON merge patch (RFC 7396) on the sandbox's initial data: `{"activities": []}`.
  ///   - hasOwnPort: True to serve the sandbox on its own port, so that an outage can refuse connections.
  ///   - server: The server on which the sandbox is created.
  public static func start(
    _ scenario: Scenario? = nil, seed: UInt64? = nil, named name: String? = nil, data: Data? = nil,
    ownPort hasOwnPort: Bool = false, on server: Server = .shared
  ) async throws(BackendError) -> Backend {
    let client = try await server.client()
    var order = JSONValue.Object([])
    order["name"] = name.map(JSONValue.string)
    order["scenario"] = try scenario?.json()
    if let seed = seed ?? Environment.seed {
      guard let value = Int(exactly: seed) else { throw .unusable("The seed \(seed) is too large.") }
      order["seed"] = .int(value)
    }
    order["data"] = try data.map { data throws(BackendError) in try JSONValue(argument: Array(data), "data") }
    if hasOwnPort { order["port"] = 0 }
    let made = try await client.send(.post, "/_mock/sandboxes", .object(order))
    // The control client does not use the sandbox's own port, which may refuse connections.
    return try Backend(described: made, on: client) { $0.sandbox($1) }
  }

  /// Returns an existing sandbox by its URL, for example one that another process created.
  ///
  /// - Parameters:
  ///   - url: A URL with the sandbox's name, like ``url``; the URL of a server selects its sandbox `default`.
  ///   - token: The token of the control API, if the server requires one.
  public static func attach(to url: URL, token: String? = nil) async throws(BackendError) -> Backend {
    let base = try BaseURL(of: url)
    let client = ControlClient(base: base, token: token ?? Environment.token)
    let labels = base.path.split(separator: "/").filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
    let listed = try JSONValue(response: try await client.send(.get, "/_mock/sandboxes"))["sandboxes"]?.array ?? []
    let found = listed.first { sandbox in
      guard let name = sandbox["name"]?.string else { return false }
      return labels.contains(name) || sandbox["port"]?.int == base.port
    }
    guard let sandbox = found ?? (labels.isEmpty ? listed.first : nil) else {
      throw .unusable("No sandbox is served at \(url.absoluteString); it may have been deleted.")
    }
    return try Backend(described: sandbox.bytes(), on: client) { base, name in
      labels.contains(name) ? base.sandbox(name) : base
    }
  }

  /// The backend of the test that is running.
  ///
  /// - Throws: `BackendError.noTrait` outside a test with the trait `.understudy`.
  public static var current: Backend {
    get throws(BackendError) {
      guard let backend = running else { throw .noTrait }
      return backend
    }
  }

  @TaskLocal static var running: Backend?

  /// - Parameter control: Returns the base URL of the sandbox's control API. It gets the server's and the sandbox's name.
  private init(
    described bytes: [UInt8], on server: ControlClient, control: (BaseURL, String) -> BaseURL
  ) throws(BackendError) {
    let description = try JSONValue(response: bytes)
    guard let name = description["name"]?.string, let url = description["url"]?.string.flatMap(URL.init(string:)) else {
      throw .unusable(
        "The server's description of the sandbox has no name or url; it may not be an Understudy "
          + "server.")
    }
    self.name = name
    self.url = url
    let members = description["urls"]?.object?.members ?? []
    urls = Dictionary(
      members.compactMap { member in
        member.value.string.flatMap(URL.init(string:)).map { (API(rawValue: member.name), $0) }
      }, uniquingKeysWith: { first, _ in first })
    self.server = server
    client = ControlClient(base: control(server.base, name), token: server.token)
  }

  /// Returns the base URL of one API. Only there is Booking's `/rooms` served, because House has the same path.
  public func url(of api: API) -> URL { urls[api] ?? url.appendingPathComponent("@" + api.rawValue) }

  /// Variables for an app under test: `UNDERSTUDY_URL`, and for each API its base URL, as in `UNDERSTUDY_DEVICES_URL`.
  ///
  /// ```swift
  /// app.launchEnvironment.merge(backend.launchEnvironment()) { $1 }
  /// ```
  ///
  /// - Parameter names: Additional variables, by name, and the API whose base URL each gets.
  public func launchEnvironment(naming names: [String: API] = [:]) -> [String: String] {
    var variables = ["UNDERSTUDY_URL": url.absoluteString]
    for (api, url) in urls { variables["UNDERSTUDY_\(api.rawValue.uppercased())_URL"] = url.absoluteString }
    for (name, api) in names { variables[name] = url(of: api).absoluteString }
    return variables
  }

  /// Resets data, counters, clock and journal to their initial state.
  public func reset() async throws(BackendError) { try await client.send(.post, "/_mock/reset") }

  /// Deletes the sandbox and its data.
  public func delete() async throws(BackendError) { try await server.send(.delete, "/_mock/sandboxes/" + name) }
}

extension Backend.Server {
  fileprivate func client() async throws(BackendError) -> ControlClient {
    switch self {
    case .shared:
      if let url = Environment.url { return ControlClient(base: try BaseURL(of: url), token: Environment.token) }
      return try await Self.client(of: SharedServer.running())
    case .inProcess: return try await Self.client(of: SharedServer.running())
    case .inFrontOf(let url, let semantics):
      return try await Self.client(of: SharedServer.running(inFrontOf: url, semantics))
    case .at(let url, let token): return ControlClient(base: try BaseURL(of: url), token: token ?? Environment.token)
    case .running(let server): return try Self.client(of: server)
    }
  }

  private static func client(of server: MockServer) throws(BackendError) -> ControlClient {
    guard let url = URL(string: server.url) else { throw .unusable("The server's address is \(server.url).") }
    return ControlClient(base: try BaseURL(of: url), token: nil)
  }
}

/// The server that all tests of a process share. It ends with the process.
private enum SharedServer {
  /// The servers, by their backends; one without a backend serves the APIs.
  private static let servers = Servers()

  private actor Servers {
    private struct Upstream: Hashable {
      let url: String?
      let semanticsFile: String?
    }

    private var starting: [Upstream: Task<MockServer, any Error>] = [:]

    func server(inFrontOf url: URL?, _ semantics: URL?) -> Task<MockServer, any Error> {
      let upstream = Upstream(url: url?.absoluteString, semanticsFile: semantics?.path)
      if let task = starting[upstream] { return task }
      let task = Task {
        var options = MockServer.Options()
        // Only the test that sent the requests reads this journal.
        options.journalsSecrets = true
        options.timeouts = .patient
        options.upstream = upstream.url
        options.semanticsFile = upstream.semanticsFile
        return try await MockServer.start(options)
      }
      starting[upstream] = task
      return task
    }
  }

  static func running(inFrontOf url: URL? = nil, _ semantics: URL? = nil) async throws(BackendError) -> MockServer {
    switch await servers.server(inFrontOf: url, semantics).result {
    case .success(let server): return server
    case .failure(let error): throw .notStarted(error as? StartError ?? .system("\(error)"))
    }
  }
}

/// The variables that `understudy run` sets. `xcodebuild` passes them to tests if they have the prefix `TEST_RUNNER_`,
/// which it removes.
enum Environment {
  /// The origin of the control API. In front of a backend it may have a port of its own.
  static var url: URL? {
    (variable("UNDERSTUDY_CONTROL_URL") ?? variable("UNDERSTUDY_URL")).flatMap(URL.init(string:))
  }
  static var token: String? { variable("UNDERSTUDY_ADMIN_TOKEN") }
  static var seed: UInt64? { variable("UNDERSTUDY_SEED").flatMap(UInt64.init) }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension JSONValue {
  /// Parses a server's response.
  init(response bytes: [UInt8]) throws(BackendError) {
    do throws(JSONSyntaxError) {
      try self.init(parsing: bytes)
    } catch {
      throw .unusable("The server's response is not JSON: at byte \(error.offset): \(error.detail)")
    }
  }

  /// Parses a caller's argument.
  init(argument bytes: [UInt8], _ name: String) throws(BackendError) {
    do throws(JSONSyntaxError) {
      try self.init(parsing: bytes)
    } catch {
      throw .unusable("The \(name) is not JSON: at byte \(error.offset): \(error.detail)")
    }
  }
}
