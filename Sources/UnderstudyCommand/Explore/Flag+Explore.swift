import Exploration
import Faults
import Understudy

extension Flag {
  /// The options of `explore`.
  static let exploring: [Flag] = [
    Flag(
      "--faults", taking: "LIST", among: FaultWay.standard.map(\.text),
      "the ways to fail, as in 'reset@after,hang;for=30s' (those below)"
    ) { settings, value throws(UsageError) in
      do throws(FaultWay.Defect) {
        settings.exploration.ways = try FaultWay.list(value)
      } catch {
        throw UsageError("--faults \(error.detail)")
      }
    },
    Flag("--cell", taking: "CELL", "run only one cell, as in 'POST /book#1 reset@after'") {
      settings, value throws(UsageError) in
      do throws(FaultWay.Defect) {
        settings.exploration.cell = try CellName(value)
      } catch {
        throw UsageError("--cell \(value): \(error.detail)")
      }
    },
    Flag("--twice", "where CMD copes, let the next attempt fail, too") { settings, _ in
      settings.exploration.isTwice = true
    },
    Flag(
      "--rows", taking: "all", among: ["all"], "a row for each request, not only the first, second and last of a path"
    ) {
      settings, value throws(UsageError) in
      guard value == "all" else { throw UsageError("--rows \(value): expected all") }
      settings.exploration.isComplete = true
    },
    Flag("--limit", taking: "N", "run at most N cells, spread evenly (500)") { settings, value throws(UsageError) in
      settings.exploration.limit = try number(value, in: 1...100_000, of: "--limit")
    },
    Flag("--jobs", taking: "N", "run N commands at the same time (1)") { settings, value throws(UsageError) in
      settings.exploration.jobs = try number(value, in: 1...64, of: "--jobs")
    },
    Flag("--reset", taking: "COMMAND", "run this shell command before each run, for at most 10 min: 'npm run db:reset'")
    {
      settings, value in
      settings.resetCommand = value
    },
    timeout,
    Flag("--known", taking: "FILE", "an earlier report, whose failing cells do not count") { settings, value in
      settings.knownFile = value
    },
    report(writing: "the table"),
    Flag("--junit", taking: "FILE", "write JUnit XML: a suite for each request, a case for each cell") {
      settings, value in
      settings.junitFile = value
    },
    Flag("--save", taking: "DIR", "write a scenario for each failing cell that run --scenario repeats") {
      settings, value in
      settings.saveDirectory = value
    },
    Flag(
      "--fail-on", taking: "MARK", among: CellStrictness.allCases.map(\.rawValue),
      "what fails: fail, also command (another exit code) or warn, or never (fail)"
    ) { settings, value throws(UsageError) in
      guard let strictness = CellStrictness(rawValue: value) else {
        throw UsageError("--fail-on \(value): expected fail, command, warn or never")
      }
      settings.exploration.strictness = strictness
    },
    clients, fixedPort,
  ]

  /// The options of `serve` that `explore` supports, too.
  static let exploredServing = serving.filter { flag in
    foreignToExplore[flag.name] == nil && !exploring.contains { $0.name == flag.name }
  }

  /// Options that `explore` does not support, with the reasons.
  static let foreignToExplore = [
    "--host": "it serves CMD on loopback", "--api-ports": "the ports would differ in each run",
    "--watch": "the data must be the same in each run", "--state": "each of its runs starts with new data",
    "--port-file": "CMD finds the port in UNDERSTUDY_PORT", "--log": "the runs' requests are in the report",
    "--journal-bodies": "--cell shows a run's card", "--admin-token": "it serves on loopback only",
    "--sweep": "its faults need no seeds", "--shrink": "each of its runs has one fault",
    "--shrink-to": "each of its runs has one fault; --save writes them",
  ]

  private static func number(_ value: String, in range: ClosedRange<Int>, of flag: String) throws(UsageError) -> Int {
    guard let number = Int(value), range.contains(number) else {
      throw UsageError("\(flag) \(value): expected a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
