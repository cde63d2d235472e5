import Exploration
import Faults
import JSON
import Platform
import Primitives
import Understudy

/// The scenarios of failing cells (`--save`). Each is tried before it is kept: a test that repeats nothing would pass.
struct CellScenarios {
  private let table: FaultTable
  private let command: ExploreCommand

  init(of table: FaultTable, by command: ExploreCommand) {
    self.table = table
    self.command = command
  }

  private var settings: Settings { command.settings }

  /// Writes a scenario for each failing cell that one can repeat, and reports each.
  func save(in directory: String) async throws {
    let strictness = settings.exploration.strictness
    let results = table.results.filter { $0.isFailing(strictness == .never ? .fail : strictness) }
    guard !results.isEmpty else { return }
    let base = try MockServer.scenario(of: settings.options)
    _ = try File.makeDirectory(directory)
    var names: Set<String> = []
    for result in results {
      let path = "\(directory)/\(Self.unique(Self.fileName(table.name(of: result)), &names)).json"
      let content = table.scenario(of: result, above: base).json.bytes(.indented) + [0x0A]
      let outcome = try await trial(of: result, with: content, named: path)
      if outcome.isKept { try File.write(content, to: path) }
      report(result, tried: outcome, path)
    }
  }

  /// The outcome of running the command with a scenario.
  private enum Trial {
    case repeats
    /// The command did not fail as in its cell.
    case differs
    /// The scenario cannot be used.
    case refused(String)
    /// The exploration was stopped, or ended early.
    case untried

    var isKept: Bool {
      switch self {
      case .repeats, .untried: true
      case .differs, .refused: false
      }
    }
  }

  private func trial(of result: CellResult, with content: [UInt8], named path: String) async throws -> Trial {
    guard command.commands.stop == nil, table.obstacle == nil else { return .untried }
    let scratch = try ScratchDirectory()
    try File.write(content, to: scratch.scenario)
    var options = settings.options
    options.scenario = scratch.scenario
    Progress.show("trying \(path)")
    defer { Progress.clear() }
    do {
      let run = try await command.once(options, in: nil, limit: command.limit(table.calm.duration))
      return command.commands.stop != nil ? .untried : result.isRepeated(by: run) ? .repeats : .differs
    } catch let error as StartError {
      return .refused(error.sentence(naming: settings))
    }
  }

  private func report(_ result: CellResult, tried trial: Trial, _ path: String) {
    let (name, rerun) = (table.name(of: result), RerunCommand(settings: settings))
    // A command that hangs needs a limit again.
    let limit = result.mark == .hung ? command.limit(table.calm.duration) : nil
    let line = rerun.line(scenario: path, limit: limit, failsOnWarnings: result.mark == .warned)
    switch trial {
    case .repeats: tell("\(path) repeats \(name)", line)
    case .untried:
      tell("\(path) has the fault of \(name), and was not tried, because the exploration ended early; to try it", line)
    case .differs:
      tell(
        "no scenario repeats \(name): with it the command did not fail so; perhaps the command resets, uses several "
          + "sandboxes or chooses a scenario, or varies from run to run; to repeat the cell", rerun.line(cell: name))
    case .refused(let sentence):
      tell("no scenario repeats \(name): \(sentence); to repeat the cell", rerun.line(cell: name))
    }
  }

  /// Writes a message and a line to paste, which keeps its line breaks.
  private func tell(_ message: String, _ line: String) {
    Output.writeError("understudy: \(message.printable): \(line)\n")
  }

  private static func unique(_ base: String, _ names: inout Set<String>) -> String {
    var (name, number) = (base, 2)
    while !names.insert(name).inserted {
      name = "\(base)-\(number)"
      number += 1
    }
    return name
  }

  /// Returns the name of a cell in small letters, digits and hyphens.
  private static func fileName(_ cell: String) -> String {
    let words = cell.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return String(words.joined(separator: "-").prefix(100))
  }
}
