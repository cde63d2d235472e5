import Contract
import ControlAPI
import JSON
import Primitives
import Understudy

/// A parsed command line.
enum Arguments: Sendable {
  case serve(Settings)
  case run(Settings)
  /// Run a command once for each of its requests and each way in which that can fail.
  case explore(Settings)
  case plan(Settings)
  /// List the built-in scenarios, or print one.
  case scenarios(String?)
  /// Make a scenario from a trace.
  case record(Settings)
  /// Check files.
  case check(Settings)
  case openapi
  /// Print a JSON Schema.
  case schema(SchemaDocument)
  case health(Settings)
  /// Check a server against the contract.
  case conform(Settings)
  /// Merge several report cards into one.
  case report(Settings)
  case completions(Shell)
  case man
  /// Print the help, or only that of one command.
  case help(Command?)
  case version

  static let commands = Command.all.map(\.name) + ["help"]

  /// Returns the command whose help is requested: `understudy help plan`, `understudy plan --help`; nil for that of all.
  private static func command(in words: ArraySlice<String>) throws(UsageError) -> Command? {
    guard let name = words.first(where: { $0 != "help" }), !name.hasPrefix("-") else { return nil }
    guard let command = Command.all.first(where: { $0.name == name }) else { throw unknown("command", name, []) }
    return command
  }

  /// Parses a command line.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name.
  ///   - environment: The variables that replace flags; a flag takes precedence.
  ///   - server: The words of the command line with which the container's server was started, for `health`.
  init(_ words: [String], environment: [String: String] = [:], server: [String] = []) throws(UsageError) {
    // The words after `--` belong to the command to run.
    let own = words.prefix { $0 != "--" }
    if own.contains("--help") || own.contains("-h") || own.first == "help" {
      self = .help(try Self.command(in: own))
    } else if own.contains("--version") || words == ["version"] || words == ["-v"] {
      self = .version
    } else if let first = words.first, first == "openapi" || first == "man" {
      guard words.count == 1 else { throw UsageError("\(first) takes no options; found \(words[1])") }
      self = first == "man" ? .man : .openapi
    } else if words.first == "schema" {
      self = .schema(try Self.schema(Self.operands(words)))
    } else if words.first == "completions" {
      self = .completions(try Self.shell(Self.operands(words)))
    } else if words.first == "health" {
      let variables = environment.merging(Self.address(ofServer: server, environment)) { $1 }
      self = .health(try Self.settings(words.dropFirst(), Flag.probing, variables))
    } else if words.first == "conform" {
      self = .conform(try Self.judging(words.dropFirst(), environment))
    } else if words.first == "report" {
      self = .report(try Self.reporting(words.dropFirst(), environment))
    } else if words.first == "check" {
      let settings = try Self.settings(words.dropFirst(), Flag.checking, [:], operands: \.checkedFiles)
      guard !settings.checkedFiles.isEmpty else {
        throw UsageError("check needs a file: understudy check scenario.json")
      }
      self = .check(settings)
    } else if words.first == "scenario" {
      if words.count == 2, !words[1].hasPrefix("-") {
        let listing = ShellText.line(["understudy", "scenarios", words[1]])
        throw UsageError("scenario takes no name; \(listing) prints a built-in one")
      }
      let settings = try Self.settings(words.dropFirst(), Flag.recording, [:])
      guard settings.traceFile != nil else {
        throw UsageError(
          "scenario needs --from FILE, as in understudy scenario --from trace.har; understudy scenarios lists the built-in ones"
        )
      }
      self = .record(settings)
    } else if words.first == "scenarios" {
      let names = try Self.operands(words)
      guard names.count <= 1 else { throw UsageError("scenarios takes one name; found \(names[1])") }
      self = .scenarios(names.first)
    } else if words.first == "run" {
      self = .run(try Self.running(words.dropFirst()))
    } else if words.first == "explore" {
      self = .explore(try Self.exploring(words.dropFirst()))
    } else if words.first == "plan" {
      self = .plan(try Self.settings(words.dropFirst(), Flag.preview, [:]))
    } else {
      let isNamed = words.first == "serve"
      self = .serve(try Self.settings(isNamed ? words.dropFirst() : words[...], Flag.serving, environment))
    }
  }

  /// Returns the operands of a command without options. All words after `--` are operands, as is usual (POSIX, guideline 10).
  private static func operands(_ words: [String]) throws(UsageError) -> [String] {
    let before = words.dropFirst().prefix { $0 != "--" }
    if let option = before.first(where: { $0.hasPrefix("-") }) {
      throw UsageError("\(words[0]) takes no options; found \(option)")
    }
    return Array(before) + words.dropFirst(before.count + 2)
  }

  private static func shell(_ words: [String]) throws(UsageError) -> Shell {
    guard words.count == 1, let shell = words.first.flatMap(Shell.init(rawValue:)) else {
      throw UsageError((["completions"] + words).joined(separator: " ") + ": expected one of bash, zsh and fish")
    }
    return shell
  }

  private static func schema(_ words: [String]) throws(UsageError) -> SchemaDocument {
    guard words.count == 1, let word = words.first else {
      throw UsageError("schema takes one name, one of \(SchemaDocument.names): understudy schema scenario")
    }
    guard let schema = SchemaDocument.named(word) else {
      let meant = Spelling.suggestion(for: word, among: SchemaDocument.all.map(\.name), after: ", ")
      throw UsageError("unknown schema \(word)\(meant); expected one of \(SchemaDocument.names)")
    }
    return schema
  }

  private static func reporting(
    _ words: ArraySlice<String>, _ environment: [String: String]
  ) throws(UsageError) -> Settings {
    var settings = try settings(words, Flag.merging, [:], operands: \.cardFiles)
    let files = settings.cardFiles
    if let file = files.indices.first(where: { files[..<$0].contains(files[$0]) }).map({ files[$0] }) {
      throw UsageError("report: \(file) is given twice")
    }
    if !settings.merges, settings.reportURL == nil, !files.isEmpty {
      throw UsageError(
        "report needs --merge before files: \(ShellText.line(["understudy", "report", "--merge"] + files))")
    }
    guard settings.merges != (settings.reportURL != nil), settings.merges == !settings.cardFiles.isEmpty else {
      throw UsageError(
        "report needs either --merge and files, as in understudy report --merge cards/*.json, "
          + "or --from and the URL of a server")
    }
    for option in [("--interim", settings.isInterim), (Flag.token.name, settings.options.adminToken != nil)] {
      if settings.merges, option.1 { throw UsageError("\(option.0) is only for --from") }
    }
    if settings.options.adminToken == nil, let variable = Flag.token.variable, let token = environment[variable],
      !token.isEmpty
    {
      settings.options.adminToken = token
    }
    try refuseOneFile(settings)
    return settings
  }

  private static func judging(
    _ words: ArraySlice<String>, _ environment: [String: String]
  ) throws(UsageError) -> Settings {
    let settings = try settings(words, Flag.judging, environment, operands: \.urls)
    guard settings.urls.count <= 1 else { throw UsageError("conform takes one URL; found also \(settings.urls[1])") }
    guard settings.listsChecks || !settings.urls.isEmpty else {
      throw UsageError("conform needs the server's URL: understudy conform http://localhost:8080")
    }
    return settings
  }

  /// Throws if two formats of the report cards go to the same file.
  static func refuseOneFile(_ settings: Settings) throws(UsageError) {
    let named = [
      ("--report", settings.report?.path), ("--junit", settings.junitFile), ("--shrink-to", settings.shrinkFile),
    ]
    for (index, first) in named.enumerated() {
      for second in named[(index + 1)...] where first.1 == second.1 {
        if let file = first.1 { throw UsageError("\(first.0) and \(second.0) name the same file, \(file)") }
      }
    }
  }

  static func settings(
    _ words: ArraySlice<String>, _ flags: [Flag], _ environment: [String: String],
    operands: WritableKeyPath<Settings, [String]>? = nil
  ) throws(UsageError) -> Settings {
    var settings = Settings()
    settings.options.port = 8080
    var given: Set<String> = []
    var rest = words
    while let word = rest.popFirst() {
      if let operands, word == "--" {
        settings[keyPath: operands] += rest
        rest = []
      } else if let operands, !word.hasPrefix("-") {
        settings[keyPath: operands].append(word)
      } else {
        given.insert(try apply(word, flags, &rest, &settings))
      }
    }
    for flag in flags where !given.contains(flag.name) {
      guard let variable = flag.variable, let value = environment[variable], !value.isEmpty else { continue }
      do throws(UsageError) {
        try flag.apply(&settings, value)
      } catch {
        // The message names an option that the command line does not have.
        let detail =
          error.message.hasPrefix(flag.name) ? String(error.message.dropFirst(flag.name.count + 1)) : error.message
        throw UsageError("the environment variable \(variable): \(detail)")
      }
      settings.variables[flag.name] = variable
    }
    if settings.options.watchesData, settings.options.dataDirectory == nil {
      throw UsageError("--watch needs --data: without it there are no files to watch")
    }
    return settings
  }

  /// Returns the address in a server's command line as the variables that `health` reads: the health check of an image
  /// asks its server, whether options or variables set the port.
  private static func address(ofServer words: [String], _ environment: [String: String]) -> [String: String] {
    guard case .serve(let settings) = try? Arguments(words, environment: environment) else { return [:] }
    var variables = ["PORT": "\(settings.options.port)"]
    variables["UNDERSTUDY_HOST"] = settings.options.host
    return variables
  }

  /// Applies one flag, written as `--port 0` or `--port=0`, and returns its name.
  private static func apply(
    _ word: String, _ flags: [Flag], _ rest: inout ArraySlice<String>, _ settings: inout Settings
  ) throws(UsageError) -> String {
    let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let flag = flags.first(where: { $0.name == sides[0] }) else {
      let kind = word.hasPrefix("-") ? "option" : "command"
      // The message repeats only the name: the text after `=` may be a token that was given to a misspelt option.
      throw unknown(kind, sides[0], flags)
    }
    guard let placeholder = flag.value else {
      guard sides.count == 1 else { throw UsageError("\(flag.name) takes no value") }
      try flag.apply(&settings, "")
      settings.spelled.append((flag.name, nil))
      return flag.name
    }
    let isNextAnOption = rest.first.map { next in flags.contains { $0.name == next } } ?? false
    guard let value = sides.count == 2 ? sides[1] : isNextAnOption ? nil : rest.popFirst(), !value.isEmpty else {
      throw UsageError("\(flag.name) needs a value: \(flag.name) \(placeholder)")
    }
    // Otherwise the second value would replace the first silently: one of two report files would not be written.
    guard flag.isRepeatable || !settings.spelled.contains(where: { $0.name == flag.name }) else {
      throw UsageError("\(flag.name) is given twice, but it has one value")
    }
    try flag.apply(&settings, value)
    settings.spelled.append((flag.name, value))
    return flag.name
  }

  /// Returns the error of an unknown word, with the one that was probably meant.
  private static func unknown(_ kind: String, _ word: String, _ flags: [Flag]) -> UsageError {
    let meant = Spelling.suggestion(for: word, among: flags.map(\.name) + commands, after: ", ")
    return UsageError("unknown \(kind) \(word)\(meant); see understudy --help")
  }
}
