extension MockServer {
  /// The options of a server.
  public struct Options: Sendable {
    /// The name or address to listen at. On anything but loopback an `adminToken` is demanded.
    public var host = "127.0.0.1"
    /// The port of the merged origin; 0 takes a free one.
    public var port = 0
    /// The first of five ports in a row, each of which serves one API at its `/`; 0 takes five free ones.
    public var apiPorts: Int?
    /// The faults: the name of a built-in scenario, or the path of a JSON file.
    public var scenario = "calm"
    /// The places of the scenario's rules that are to be kept, counted from 0; nil keeps all of them.
    package var keptRules: [Int]?
    /// The seed of every decision, at most 2^53 - 1 so that JSON carries it unharmed.
    public var seed: UInt64 = 1
    /// A directory whose `devices.json` and so on replace the built-in data.
    public var dataDirectory: String?
    /// True to read the data files again when they change.
    public var watchesData = false
    /// A directory in which every acknowledged write is kept, whatever ends the server.
    public var stateDirectory: String?
    /// The format of the request log on standard error.
    public var log = LogFormat.off
    /// The bearer token that the control API asks for.
    public var adminToken: String?

    var poller = PollerKind.preferred
    var timeouts = Timeouts()
    var clocks = Backend.Clocks.system

    public init() {}

    /// The shape of the request log.
    public enum LogFormat: String, Sendable, CaseIterable {
      /// One line a request, for people.
      case text
      /// One JSON object a line.
      case json
      case off
    }
  }
}

@available(*, deprecated, renamed: "MockServer.Options")
public typealias Options = MockServer.Options

/// The reason for which a server could not start, as a sentence that says what to do.
///
/// A sentence about an option begins with the option's name, as in `MockServer.Options`.
public enum StartError: Error, Sendable, CustomStringConvertible {
  /// Another process listens on the port.
  case portInUse(Int)
  /// A data file that cannot be used: which, where in it, and what was expected.
  case badData(String)
  /// A scenario that is not there or cannot be used: likewise.
  case badScenario(String)
  /// Options that do not go together.
  case badOptions(String)
  /// A state that was kept and cannot be used: which file, where in it, and what was expected.
  case badState(String)
  /// Another server keeps its state in the same directory.
  case stateInUse(String)
  /// The directory for the state cannot be made or written to.
  case cannotKeep(String)
  /// The system refused something.
  case system(String)

  public var description: String {
    switch self {
    case .portInUse(let port): "port \(port) is in use; choose another, or 0, which takes a free one"
    case .badData(let detail), .badScenario(let detail), .badOptions(let detail), .badState(let detail),
      .stateInUse(let detail), .cannotKeep(let detail), .system(let detail):
      detail
    }
  }
}
