import Conformance
import Contract
import ControlAPI
import Platform
import Primitives
import Report
import Understudy

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program `understudy`.
@main
enum UnderstudyCommand {
  // With an asynchronous main, the runtime would own the first thread and unblock all signals there.
  static func main() {
    // On Linux Swift reads the arguments from /proc/self/cmdline; without it there are none, not even the program's
    // name.
    guard !CommandLine.arguments.isEmpty else {
      fail("the command line cannot be read; is /proc mounted?", ExitCode.unavailable)
    }
    ProcessResources.configureAllocator()
    Descriptor.openMissingStreams()
    do throws(UsageError) {
      switch try Arguments(
        Array(CommandLine.arguments.dropFirst()), environment: Environment.all, server: Environment.server)
      {
      case .help(let command): Output.write(command.map { Help.text(of: $0, Output.style) } ?? Help.text(Output.style))
      case .version: Output.write("understudy \(Document.version)" + (Revision.commit.map { " (\($0))" } ?? "") + "\n")
      case .openapi: Output.write(MockServer.openAPI)
      case .schema(let schema): Output.write(schema.text)
      case .man: Output.write(ManualPage.text)
      case .completions(let shell): Output.write(shell.completions)
      case .health(let settings): health(settings)
      case .conform(let settings): conform(settings)
      case .report(let settings): report(settings)
      case .serve(let settings): serve(settings)
      case .run(let settings): run(settings)
      case .explore(let settings): explore(settings)
      case .plan(let settings): plan(settings)
      case .scenarios(let name): scenarios(name)
      case .record(let settings): record(settings)
      case .check(let settings): check(settings)
      }
    } catch {
      fail(error.message, ExitCode.usage)
    }
    Output.exit(0)
  }

  /// Prepares for many connections. While the process has one thread, it need not wait for other processors.
  private static func prepareDescriptors() {
    Descriptor.raiseLimit()
    ProcessResources.growDescriptorTable(with: STDERR_FILENO)
  }

  private static func run(_ settings: Settings) -> Never {
    Signals.blockForChild()
    prepareDescriptors()
    Task.detached {
      do {
        let command = RunCommand(settings: settings)
        try command.checkPaths()
        Output.exit(try await command.run())
      } catch let error as StartError {
        refuse(error, settings)
      } catch {
        fail("\(error)", ExitCode.cannotCreate)
      }
    }
    while true { pause() }
  }

  private static func explore(_ settings: Settings) -> Never {
    Signals.blockForChild()
    prepareDescriptors()
    let commands = Commands()
    Task.detached {
      do {
        let command = ExploreCommand(settings: settings, commands: commands)
        try command.checkPaths()
        Output.exit(try await command.run())
      } catch let error as StartError {
        refuse(error, settings)
      } catch {
        fail("\(error)", ExitCode.cannotCreate)
      }
    }
    commands.followSignals()
  }

  private static func conform(_ settings: Settings) -> Never {
    Task.detached {
      do throws(JudgeError) {
        let command = ConformCommand(settings: settings)
        guard !settings.listsChecks else {
          try command.list()
          exit(0)
        }
        exit(try await command.run())
      } catch {
        switch error {
        case .usage(let detail): fail(detail, ExitCode.usage)
        case .cannotConnect(let detail): fail(detail, ExitCode.unavailable)
        }
      }
    }
    while true { pause() }
  }

  private static func report(_ settings: Settings) -> Never {
    let files = ReportFiles(settings)
    do { try files.checkPaths() } catch { fail("\(error)", ExitCode.cannotCreate) }
    do {
      Output.exit(try ReportCommand(settings: settings).run())
    } catch let failure as CallFailure {
      fail("\(failure)", ExitCode.unavailable)
    } catch {
      fail("\(error)", ExitCode.usage)
    }
  }

  private static func plan(_ settings: Settings) {
    do {
      let plans = try MockServer.preview(
        settings.options, method: settings.method, path: settings.path, operation: settings.operation,
        count: settings.count)
      Output.write(plans.map { $0.printable + "\n" }.joined())
      guard settings.options.upstream == nil, !MockServer.isRouted(method: settings.method, path: settings.path) else {
        return
      }
      Output.complain(
        "no operation matches \(settings.method) \(settings.path): the response would be 404 or 405")
    } catch {
      fail(error.sentence(naming: settings), ExitCode.usage)
    }
  }

  private static func scenarios(_ name: String?) {
    do {
      if let name { return Output.write(try MockServer.scenario(name)) }
      for scenario in MockServer.scenarios {
        Output.write("\(scenario.name)\n  \(Output.style.wrapped(scenario.about, at: 2))\n\n")
      }
    } catch {
      fail("\(error)", ExitCode.usage)
    }
  }

  private static func record(_ settings: Settings) {
    let file = settings.traceFile ?? ""
    do {
      let routes = try MockServer.RecordedRoutes(settings.options)
      let trace = try Trace(File.read(file, atMost: Trace.maximumBytes), routes, isExact: settings.isExact)
      Output.write(try MockServer.checked(scenario: trace.scenario(), for: routes.target))
      for remark in trace.remarks { Output.complain("\(file): \(remark)") }
    } catch let refusal as Trace.TraceError {
      fail("\(file): \(refusal)", ExitCode.usage)
    } catch let error as StartError {
      refuse(error, settings)
    } catch {
      fail("\(error)", ExitCode.usage)
    }
  }

  private static func check(_ settings: Settings) {
    let target: Scenarios.Target
    do throws(StartError) { target = try settings.options.scenarioTarget() } catch { refuse(error, settings) }
    var isInOrder = true
    for file in settings.checkedFiles {
      do {
        let check = FileCheck(file, try File.read(file, atMost: FileCheck.maximumBytes), for: target)
        if let complaint = check.complaint {
          Output.writeErrorLine(complaint)
        } else {
          Output.writeLine("\(file): \(check.subject ?? "")")
        }
        isInOrder = isInOrder && check.complaint == nil
      } catch {
        Output.complain("\(error)")
        isInOrder = false
      }
    }
    if !isInOrder { Output.exit(ExitCode.usage) }
  }

  private static func health(_ settings: Settings) {
    let probe = Probe(host: settings.options.host ?? "127.0.0.1", port: settings.options.port)
    if let complaint = probe.complaint() { fail(complaint, ExitCode.unhealthy) }
    Output.write("ok\n")
  }

  private static func serve(_ settings: Settings) -> Never {
    do {
      if let file = settings.portFile { try File.checkPath(file) }
    } catch {
      fail("--port-file cannot be written: \(error)", ExitCode.cannotCreate)
    }
    Signals.block()
    prepareDescriptors()
    let starting = Task.detached { await start(settings) }
    Signals.wait()
    Task.detached {
      await starting.value.stop()
      Output.exit(0)
    }
    Signals.exitOnNext()
  }

  private static func start(_ settings: Settings) async -> MockServer {
    do {
      var options = settings.options
      options.keepsFinalCards = false
      let server = try await MockServer.start(options)
      if let file = settings.portFile { write(server.port, to: file) }
      await announce(server, token: settings.makesToken ? settings.options.adminToken : nil)
      // They may take the time that a backend needs to refuse a connection.
      for notice in try MockServer.upstreamNotices(options) { Output.complain(notice) }
      return server
    } catch {
      refuse(error, settings)
    }
  }

  private static func refuse(_ error: StartError, _ settings: Settings) -> Never {
    let sentence = error.sentence(naming: settings)
    switch error {
    case .badData, .badScenario, .badOptions: fail(sentence, ExitCode.usage)
    case .badState: fail(sentence, ExitCode.badData)
    case .cannotKeep: fail(sentence, ExitCode.cannotCreate)
    case .portInUse, .stateInUse, .system: fail(sentence, ExitCode.unavailable)
    }
  }

  /// Prints, in one piece, that the server accepts connections; on a terminal also the dashboard's URL. A program that
  /// starts the server may close the stream after the first line.
  ///
  /// - Parameter token: The generated admin token, if any.
  private static func announce(_ server: MockServer, token: String?) async {
    var text = "listening on \(server.url)\n"
    if Output.isTerminal, let armed = await server.armedScenario() {
      text += "dashboard at \(server.controlURL)/_mock/ (scenario \(armed.name), seed \(armed.seed))\n"
    }
    for name in MockServer.apiNames {
      if let port = server.apiPorts[name] { text += "\(name) on \(server.url(of: port))\n" }
    }
    if let token { text += "admin token \(token)\n" }
    Output.write(text)
    // No client learns the address.
    if Output.isLost { Output.exit(0) }
  }

  private static func write(_ port: Int, to file: String) {
    do {
      try File.write(Array("\(port)\n".utf8), to: file)
    } catch {
      fail("--port-file cannot be written: \(error)", ExitCode.cannotWrite)
    }
  }

  private static func fail(_ message: String, _ code: Int32) -> Never {
    Output.complain(message)
    Output.exit(code)
  }
}

/// The program's own exit codes: those of `sysexits.h`, and that of health checks.
enum ExitCode {
  static let unhealthy: Int32 = 1
  static let nonconforming: Int32 = 1
  /// The report failed although every command exited with 0.
  static let failedReport: Int32 = 3
  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let unavailable: Int32 = 69
  static let cannotCreate: Int32 = 73
  /// Output could not be written.
  static let cannotWrite: Int32 = 74
}
