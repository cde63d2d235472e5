import Understudy

/// `understudy run`: a command is run against a server of its own, and its conduct is examined afterwards.
struct RunCommand {
  let settings: Settings

  /// What one run came to.
  struct Outcome {
    let seed: UInt64
    let end: Child.End
    let report: RunReport
    /// Whether the report is bad enough to fail the run.
    let isReportFailing: Bool

    var isFailing: Bool { end != .exited(0) || isReportFailing }
    /// The command's own code when that is not 0, else 3 when the report fails.
    var code: Int32 { end != .exited(0) ? end.code : isReportFailing ? 3 : 0 }
  }

  /// When a report fails a run.
  enum Strictness: String, CaseIterable {
    case fail, warn, never
  }

  /// Runs everything that is asked for, and gives the exit code.
  func run() async throws -> Int32 {
    var outcomes: [Outcome] = []
    for seed in settings.sweep ?? settings.options.seed...settings.options.seed {
      let outcome = try await once(scenario: settings.options.scenario, seed: seed)
      outcomes.append(outcome)
      tell(outcome)
    }
    if settings.sweep != nil { summarize(outcomes) }
    try write(outcomes)
    guard let failed = outcomes.first(where: \.isFailing) else { return 0 }
    if settings.shrinks, try await !Shrinking(command: self, seed: failed.seed).run() {
      Output.writeError("understudy: no rule of the scenario is needed for the failure\n")
    }
    return failed.code
  }

  /// Runs the command once against a fresh server.
  func once(scenario: String, seed: UInt64) async throws -> Outcome {
    var options = settings.options
    (options.scenario, options.seed, options.port) = (scenario, seed, 0)
    let server = try await Understudy.start(options)
    let variables = ["UNDERSTUDY_URL": server.url, "UNDERSTUDY_PORT": "\(server.port)", "UNDERSTUDY_SEED": "\(seed)"]
    let end = Child.run(settings.command, variables: variables, limit: settings.timeLimit)
    let report = await server.report()
    await server.stop()
    let isFailing =
      switch settings.failOn {
      case .fail: report.worst == .fail
      case .warn: report.worst >= .warn
      case .never: false
      }
    return Outcome(seed: seed, end: end, report: report, isReportFailing: isFailing)
  }

  private func tell(_ outcome: Outcome) {
    switch outcome.end {
    case .notFound(let reason): Output.writeError("understudy: \(settings.command[0]) cannot be run: \(reason)\n")
    case .timedOut: Output.writeError("understudy: the command took longer than --timeout and was ended\n")
    case .signalled(let number): Output.writeError("understudy: the command died by signal \(number)\n")
    case .exited: break
    }
    if settings.sweep == nil {
      Output.write(outcome.report.text(inColor: Output.isColored))
    } else {
      Output.write("seed \(outcome.seed): \(Self.words(outcome))\n")
    }
    if outcome.isFailing { Output.write("repeat: \(repetition(seed: outcome.seed))\n") }
  }

  private static func words(_ outcome: Outcome) -> String {
    let exit = outcome.end == .exited(0) ? [] : ["the command exited with \(outcome.end.code)"]
    let checks = outcome.report.failedChecks
    let failed = checks.isEmpty ? [] : ["failed " + checks.joined(separator: ", ")]
    let parts = exit + failed
    return parts.isEmpty ? (outcome.isFailing ? "warned" : "passed") : parts.joined(separator: "; ")
  }

  private func summarize(_ outcomes: [Outcome]) {
    let failing = outcomes.filter(\.isFailing).map { "\($0.seed)" }
    let shown =
      failing.prefix(20).joined(separator: ", ") + (failing.count > 20 ? " and \(failing.count - 20) more" : "")
    Output.write("\(outcomes.count) seeds, \(failing.count) failing" + (failing.isEmpty ? "\n" : ": \(shown)\n"))
  }

  private func repetition(seed: UInt64) -> String {
    let words = settings.command.map { word in
      word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=@%+,".contains($0) } && !word.isEmpty
        ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
    return "understudy run --scenario \(settings.options.scenario) --seed \(seed) -- " + words.joined(separator: " ")
  }

  private func write(_ outcomes: [Outcome]) throws {
    if let file = settings.junitFile {
      let runs = outcomes.map { ("understudy.seed-\($0.seed)", $0.report) }
      try TextFile.write(RunReport.junitXML(runs), to: file)
    }
    if let file = settings.reportFile, let outcome = outcomes.first(where: \.isFailing) ?? outcomes.last {
      try TextFile.write(file.hasSuffix(".txt") ? outcome.report.text() : outcome.report.json, to: file)
    }
  }
}
