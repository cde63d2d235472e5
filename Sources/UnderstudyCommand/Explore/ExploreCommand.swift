import Exploration
import Faults
import JSON
import Platform
import Primitives
import Report
import Understudy

/// `understudy explore`: runs a command once for each of its requests and each way in which that can fail.
struct ExploreCommand: Sendable {
  let settings: Settings
  let commands: Commands

  /// An error that ends the exploration, with the exit code.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
    let code: Int32
  }

  private static let maximumReport = 64 << 20

  /// Checks, before any run, that the files can be written.
  func checkPaths() throws {
    try ReportFiles(settings).checkPaths()
    guard let directory = settings.saveDirectory else { return }
    let exists = File.fingerprint(directory) != nil
    if exists, !File.isDirectory(directory) { throw SystemError(directory, reason: "It is no directory") }
    try File.checkPath(exists ? directory + "/cell.json" : directory)
  }

  /// Runs everything, and returns the exit code.
  func run() async throws -> Int32 {
    for notice in try MockServer.upstreamNotices(settings.options) { Output.complain(notice) }
    var options = settings.exploration
    options.only = settings.options.only
    do {
      if let file = settings.knownFile { options.known = try known(file) }
      let explorer = Explorer(
        options, isStopped: { [commands] in commands.stop != nil },
        showing: { Progress.show(Self.words($0)) },
        running: { try await once($0) })
      var table = try await explorer.explore()
      Progress.clear()
      table.command = settings.command
      table.upstream = settings.options.upstream
      table.repeatLine = { RerunCommand(settings: settings).line(cell: $0) }
      if lacksSemantics, table.grid.rows.contains(where: \.isWrite) { table.advice = [Self.semanticsAdvice] }
      for notice in table.calm.report.semanticsNotices { Output.complain(notice) }
      return try await conclude(table)
    } catch let obstacle as Explorer.Obstacle {
      Progress.clear()
      return ExploreRefusal(settings, stop: commands.stop).report(obstacle)
    } catch let failure as ResetCommand.Failure {
      Progress.clear()
      return failure.report()
    } catch let refusal as Refusal {
      Progress.clear()
      Output.complain(refusal.description)
      return refusal.code
    }
  }

  private var lacksSemantics: Bool { settings.options.upstream != nil && settings.options.semanticsFile == nil }

  private static let semanticsAdvice =
    "Without --semantics FILE a write that takes effect twice only warns: the effects of this backend's writes are not "
    + "declared."

  private static func words(_ progress: Explorer.Progress) -> String {
    switch progress {
    case .calm(let run): return "run \(run) of 2 without faults"
    case .cells(let cells):
      let failing = cells.failing > 0 ? ", \(cells.failing) failing" : ""
      let left = cells.remaining.map { ", about \($0.components.seconds + 1) s left" } ?? ""
      return "\(cells.done) of \(cells.count) cells\(failing)\(cells.done < cells.count ? left : "")"
    }
  }

  private func known(_ file: String) throws -> KnownCells {
    do {
      return try KnownCells(JSONValue(parsing: File.read(file, atMost: Self.maximumReport)))
    } catch let defect as KnownCells.Defect {
      throw Refusal(description: "--known \(file): \(defect.detail)", code: ExitCode.usage)
    } catch let error as JSONSyntaxError {
      throw Refusal(
        description: "--known \(file) is not JSON: at byte \(error.offset): \(error.detail)", code: ExitCode.usage)
    } catch let error as SystemError {
      throw Refusal(description: "--known: \(error)", code: ExitCode.usage)
    }
  }

  /// Runs the command once with a server of its own.
  private func once(_ assignment: Explorer.Assignment) async throws -> ExploredRun {
    var options = settings.options
    options.exploration = ExplorationLayer(assignment.layer, seed: options.seed)
    return try await once(options, in: assignment.cell, limit: limit(assignment.calmDuration))
  }

  /// Runs the command once.
  ///
  /// - Parameters:
  ///   - options: Those of the server.
  ///   - cell: The name of the explored cell; nil for none.
  ///   - limit: The time limit; nil for none.
  func once(_ options: MockServer.Options, in cell: String?, limit: Duration?) async throws -> ExploredRun {
    let scratch = try ScratchDirectory()
    if let command = settings.resetCommand {
      try await ResetCommand(command: command, commands: commands).run(output: scratch.output)
    }
    let server = try await MockServer.start(options)
    var variables = server.variables(seed: options.seed)
    variables["TMPDIR"] = scratch.temporaryFiles
    variables["UNDERSTUDY_CELL"] = cell ?? ""
    let start = ContinuousClock.now
    let end = await commands.run(settings.command, variables: variables, output: scratch.output, limit: limit) {
      await server.markClientsEnded()
    }
    let duration = ContinuousClock.now - start
    let isCut = end == .timedOut || commands.stop != nil
    let report = await server.stopAndReport(isCut: isCut, exitCode: end.exitCode)
    return ExploredRun(
      report: report, exitCode: end.code, end: result(end, limit: limit), duration: duration,
      output: scratch.lastLines(FaultTable.outputLineCount))
  }

  /// The limit of the calm runs is the given one; that of a cell is ten times the calm run unless one is given.
  func limit(_ calmDuration: Duration?) -> Duration? {
    if let limit = settings.timeLimit { return .seconds(limit) }
    return calmDuration.map { max(.seconds(10), $0 * 10) }
  }

  private func result(_ end: Child.End, limit: Duration?) -> ExploredRun.End {
    let failure = RunCommand.failure(end, of: settings.command[0]) ?? ""
    switch end {
    case .timedOut:
      let source = settings.timeLimit == nil ? "ten times its time without faults and at least 10 s" : "--timeout"
      let limit = limit.map { ReportText.duration($0) } ?? ""
      return .hang("the command did not end within \(limit) (\(source)) and was terminated")
    case .signalled: return .crash(failure)
    case .exited(0): return .success
    case .exited(let code) where Self.crashes.contains(code):
      return .crash("the command exited with \(code): signal \(code - 128) ended a program in it")
    case .exited, .notStarted: return .failure(failure)
    }
  }

  /// The codes with which a shell ends after a program that SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL or SIGSEGV
  /// ended; the range has one more signal of each system.
  private static let crashes: ClosedRange<Int32> = 132...139

  /// Prints and writes the result.
  private func conclude(_ table: FaultTable) async throws -> Int32 {
    let style = Output.style
    if settings.exploration.cell != nil, let run = table.results.first?.run {
      let card = run.report.text(inColor: style.isColored, width: style.width)
      let output = run.output.map { $0.printable + "\n" }.joined()
      Output.write("\(output)\(card)\n")
    }
    Output.write(table.text(style, showing: Self.maximumFailures))
    if let obstacle = table.obstacle { complain(obstacle) }
    let areReportsWritten = write(table)
    let isWritten = await save(table) && areReportsWritten
    if let stop = commands.stop {
      Output.complain("stopped after \(table.runs) of \(table.results.count) cells")
      return 128 + stop
    }
    if table.obstacle != nil { return ExitCode.unavailable }
    if !table.failing.isEmpty { return ExitCode.failedReport }
    if table.idleness != nil {
      Output.complain("no fault took effect, so the exploration fails unless --fail-on is never")
      return ExitCode.failedReport
    }
    return isWritten ? 0 : ExitCode.cannotWrite
  }

  /// The maximum number of commands that failed to show: the files have all of them.
  private static let maximumFailures = 5

  private func complain(_ error: any Error) {
    Output.complain("the exploration ended early")
    switch error {
    case let failure as ResetCommand.Failure: _ = failure.report()
    case let obstacle as Explorer.Obstacle: _ = ExploreRefusal(settings, stop: commands.stop).report(obstacle)
    case let error as StartError: Output.complain(error.sentence(naming: settings))
    default: Output.complain("\(error)")
    }
  }

  /// Writes the reports; returns true if all were written.
  private func write(_ table: FaultTable) -> Bool {
    ReportFiles(settings).write { format in
      switch format {
      case .json: String(decoding: table.json.bytes(.indented), as: UTF8.self) + "\n"
      case .text: table.text()
      case .html: table.page
      case .junit: table.junit.xml
      }
    }
  }

  /// Saves the failing cells as scenarios; returns true if all that can be were written.
  private func save(_ table: FaultTable) async -> Bool {
    guard let directory = settings.saveDirectory else { return true }
    do {
      try await CellScenarios(of: table, by: self).save(in: directory)
      return true
    } catch let failure as ResetCommand.Failure {
      _ = failure.report()
    } catch {
      Output.complain("--save: \(error)")
    }
    return false
  }
}
