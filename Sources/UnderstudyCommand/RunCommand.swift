import Understudy

/// `understudy run`: a command is run against a server of its own, and its conduct is examined afterwards.
struct RunCommand {
  let settings: Settings

  /// What one run came to.
  struct Outcome {
    let seed: UInt64
    let end: Child.End
    /// The signal that asked this program to stop meanwhile.
    let stop: Int32?
    let report: RunReport
    /// Whether the report is bad enough to fail the run.
    let isReportFailing: Bool
    /// The time from the command's start to its end.
    let duration: Duration

    var isFailing: Bool { end != .exited(0) || isReportFailing }
    /// The command's own code when that is not 0, else 3 when the report fails.
    var code: Int32 { end != .exited(0) ? end.code : isReportFailing ? ExitCode.failedReport : 0 }
  }

  /// The word of `--fail-on` for a run in which no rule struck.
  static let idle = "idle"

  /// When a report fails a run.
  enum Strictness: String, CaseIterable {
    case fail, warn, never

    func isFailing(_ worst: RunReport.Worst) -> Bool {
      switch self {
      case .fail: worst == .fail
      case .warn: worst >= .warn
      case .never: false
      }
    }
  }

  private var seeds: ClosedRange<UInt64> { settings.sweep ?? settings.options.seed...settings.options.seed }

  /// Makes sure, before anything runs, that what comes of it can be written.
  func checkPlaces() throws { try ReportFiles(settings).checkPlaces() }

  /// Runs everything that is asked for, and gives the exit code.
  func run() async throws -> Int32 {
    var outcomes: [Outcome] = []
    var stop: Int32?
    for seed in seeds {
      stop = Signals.pendingStop
      if stop != nil { break }
      if settings.sweep != nil { Progress.show(progress(seed: seed, outcomes)) }
      let outcome = try await once(seed: seed)
      Progress.clear()
      stop = outcome.stop
      // A run that was stopped half-way says nothing about its seed.
      if settings.sweep != nil, stop != nil { break }
      outcomes.append(outcome)
      tell(outcome)
      if stop != nil { break }
    }
    if settings.sweep != nil { summarize(outcomes) }
    let isWritten = write(outcomes)
    let failed = outcomes.first(where: \.isFailing)
    if let stop, settings.sweep != nil || settings.shrinks || failed == nil && outcomes.isEmpty {
      Output.writeError("understudy: stopped after \(outcomes.count) of \(seeds.count) seeds\n")
      return 128 + stop
    }
    guard let failed else { return isWritten ? 0 : ExitCode.cannotCreate }
    guard settings.shrinks else { return failed.code }
    return try await Shrinking(command: self, seed: failed.seed).run().map { 128 + $0 } ?? failed.code
  }

  /// Runs the command once against a fresh server.
  ///
  /// - Parameter rules: The places of the scenario's rules to keep; nil keeps all.
  func once(seed: UInt64, keeping rules: [Int]? = nil) async throws -> Outcome {
    var options = settings.options
    (options.keptRules, options.seed, options.port) = (rules, seed, 0)
    let server = try await MockServer.start(options)
    var variables = ["UNDERSTUDY_URL": server.url, "UNDERSTUDY_PORT": "\(server.port)", "UNDERSTUDY_SEED": "\(seed)"]
    if let token = options.adminToken { variables["UNDERSTUDY_ADMIN_TOKEN"] = token }
    let start = ContinuousClock.now
    let (end, stop) = await Child.run(settings.command, variables: variables, limit: settings.timeLimit) {
      await server.noteThatClientsAreEnded()
    }
    let duration = ContinuousClock.now - start
    let report = await server.report(isCut: end == .timedOut || stop != nil)
    await server.stop()
    let isReportFailing = settings.failOn.isFailing(report.worst) || settings.failsOnIdle && report.isIdle
    return Outcome(
      seed: seed, end: end, stop: stop, report: report, isReportFailing: isReportFailing, duration: duration)
  }

  private func tell(_ outcome: Outcome) {
    if let failure = failure(outcome.end) { Output.writeError("understudy: \(failure)\n") }
    if outcome.report.exchanges == 0, outcome.end == .exited(0) {
      Output.writeError("understudy: the command asked the server nothing: does its client use $UNDERSTUDY_URL?\n")
    }
    if settings.sweep == nil {
      Output.write(outcome.report.text(inColor: Output.isColored))
    } else {
      Output.write("seed \(outcome.seed): \(Self.words(outcome))\n")
    }
    if outcome.isFailing { Output.write("repeat: \(Repetition(settings: settings).line(seed: outcome.seed))\n") }
    if settings.sweep == nil, let sentence = outcome.report.idleSentence { Output.write(sentence + "\n") }
  }

  private func progress(seed: UInt64, _ outcomes: [Outcome]) -> String {
    Progress.ofSweep(
      seed: seed, done: outcomes.count, count: seeds.count, failing: outcomes.count(where: \.isFailing))
  }

  /// What went wrong with the command itself, in words; nil when it ended with 0.
  private func failure(_ end: Child.End) -> String? {
    switch end {
    case .notFound(let reason): "\(settings.command[0]) cannot be run: \(reason)"
    case .timedOut: "the command took longer than --timeout and was ended"
    case .signalled(let number): "the command died by signal \(number)"
    case .exited(0): nil
    case .exited(let code): "the command exited with \(code)"
    }
  }

  private static func words(_ outcome: Outcome) -> String {
    let exit = outcome.end == .exited(0) ? [] : ["the command exited with \(outcome.end.code)"]
    let checks = outcome.report.failedChecks
    let failed = checks.isEmpty ? [] : ["failed " + checks.joined(separator: ", ")]
    let verdict = exit + failed
    let words = verdict.isEmpty ? [outcome.report.worst == .warn && outcome.isFailing ? "warned" : "passed"] : verdict
    return (words + (outcome.report.isIdle ? ["no rule struck"] : [])).joined(separator: "; ")
  }

  private func summarize(_ outcomes: [Outcome]) {
    let failing = outcomes.filter(\.isFailing).map { "\($0.seed)" }
    let shown =
      failing.prefix(20).joined(separator: ", ") + (failing.count > 20 ? " and \(failing.count - 20) more" : "")
    let seeds = outcomes.count == 1 ? "1 seed" : "\(outcomes.count) seeds"
    Output.write("\(seeds), \(failing.count) failing" + (failing.isEmpty ? "\n" : ": \(shown)\n"))
  }

  /// Writes the files that were asked for, and tells of those that cannot be; whether all could.
  private func write(_ outcomes: [Outcome]) -> Bool {
    let runs = outcomes.map { outcome in
      RunFile.Run(
        seed: outcome.seed, exitCode: outcome.end.code, failure: failure(outcome.end), report: outcome.report,
        duration: outcome.duration)
    }
    let content = RunFile(runs, isSweep: settings.sweep != nil, failsOnWarnings: settings.failOn == .warn)
    return ReportFiles(settings).write(content.text)
  }
}
