import Exploration
import Faults
import HTTP1
import Primitives
import Report
import Understudy

/// One option of the command line: its syntax, and its effect on the settings.
struct Flag: Sendable {
  let name: String
  /// The placeholder of its value in the help; nil for a flag without a value.
  let value: String?
  /// The possible values for completions, as far as they can be listed.
  let choices: @Sendable () -> [String]
  /// The environment variable that is read if the flag is not given.
  let variable: String?
  /// True if it may be given several times, each time with one more value.
  let isRepeatable: Bool
  let help: String
  let apply: @Sendable (inout Settings, String) throws(UsageError) -> Void

  init(
    _ name: String, taking value: String? = nil,
    among choices: @autoclosure @escaping @Sendable () -> [String] = [], variable: String? = nil,
    isRepeatable: Bool = false, _ help: String,
    _ apply: @escaping @Sendable (inout Settings, String) throws(UsageError) -> Void
  ) {
    self.name = name
    self.value = value
    self.choices = choices
    self.variable = variable
    self.isRepeatable = isRepeatable
    self.help = help
    self.apply = apply
  }
}

/// The parsed settings of a command line.
struct Settings: Sendable {
  var options = MockServer.Options()
  var portFile: String?
  /// True if the admin token was generated, so that it must be printed.
  var makesToken = false
  var method = "GET"
  var path = "/devices"
  var operation: String?
  var count = 20
  /// The options as given, for the command line that repeats a run.
  var spelled: [(name: String, value: String?)] = []
  /// The environment variables from which values were taken, by the names of their options.
  var variables: [String: String] = [:]
  /// The command of `run`, with its arguments.
  var command: [String] = []
  /// The file of `--report`, and the format that its ending chooses.
  var report: (path: String, format: ReportCard.Format)?
  var junitFile: String?
  /// The trace from which `scenario` makes a scenario.
  var traceFile: String?
  /// True if `scenario` plans each request as it was recorded (`--exact`).
  var isExact = false
  /// True if `report` was given `--merge`.
  var merges = false
  /// The server whose cards `report` gets (`--from`).
  var reportURL: BaseURL?
  /// True if that server's run goes on (`--interim`).
  var isInterim = false
  /// The files that `check` checks.
  var checkedFiles: [String] = []
  /// The files that `report` reads.
  var cardFiles: [String] = []
  /// The servers that `conform` checks; there is at most one.
  var urls: [String] = []
  /// The names of `--only`; empty for all checks.
  var onlyChecks: [String] = []
  var listsChecks = false
  var isLong = false
  var allowsWrites = false
  var patience = Duration.seconds(10)
  var failOn = ReportCard.Threshold.fail
  var sweep: ClosedRange<UInt64>?
  /// True if a run in which no rule applied fails (`--fail-on idle`).
  var failsOnIdle = false
  var shrinks = false
  /// The file that receives the smallest scenario; nil for standard output.
  var shrinkFile: String?
  /// The time limit in seconds.
  var timeLimit: Int?
  /// The cells that `explore` runs.
  var exploration = Explorer.Options()
  /// The shell command that `explore` runs before each run.
  var resetCommand: String?
  /// The report whose failing cells do not count.
  var knownFile: String?
  /// The directory that receives the scenarios of failing cells.
  var saveDirectory: String?
}

/// An error in a command line: one sentence that names the wrong word.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}

extension Flag {
  /// The options of `serve`, in the order of the help.
  private static let general: [Flag] = [
    Flag("--host", taking: "HOST", variable: "UNDERSTUDY_HOST", "listen on this host or address (127.0.0.1 and ::1)") {
      settings, value in
      settings.options.host = value
    },
    Flag("--port", taking: "N", variable: "PORT", "listen on this port (8080); 0 selects a free one") {
      settings, value throws(UsageError) in
      settings.options.port = try port(value, of: "--port")
    },
    Flag("--api-ports", taking: "N", "also serve each API on its own port, N to N+4; 0 selects free ones") {
      settings, value throws(UsageError) in
      let first = try port(value, of: "--api-ports")
      guard first <= 65_531 else {
        throw UsageError("--api-ports \(value): the fifth port would be greater than 65535")
      }
      settings.options.apiPorts = first
    },
    scenario, seed, only,
    Flag("--data", taking: "DIR", "replace the built-in data by DIR/devices.json and so on") { settings, value in
      settings.options.dataDirectory = value
    },
    Flag("--watch", "read the data files again when they change") { settings, _ in
      settings.options.watchesData = true
    },
    Flag("--state", taking: "DIR", "store every sandbox in DIR, so that it survives a crash") {
      settings, value in
      settings.options.stateDirectory = value
    },
    Flag("--port-file", taking: "FILE", "write the port into FILE when ready") { settings, value in
      settings.portFile = value
    },
    Flag(
      "--journal-secrets", "store credentials as they came, not as hashes"
    ) { settings, _ in settings.options.journalsSecrets = true },
    Flag(
      "--journal-bodies", "store the first 4 KiB of responses, except pictures and streams"
    ) { settings, _ in
      settings.options.journalsBodies = true
    },
    Flag(
      "--log", taking: "FORMAT", among: MockServer.Options.LogFormat.allCases.map(\.rawValue),
      "log each request on stderr: text, json or off (off)"
    ) {
      settings, value throws(UsageError) in
      guard let format = MockServer.Options.LogFormat(rawValue: value) else {
        throw UsageError("--log \(value): expected text, json or off")
      }
      settings.options.log = format
    },
    token,
  ]

  static let serving = general + upstream

  static let only = Flag("--only", taking: "GLOB", "strike only requests whose path matches, as in '/api/**' (all)") {
    settings, value throws(UsageError) in
    guard let glob = PathGlob(value) else {
      throw UsageError("--only \(value): expected a path that starts with /, with * and **, as in '/api/**'")
    }
    settings.options.only = glob
  }

  static let token = Flag(
    "--admin-token", taking: "TOKEN", among: [randomToken], variable: "UNDERSTUDY_ADMIN_TOKEN",
    "the token of /_mock; required outside loopback"
  ) { settings, value in
    settings.makesToken = value == randomToken
    settings.options.adminToken = settings.makesToken ? RandomToken.make() : value
  }

  /// The value of `--admin-token` that requests a generated token.
  static let randomToken = "random"

  private static let upstreamURL = backendURL("stand in front of the backend at http://host[:port][/base]")

  /// Returns the option of a backend's URL.
  ///
  /// - Parameter help: The effect on the command.
  static func backendURL(_ help: String) -> Flag {
    Flag("--upstream", taking: "URL", help) { settings, value in settings.options.upstream = value }
  }

  static let semantics = Flag(
    "--semantics", taking: "FILE", "what requests to the backend mean (by method, as RFC 9110 says)"
  ) { settings, value in
    settings.options.semanticsFile = value
  }

  /// The options of a backend in front of which the server stands.
  private static let upstream: [Flag] = [
    upstreamURL,
    Flag(
      "--upstream-host", taking: "HOST", among: ["client"],
      "the Host field for the backend, or client (client on loopback)"
    ) { settings, value in
      settings.options.upstreamHost = value
    },
    Flag(
      "--allow-host", taking: "GLOB", isRepeatable: true, "allow a Host besides loopback and the backend; repeatable"
    ) {
      settings, value in
      settings.options.allowedHosts.append(value)
    },
    semantics,
    Flag(
      "--control-port", taking: "N",
      "move /_mock, except health, to port N (browsers: a free one)"
    ) { settings, value throws(UsageError) in settings.options.controlPort = try port(value, of: "--control-port") },
    Flag("--control-origin", taking: "ORIGIN", "let pages of ORIGIN use the control port") { settings, value in
      settings.options.controlOrigin = value
    },
    Flag("--upstream-timeout", taking: "D", "the time for the backend's head, and between bytes held for a fault (30s)")
    {
      settings, value throws(UsageError) in
      guard let duration = MockServer.duration(value), duration > .zero else {
        throw UsageError("--upstream-timeout \(value): expected a duration, as in 500ms or 30s")
      }
      settings.options.upstreamTimeout = duration
    },
    Flag("--maximum-body", taking: "SIZE", "the longest response held for a fault (16MiB)") {
      settings, value throws(UsageError) in
      guard let size = bytes(value) else {
        throw UsageError("--maximum-body \(value): expected a size, as in 512KiB or 16MiB")
      }
      settings.options.maximumBody = size
    },
  ]

  /// Returns a size in bytes: `1024`, `512KiB`, `16MiB`.
  private static func bytes(_ text: String) -> Int? {
    for (suffix, shift) in [("KiB", 10), ("MiB", 20), ("", 0)] where text.hasSuffix(suffix) {
      let digits = text.dropLast(suffix.count)
      guard !digits.isEmpty, digits.utf8.count < 10, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
      return Int(digits).map { $0 << shift }
    }
    return nil
  }

  /// The options of `plan`.
  static let preview: [Flag] = [
    scenario, seed, upstreamURL, semantics,
    Flag("--method", taking: "METHOD", "the method of the requests (GET)") { settings, value in
      settings.method = value.uppercased()
    },
    Flag("--path", taking: "PATH", "the path of the requests (/devices)") { settings, value throws(UsageError) in
      guard value.hasPrefix("/") else { throw UsageError("--path \(value): expected a path, as in /devices") }
      settings.path = value
    },
    Flag("--operation", taking: "NAME", "the operation's name in --semantics (none)") { settings, value in
      settings.operation = value
    },
    Flag("--count", taking: "N", "the number of plans to print (20)") { settings, value throws(UsageError) in
      guard let count = Int(value), (1...100_000).contains(count) else {
        throw UsageError("--count \(value): expected a number from 1 to 100000")
      }
      settings.count = count
    },
  ]

  private static let scenario = Flag(
    "--scenario", taking: "NAME|FILE", among: MockServer.scenarios.map(\.name),
    "the scenario of faults; see understudy scenarios (calm)"
  ) { settings, value in settings.options.scenario = value }

  private static let seed = Flag("--seed", taking: "N", "the seed of every decision (1)") {
    settings, value throws(UsageError) in
    guard let seed = UInt64(value), seed <= MockServer.maximumSeed else {
      throw UsageError("--seed \(value): expected a number from 0 to \(MockServer.maximumSeed)")
    }
    settings.options.seed = seed
  }

  static func port(_ value: String, of flag: String) throws(UsageError) -> Int {
    guard let port = Int(value), (0...65_535).contains(port), value.allSatisfy(\.isNumber) else {
      throw UsageError("\(flag) \(value): expected a port from 0 to 65535")
    }
    return port
  }
}
