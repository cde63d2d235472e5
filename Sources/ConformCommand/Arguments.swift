/// The parsed command line of `understudy-conform`.
enum Arguments: Equatable {
  case judge(Settings)
  case list([String])
  case help
  case version

  /// The server to check, and the options of the run.
  struct Settings: Equatable {
    var url = ""
    var only: [String] = []
    var junit: String?
    var isLong = false
    var writes = false
    var patience: Duration = .seconds(10)
    var adminToken: String?
  }

  /// An error in the command line: one sentence that names the wrong word.
  struct UsageError: Error, Equatable {
    let message: String
  }

  /// The environment variable that replaces `--admin-token`, as for the server.
  static let adminToken = "UNDERSTUDY_ADMIN_TOKEN"

  init(_ words: [String], environment: [String: String] = [:]) throws(UsageError) {
    var settings = Settings()
    settings.adminToken = environment[Self.adminToken].flatMap { $0.isEmpty ? nil : $0 }
    var isList = false
    var given: Set<String> = []
    var rest = words[...]
    while let word = rest.popFirst() {
      let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      func value() throws(UsageError) -> String {
        guard let value = sides.count == 2 ? sides[1] : rest.popFirst(), !value.isEmpty else {
          throw UsageError(message: "\(sides[0]) needs a value; see understudy-conform --help")
        }
        guard given.insert(sides[0]).inserted || sides[0] == "--only" else {
          throw UsageError(message: "\(sides[0]) is given twice, but it has one value")
        }
        return value
      }
      switch sides[0] {
      case "--help", "-h":
        self = .help
        return
      case "--version":
        self = .version
        return
      case "--admin-token": settings.adminToken = try value()
      case "--list": isList = true
      case "--long": settings.isLong = true
      case "--writes": settings.writes = true
      case "--junit": settings.junit = try value()
      case "--only": settings.only += try value().split(separator: ",").map(String.init)
      case "--patience": settings.patience = try Self.seconds(try value())
      case _ where word.hasPrefix("-"):
        // The message repeats only the option: the text after `=` may be a token that was given to a misspelt option.
        throw UsageError(message: "unknown option \(sides[0]); see understudy-conform --help")
      case _ where settings.url.isEmpty: settings.url = word
      default: throw UsageError(message: "expected one address; found also \(word)")
      }
    }
    guard isList || !settings.url.isEmpty else {
      throw UsageError(message: "the server's address is missing: understudy-conform http://localhost:8080")
    }
    self = isList ? .list(settings.only) : .judge(settings)
  }

  private static func seconds(_ text: String) throws(UsageError) -> Duration {
    guard let seconds = Int(text), (1...600).contains(seconds) else {
      throw UsageError(message: "--patience \(text): expected seconds, from 1 to 600")
    }
    return .seconds(seconds)
  }

  static let helpText = """
    understudy-conform checks any HTTP server against the contract of the five APIs.

    USAGE
      understudy-conform URL [options]

    OPTIONS
      --only NAME,…    only these: an API, http, control, or the id of a check; with exactly one API,
                       URL is that API's own origin
      --junit FILE     also write the results as JUnit XML
      --long           also list the checks that passed
      --writes         on a server without the control API, also run checks that change data permanently
      --patience N     the time limit of one check in seconds (10)
      --admin-token T  the token of the server's control API, if it requires one; it is sent only there,
                       and never printed; env UNDERSTUDY_ADMIN_TOKEN
      --list           print the checks without running them
      --help           print this
      --version        print the version

    If the server has Understudy's control API, each check runs in its own sandbox. Otherwise the checks
    restore the data that they change; checks that cannot do this are skipped, with the reason.
    Exit codes: 0 all checks passed, 1 a check failed or all were skipped, 64 invalid option, 69 no
    connection to the server.

    """
}
