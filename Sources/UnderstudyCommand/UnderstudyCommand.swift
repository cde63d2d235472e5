import Contract
import ControlAPI
import Platform
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
    ProcessResources.useOneArena()
    do throws(UsageError) {
      switch try Arguments(
        Array(CommandLine.arguments.dropFirst()), environment: Environment.all, server: Environment.server)
      {
      case .help(let command): print(command.map { Help.text(of: $0) } ?? Help.text, terminator: "")
      case .version: print("understudy \(Document.version)" + (Revision.commit.map { " (\($0))" } ?? ""))
      case .openapi: print(MockServer.openAPI, terminator: "")
      case .schema(let schema): print(schema.text, terminator: "")
      case .man: print(ManualPage.text, terminator: "")
      case .completions(let shell): print(shell.completions, terminator: "")
      case .health(let settings): health(settings)
      case .report(let settings): report(settings)
      case .serve(let settings): serve(settings)
      case .run(let settings): run(settings)
      case .plan(let settings): plan(settings)
      case .scenarios(let name): scenarios(name)
      case .record(let settings): record(settings)
      case .check(let files): check(files)
      }
    } catch {
      fail(error.message, ExitCode.usage)
    }
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
        exit(try await command.run())
      } catch let error as StartError {
        refuse(error, settings)
      } catch {
        fail("\(error)", ExitCode.cannotCreate)
      }
    }
    while true { pause() }
  }

  private static func report(_ settings: Settings) -> Never {
    let files = ReportFiles(settings)
    do { try files.checkPaths() } catch { fail("\(error)", ExitCode.cannotCreate) }
    do {
      exit(try ReportCommand(settings: settings).run())
    } catch {
      fail("\(error)", ExitCode.usage)
    }
  }

  private static func plan(_ settings: Settings) {
    do {
      let plans = try MockServer.preview(
        settings.options, method: settings.method, path: settings.path, count: settings.count)
      for plan in plans { print(plan) }
      guard !MockServer.isRouted(method: settings.method, path: settings.path) else { return }
      Output.writeError(
        "understudy: no operation matches \(settings.method) \(settings.path): the response would be 404 or 405\n")
    } catch {
      fail("\(error)", ExitCode.usage)
    }
  }

  private static func scenarios(_ name: String?) {
    do {
      if let name { return print(try MockServer.scenario(name), terminator: "") }
      for scenario in MockServer.scenarios { print("\(scenario.name)\n\(Help.wrapped(scenario.about))\n") }
    } catch {
      fail("\(error)", ExitCode.usage)
    }
  }

  private static func record(_ settings: Settings) {
    let file = settings.traceFile ?? ""
    do {
      let trace = try Trace(File.read(file))
      let scenario = settings.isExact ? try trace.exactScenario() : trace.scenario()
      print(try MockServer.checked(scenario: scenario), terminator: "")
      guard trace.foreignCount > 0 else { return }
      Output.writeError(
        "understudy: \(file): left out \(trace.foreignCount) requests that match no operation of the five APIs\n")
    } catch let refusal as Trace.TraceError {
      fail("\(file): \(refusal)", ExitCode.badData)
    } catch {
      fail("\(error)", ExitCode.badData)
    }
  }

  private static func check(_ files: [String]) {
    var isInOrder = true
    for file in files {
      do {
        let check = FileCheck(file, try File.read(file))
        if let complaint = check.complaint {
          Output.writeError(complaint + "\n")
        } else {
          print("\(file): \(check.subject ?? "")")
        }
        isInOrder = isInOrder && check.complaint == nil
      } catch {
        Output.writeError("understudy: \(error)\n")
        isInOrder = false
      }
    }
    if !isInOrder { exit(ExitCode.badData) }
  }

  private static func health(_ settings: Settings) {
    let probe = Probe(host: settings.options.host ?? "127.0.0.1", port: settings.options.port)
    if let complaint = probe.complaint() { fail(complaint, ExitCode.unhealthy) }
    print("ok")
  }

  private static func serve(_ settings: Settings) -> Never {
    Signals.block()
    prepareDescriptors()
    let starting = Task.detached { await start(settings) }
    Signals.wait()
    Task.detached {
      await starting.value.stop()
      exit(0)
    }
    Signals.exitOnNext()
  }

  private static func start(_ settings: Settings) async -> MockServer {
    do {
      let server = try await MockServer.start(settings.options)
      if let file = settings.portFile { write(server.port, to: file) }
      await announce(server)
      if settings.makesToken, let token = settings.options.adminToken { Output.write("admin token \(token)\n") }
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

  /// Prints, without a buffer, that the server accepts connections; on a terminal also the dashboard's URL.
  private static func announce(_ server: MockServer) async {
    var text = "listening on \(server.url)\n"
    if Output.isTerminal, let armed = await server.armedScenario() {
      text += "dashboard at \(server.url)/_mock/ (scenario \(armed.name), seed \(armed.seed))\n"
    }
    Output.write(text)
    for name in MockServer.apiNames {
      if let port = server.apiPorts[name] { Output.write("\(name) on \(server.url(of: port))\n") }
    }
  }

  private static func write(_ port: Int, to file: String) {
    do {
      try File.writeAtomically(Array("\(port)\n".utf8), to: file)
    } catch {
      fail("--port-file cannot be written: \(error)", ExitCode.cannotCreate)
    }
  }

  private static func fail(_ message: String, _ code: Int32) -> Never {
    Output.writeError("understudy: \(message)\n")
    exit(code)
  }
}

/// The program's own exit codes: those of `sysexits.h`, and that of health checks.
enum ExitCode {
  static let unhealthy: Int32 = 1
  /// The report failed although every command exited with 0.
  static let failedReport: Int32 = 3
  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let unavailable: Int32 = 69
  static let cannotCreate: Int32 = 73
}
