package import Faults
package import HTTP1

extension MockServer {
  /// The options of a server.
  public struct Options: Sendable {
    /// The host name or IP address on which the server listens. Any other than a loopback address requires an `adminToken`.
    /// Nil listens on 127.0.0.1 and, if the machine has it, on ::1, at the same port.
    public var host: String?
    /// The TCP port of the merged origin; 0 selects a free port.
    public var port = 0
    /// The first of five consecutive ports, each of which serves one API at `/`; 0 selects five free ports, and nil opens
    /// none.
    public var apiPorts: Int?
    /// The name of a built-in scenario, or the path of a scenario file.
    public var scenario = "calm"
    /// The indices of the scenario's rules to use, counted from 0; nil uses all rules.
    package var keptRules: [Int]?
    /// The seed of all random decisions, at most ``MockServer/maximumSeed``.
    public var seed: UInt64 = 1
    /// The path of a directory with data files, such as `devices.json`, that replace the built-in data; nil uses the built-in
    /// data only.
    public var dataDirectory: String?
    /// True if the server reloads the data files when they change.
    public var watchesData = false
    /// The path of the directory in which acknowledged writes are persisted; nil stores the state in memory only.
    public var stateDirectory: String?
    /// True if the journal stores the bodies of all responses, up to 4 KiB each, instead of those alone that a fault harmed.
    public var journalsBodies = false
    /// True if the journal and the log store credentials as they came, instead of a keyed hash of each.
    public var journalsSecrets = false
    /// True if all requests without `Understudy-Client` are one client's, whatever their addresses and connections.
    public var areUnnamedClientsOne = false
    /// The format of the request log, which is written to standard error.
    public var log = LogFormat.off
    /// The bearer token (RFC 6750) that requests to the control API must send; nil requires none.
    public var adminToken: String?

    /// True if the last report cards of deleted and reset sandboxes are kept, for the report of a run.
    package var keepsFinalCards = true

    /// The only paths of requests that scenarios strike; nil for all.
    package var only: PathGlob?
    /// The layer of `explore` above all scenarios; nil if the server is not explored.
    package var exploration: ExplorationLayer?

    /// The URL of a backend to stand in front of, in place of the five APIs: `http://host[:port][/base]`. Its answers pass through
    /// the same faults, journal and report.
    public var upstream: String?
    /// The value of `Host` in requests to the upstream, such as `api.example`; with a scheme, as in `https://api.example`, it
    /// also says how the upstream is reached behind a TLS terminator. `client` passes the client's own on. Nil does so if the
    /// upstream is on a loopback address, and else uses the URL's.
    public var upstreamHost: String?
    /// The hosts by which clients may ask for the upstream, besides its own and those of loopback: names, in which `*` is any
    /// text. They have a meaning only if the server listens on a loopback address.
    public var allowedHosts: [String] = []
    /// The path of a file that declares the meaning of requests to the upstream; nil uses what RFC 9110 says of their methods.
    public var semanticsFile: String?
    /// The time for the head of an upstream's answer; then, while a fault holds the content, between its bytes.
    public var upstreamTimeout = Duration.seconds(30)
    /// The maximum number of bytes of an answer that is held for a fault.
    public var maximumBody = 16 << 20

    /// The port of the dashboard and the control API in front of an upstream. If it is set, the traffic's port serves no more
    /// of the control API than `/_mock/health`. Nil opens a free port, and programs may use both. Pages of the upstream may
    /// use neither.
    public var controlPort: Int?
    /// The origin whose pages may use the control port besides its own: `http://localhost:5173`.
    public var controlOrigin: String?

    /// The API's name by which scenarios know the upstream, and on which their decisions depend.
    var upstreamName = "upstream"
    package var poller = PollerKind.preferred
    package var timeouts = Timeouts()
    var clocks = Clocks.system

    /// Creates the default options: a free port of both loopback addresses, the scenario `calm` and the built-in data.
    public init() {}

    /// A format of the request log.
    public enum LogFormat: String, Sendable, CaseIterable {
      /// One line of text per request.
      case text
      /// One JSON object per line and request.
      case json
      /// No log.
      case off
    }
  }
}

/// The reason why a server could not start.
///
/// The description is a sentence for people. If it is about an option, it begins with the name of the option in
/// ``MockServer/Options``.
public enum StartError: Error, Sendable, CustomStringConvertible {
  /// Another process listens on the port.
  case portInUse(Int)
  /// A data file is invalid. The text has the path, the position in the file and the expected value.
  case badData(String)
  /// A scenario does not exist or is invalid. The text has its name or path, the position and the expected value.
  case badScenario(String)
  /// The value of an option is invalid, or two options contradict each other.
  case badOptions(String)
  /// A file in the state directory is invalid. The text has the path, the position in the file and the expected value.
  case badState(String)
  /// Another server uses the same state directory.
  case stateInUse(String)
  /// The state directory cannot be created, or is not writable.
  case cannotKeep(String)
  /// A system call failed.
  case system(String)

  public var description: String {
    switch self {
    case .portInUse(let port): "port \(port) is in use; choose another port, or 0 for a free one"
    case .badData(let detail), .badScenario(let detail), .badOptions(let detail), .badState(let detail),
      .stateInUse(let detail), .cannotKeep(let detail), .system(let detail):
      detail
    }
  }
}
