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
    if let directory = settings.saveDirectory, File.fingerprint(directory) != nil, !File.isDirectory(directory) {
      throw SystemError(directory, reason: "It is no directory")
    }
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
      return try conclude(table)
    } catch let obstacle as Explorer.Obstacle {
      Progress.clear()
      return report(obstacle)
    } catch let refusal as Refusal {
      Progress.clear()
      Output.complain(refusal.description)
      return refusal.code
    }
  }

  private static func words(_ progress: Explorer.Progress) -> String {
    let failing = progress.failing > 0 ? ", \(progress.failing) failing" : ""
    let seconds = progress.remaining.components.seconds
    let left = progress.done < progress.count ? ", about \(seconds + 1) s left" : ""
    return "\(progress.done) of \(progress.count) cells\(failing)\(left)"
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
    let scratch = try ScratchDirectory()
    try await reset(output: scratch.output)
    var options = settings.options
    options.exploration = ExplorationLayer(adding: assignment.fault, seed: options.seed)
    let server = try await MockServer.start(options)
    var variables = server.variables(seed: options.seed)
    variables["TMPDIR"] = scratch.temporaryFiles
    variables["UNDERSTUDY_CELL"] = assignment.cell ?? ""
    let start = ContinuousClock.now
    let end = await commands.run(
      settings.command, variables: variables, output: scratch.output, limit: limit(assignment)
    ) { await server.markClientsEnded() }
    let duration = ContinuousClock.now - start
    let isCut = end == .timedOut || commands.stop != nil
    let exitCode: Int32? = if case .exited(let code) = end { code } else { nil }
    let report = await server.stopAndReport(isCut: isCut, exitCode: exitCode)
    return ExploredRun(
      report: report, exitCode: end.code, failure: RunCommand.failure(end, of: settings.command[0]),
      isHung: end == .timedOut, duration: duration, output: scratch.lastLines(FaultTable.outputLineCount))
  }

  /// The limit of the calm runs is the given one; that of a cell is ten times the calm run unless one is given.
  private func limit(_ assignment: Explorer.Assignment) -> Duration? {
    if let limit = settings.timeLimit { return .seconds(limit) }
    return assignment.calmDuration.map { max(.seconds(10), $0 * 10) }
  }

  private func reset(output: String) async throws {
    guard let command = settings.resetCommand else { return }
    let end = await commands.run(["sh", "-c", command], variables: [:], output: output, limit: nil)
    guard end != .exited(0), commands.stop == nil else { return }
    let text = String(decoding: File.tail(of: output, atMost: 2_000), as: UTF8.self)
    throw Refusal(
      description: "the command of --reset ended with \(end.code): \(command)" + (text.isEmpty ? "" : "\n\(text)"),
      code: end.code)
  }

  /// Prints and writes the result.
  private func conclude(_ table: FaultTable) throws -> Int32 {
    let style = Output.style
    if settings.exploration.cell != nil, let run = table.results.first?.run {
      let card = run.report.text(inColor: style.isColored, width: style.width)
      Output.write(run.output.map { $0.printable + "\n" }.joined() + card + "\n")
    }
    Output.write(table.text(inColor: style.isColored, width: style.width))
    if let obstacle = table.obstacle { complain(obstacle) }
    let isWritten = write(table)
    if let stop = commands.stop {
      Output.complain("stopped after \(table.runs) of \(table.results.count) cells")
      return 128 + stop
    }
    if let obstacle = table.obstacle { return (obstacle as? Refusal)?.code ?? ExitCode.unavailable }
    if !table.failing(settings.cellStrictness).isEmpty { return ExitCode.failedReport }
    return isWritten ? 0 : ExitCode.cannotWrite
  }

  private func complain(_ error: any Error) {
    let sentence = (error as? StartError)?.sentence(naming: settings) ?? "\(error)"
    Output.complain("the exploration ended early: \(sentence)")
  }

  /// Writes the files; returns true if all were written.
  private func write(_ table: FaultTable) -> Bool {
    let strictness = settings.cellStrictness
    let areFilesWritten = ReportFiles(settings).write { format in
      switch format {
      case .json: String(decoding: table.json.bytes(.indented), as: UTF8.self) + "\n"
      case .text: table.text()
      case .html: table.page
      case .junit: table.junit(strictness).xml
      }
    }
    guard let directory = settings.saveDirectory else { return areFilesWritten }
    do {
      try save(table.failing(strictness == .never ? .fail : strictness), of: table, in: directory)
      return areFilesWritten
    } catch {
      Output.complain("\(error)")
      return false
    }
  }

  /// Writes a scenario for each failing cell.
  private func save(_ results: [CellResult], of table: FaultTable, in directory: String) throws(SystemError) {
    guard !results.isEmpty else { return }
    _ = try File.makeDirectory(directory)
    var names: Set<String> = []
    for result in results {
      let base = Self.fileName(table.name(of: result))
      var name = base
      var number = 2
      while !names.insert(name).inserted {
        name = "\(base)-\(number)"
        number += 1
      }
      let path = "\(directory)/\(name).json"
      try File.write(table.scenario(of: result).json.bytes(.indented) + [0x0A], to: path)
      Output.writeErrorLine("understudy: \(path): understudy run --scenario \(path) repeats \(table.name(of: result))")
    }
  }

  /// Returns the name of a cell in small letters, digits and hyphens.
  private static func fileName(_ cell: String) -> String {
    let words = cell.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return String(words.joined(separator: "-").prefix(100))
  }

  /// Reports why there is no table, and returns the exit code.
  private func report(_ obstacle: Explorer.Obstacle) -> Int32 {
    switch obstacle {
    case .command(let run):
      if let stop = commands.stop { return 128 + stop }
      let output = run.output.isEmpty ? "" : "; the end of its output:"
      Output.complain("without a fault, \(run.failure ?? "the command failed")\(output)")
      for line in run.output { Output.writeErrorLine(line) }
      return run.exitCode
    case .noRequest:
      Output.complain(RunCommand.noRequest)
      return ExitCode.failedReport
    case .card(let run):
      let checks = run.report.failedChecks.joined(separator: ", ")
      Output.complain("without a fault, the client already fails \(checks):")
      Output.writeError(run.report.text() + "\n")
      return ExitCode.failedReport
    case .noRow(let rows):
      let cell = settings.exploration.cell?.text ?? ""
      Output.complain(
        "--cell \(cell): the command sends no such request without faults; its requests are \(rows.joined(separator: ", "))"
      )
      return ExitCode.usage
    case .noCell(let cell):
      Output.complain(
        "--cell \(cell): the request cannot fail so: only a write fails @after, and only content can be damaged")
      return ExitCode.usage
    case .stopped: return 128 + (commands.stop ?? 0)
    }
  }
}
