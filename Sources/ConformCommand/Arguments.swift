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
    var rest = words[...]
    while let word = rest.popFirst() {
      let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      func value() throws(UsageError) -> String {
        guard let value = sides.count == 2 ? sides[1] : rest.popFirst(), !value.isEmpty else {
          throw UsageError(message: "\(sides[0]) needs a value; see understudy-conform --help")
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
        // Only the option is repeated: the text after = may be a token, given to a misspelt option.
        throw UsageError(message: "unknown option \(sides[0]); see understudy-conform --help")
      case _ where settings.url.isEmpty: settings.url = word
      default: throw UsageError(message: "one address at a time, yet there is \(word)")
      }
    }
    guard isList || !settings.url.isEmpty else {
      throw UsageError(message: "which server? try understudy-conform http://localhost:8080")
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
    understudy-conform judges any HTTP server against the contract of the five APIs.

    USAGE
      understudy-conform URL [options]

    OPTIONS
      --only NAME,…    only these: an API, http, control, or a check by its id; with exactly one API,
                       URL is that API's own origin
      --junit FILE     also write the verdict as JUnit XML
      --long           list what passed too
      --writes         on a server without the control API, also check what cannot be put back
      --patience N     seconds that one check may take (10)
      --admin-token T  what the server's control API asks for, where it asks for a token; it is sent to
                       that alone, and never printed; env UNDERSTUDY_ADMIN_TOKEN
      --list           print the checks, and judge nothing
      --help           print this
      --version        print the version

    A server with Understudy's control API is judged in sandboxes, one for each check. On any other,
    checks put back what they change, and those that could not are skipped and say so.
    Exit codes: 0 all passed, 1 something failed or nothing was learnt, 64 for a bad option, 69 when
    nobody answers.

    """
}
