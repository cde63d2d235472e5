import Contract
import Faults
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

/// `understudy run`: runs a command against its own server, and then checks the command's requests.
struct RunCommand {
  let settings: Settings

  /// A run that has ended.
  struct FinishedRun {
    let seed: UInt64
    let end: Child.End
    /// The signal that asked this program to stop during the run.
    let stop: Int32?
    let report: RunReport
    /// The requirements on the run besides the checks of its report.
    let requirements: [RunRequirement]
    /// True if the report fails the run.
    let isReportFailing: Bool
    /// True if the command succeeded without a request to the server, so that the run tested nothing.
    var isSilent: Bool { report.exchanges == 0 && end == .exited(0) }
    /// True if the command succeeded, and the backend answered none of its requests, so that the run tested nothing.
    var isUnanswered: Bool { report.unansweredReason != nil && end == .exited(0) }
    /// The time at which the command started, in RFC 3339.
    let startedAt: String
    /// The time from the command's start to its end.
    let duration: Duration

    var isFailing: Bool { end != .exited(0) || isReportFailing }
    /// The command's own code if it is not 0, or else 3 if the report fails.
    var code: Int32 { end != .exited(0) ? end.code : isReportFailing ? ExitCode.failedReport : 0 }
  }

  /// The value of `--fail-on` for a run in which no rule applied.
  static let idle = "idle"

  private var seeds: ClosedRange<UInt64> { settings.sweep ?? settings.options.seed...settings.options.seed }

  /// Checks, before any run, that the report files can be written.
  func checkPaths() throws { try ReportFiles(settings).checkPaths() }

  /// Runs everything, and returns the exit code.
  func run() async throws -> Int32 {
    for notice in try MockServer.upstreamNotices(settings.options) { Output.complain(notice) }
    let seeds = try chosenSeeds()
    var runs: [FinishedRun] = []
    var stop: Int32?
    for seed in seeds {
      stop = Signals.pendingStop
      if stop != nil { break }
      if settings.sweep != nil { Progress.show(progress(seed: seed, of: seeds.count, runs)) }
      let finished = try await once(seed: seed)
      Progress.clear()
      stop = finished.stop
      // An interrupted run has no result for its seed.
      if settings.sweep != nil, stop != nil { break }
      runs.append(finished)
      printResult(finished)
      if stop != nil { break }
    }
    if settings.sweep != nil { summarize(runs) }
    let isWritten = write(runs)
    let failed = runs.first(where: \.isFailing)
    if let stop, settings.sweep != nil || settings.shrinks || failed == nil && runs.isEmpty {
      Output.writeError("understudy: stopped after \(runs.count) of \(seeds.count) seeds\n")
      return 128 + stop
    }
    guard let failed else {
      if let reason = missReason(runs) {
        Output.complain("no seed took effect, so the sweep fails unless --fail-on is never: \(reason)")
        return ExitCode.failedReport
      }
      return isWritten ? 0 : ExitCode.cannotWrite
    }
    guard settings.shrinks else { return failed.code }
    return try await ScenarioReducer(command: self, seed: failed.seed, isSilent: failed.isSilent).run().map { 128 + $0 }
      ?? failed.code
  }

  /// Returns the reason why a sweep tested nothing: no rule took effect with any seed, although other requests could have met
  /// one; nil if one did.
  private func missReason(_ runs: [FinishedRun]) -> String? {
    guard settings.sweep != nil, settings.failOn != .never else { return nil }
    let reasons = runs.map { missReason(of: $0.report) }
    return reasons.allSatisfy { $0 != nil } ? reasons.last ?? nil : nil
  }

  /// Returns the reason why no rule took effect, although one could have on other requests; nil if there is none.
  private func missReason(of report: RunReport) -> String? {
    guard let only = settings.options.only, report.isIdle, report.cards.contains(where: \.card.hasRules),
      !report.requests.isEmpty, !report.requests.contains(where: { only.matches($0.path) })
    else { return report.missReason }
    let targets = report.requests.map { "\($0.method) \($0.path)" }.distinct()
    let shown = targets.prefix(5).joined(separator: ", ") + (targets.count > 5 ? ", …" : "")
    return
      "No request has a path that matches --only \(only.text), so this run did not test any failure; the requests are \(shown)"
  }

  /// The seeds of the runs: one, if no seed changes the scenario's faults.
  private func chosenSeeds() throws -> ClosedRange<UInt64> {
    guard let sweep = settings.sweep, sweep.count > 1, try !MockServer.dependsOnSeed(settings.options) else {
      // The command may make faults itself, by Prefer or by hand.
      if settings.sweep != nil, try MockServer.ruleCount(of: settings.options) == 0 {
        Output.complain(
          "the scenario \(settings.options.scenario) has no rules, so no seed changes a fault; give a --scenario, or try explore"
        )
      }
      return seeds
    }
    Output.complain(
      "no seed changes the scenario \(settings.options.scenario): nothing in it is drawn, so it runs once")
    return sweep.lowerBound...sweep.lowerBound
  }

  /// Runs the command once against a new server.
  ///
  /// - Parameter rules: The indices of the scenario's rules to use; nil for all.
  func once(seed: UInt64, keeping rules: [Int]? = nil) async throws -> FinishedRun {
    var options = settings.options
    (options.keptRules, options.seed) = (rules, seed)
    // It records the paths of the requests.
    if options.only != nil { options.exploration = ExplorationLayer() }
    let server = try await MockServer.start(options)
    var variables = server.variables(seed: seed)
    if let token = options.adminToken { variables["UNDERSTUDY_ADMIN_TOKEN"] = token }
    let (startedAt, start) = (Timestamp.seconds(SystemClock.instant()), ContinuousClock.now)
    let (end, stop) = await Child.run(settings.command, variables: variables, limit: settings.timeLimit) {
      await server.markClientsEnded()
    }
    let duration = ContinuousClock.now - start
    let report = await server.stopAndReport(isCut: end == .timedOut || stop != nil, exitCode: end.exitCode)
    let requirements = requirements(on: report, of: end, isWhole: rules == nil)
    let isReportFailing =
      settings.failOn.isFailing(report.verdict) || requirements.contains { $0.failure != nil }
    return FinishedRun(
      seed: seed, end: end, stop: stop, report: report, requirements: requirements, isReportFailing: isReportFailing,
      startedAt: startedAt, duration: duration)
  }

  /// Returns the requirements on a run. For a command that failed, its own failure says more than a missing request.
  ///
  /// - Parameter isWhole: False if rules were left out of the scenario.
  private func requirements(on report: RunReport, of end: Child.End, isWhole: Bool) -> [RunRequirement] {
    var list: [RunRequirement] = []
    if end == .exited(0), settings.failOn != .never {
      list.append(.requests(failure: report.exchanges == 0 ? Self.noRequest : nil))
      if settings.options.upstream != nil { list.append(.backend(failure: unanswered(report))) }
    }
    if settings.failsOnIdle {
      list.append(.faults(failure: report.idleReason))
    } else if isWhole, settings.sweep == nil, end == .exited(0), settings.failOn != .never, report.exchanges > 0,
      let reason = missReason(of: report)
    {
      list.append(.faults(failure: reason))
    }
    return list
  }

  /// Returns the reason why a run without an answer of the backend tested nothing; nil if there was one.
  private func unanswered(_ report: RunReport) -> String? {
    report.unansweredReason.map { "\($0) to \(settings.options.upstream ?? "it")" }
  }

  /// The failure of a run without a request.
  static let noRequest =
    "The server got no request from the command; its client must use the address in $UNDERSTUDY_URL"

  private func printResult(_ finished: FinishedRun) {
    // A command that did not start says nothing about a client, and its repetition would not start either.
    let hasStarted = if case .notStarted = finished.end { false } else { true }
    // The command's output may end within a line.
    if hasStarted, settings.sweep == nil { Output.write("\n") }
    if let failure = Self.failure(finished.end, of: settings.command[0]) { Output.complain(failure) }
    guard hasStarted else { return }
    let verdict = settings.failOn == .never ? "" : ", so the run fails unless --fail-on is never"
    if finished.report.exchanges == 0 { Output.complain(Self.noRequest + (finished.isSilent ? verdict : "")) }
    if let reason = unanswered(finished.report) { Output.complain(reason + (finished.isUnanswered ? verdict : "")) }
    if settings.sweep == nil {
      for notice in finished.report.semanticsNotices { Output.complain(notice) }
      let style = Output.style
      Output.write(finished.report.text(inColor: style.isColored, width: style.width))
      if let reason = missReason(of: finished.report) ?? finished.report.idleReason {
        Output.write(style.wrapped(reason + ".") + "\n")
      }
    } else {
      Output.write("seed \(finished.seed): \(Self.summary(finished))\n")
    }
    if finished.isFailing { Output.write("repeat: \(repetition(of: finished))\n") }
  }

  private func repetition(of finished: FinishedRun) -> String {
    RerunCommand(settings: settings).line(seed: finished.seed)
  }

  private func progress(seed: UInt64, of count: Int, _ runs: [FinishedRun]) -> String {
    Progress.ofSweep(
      seed: seed, done: runs.count, count: count, failing: runs.count(where: \.isFailing))
  }

  /// Returns the command's own failure as a sentence; nil if it ended with 0.
  static func failure(_ end: Child.End, of program: String) -> String? {
    switch end {
    case .notStarted(let code): failure(toStart: program, code)
    case .timedOut: "the command exceeded --timeout and was terminated"
    case .signalled(let number): "signal \(number) terminated the command"
    case .exited(0): nil
    case .exited(let code): "the command exited with \(code)"
    }
  }

  /// Returns why a program could not be started, and what to do.
  private static func failure(toStart program: String, _ code: Int32) -> String {
    let (name, isPath) = (ShellText.line([program]), program.contains("/"))
    let variable = program.prefix { $0 != "=" }
    let setsVariable =
      !variable.isEmpty && variable.count < program.count
      && variable.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    // A path may have spaces, so it is a command line only if its first word is a program.
    let isLine = program.contains(" ") && (!isPath || Child.isProgram(program.prefix { $0 != " " }))
    return switch code {
    case ENOENT where setsVariable && program.contains(" "):
      "there is no program \(name); give the words one by one, after env, which sets variables: -- env \(program)"
    case ENOENT where setsVariable: "there is no program \(name); env sets variables: -- env \(name) …"
    case ENOENT where isLine: "there is no program \(name); give the words one by one: -- \(program)"
    case ENOENT where isPath: "there is no program \(name), or its interpreter is missing"
    case ENOENT: "there is no program \(name) in the directories of PATH; install it, or give its path"
    case EACCES where isPath && File.isDirectory(program): "\(name) is a directory, not a program"
    case EACCES: "\(name) is not executable" + (isPath ? "; chmod +x makes it so" : "")
    case ENOEXEC: "\(name) is not a program for this machine, and has no #! line"
    default: "\(name) cannot be run: \(SystemError.reason(of: code))"
    }
  }

  private static func summary(_ finished: FinishedRun) -> String {
    let exit = finished.end == .exited(0) ? [] : ["the command exited with \(finished.end.code)"]
    let checks = finished.report.failedChecks
    let failed =
      (checks.isEmpty ? [] : ["failed " + checks.joined(separator: ", ")])
      + (finished.isSilent && finished.isFailing ? ["failed without a request"] : [])
      + (finished.isUnanswered && finished.isFailing ? ["failed without an answer of the backend"] : [])
    let verdict = exit + failed
    let failing = finished.report.worst == .warn ? "warned" : "failed"
    let words = verdict.isEmpty ? [finished.isFailing ? failing : "passed"] : verdict
    return (words + (finished.report.isIdle ? ["no rule took effect"] : [])).joined(separator: "; ")
  }

  private func summarize(_ runs: [FinishedRun]) {
    let failing = runs.filter(\.isFailing).map { "\($0.seed)" }
    let shown =
      failing.prefix(20).joined(separator: ", ") + (failing.count > 20 ? " and \(failing.count - 20) more" : "")
    let seeds = runs.count == 1 ? "1 seed" : "\(runs.count) seeds"
    Output.write("\(seeds), \(failing.count) failing" + (failing.isEmpty ? "\n" : ": \(shown)\n"))
  }

  /// Writes the requested files, and reports those that cannot be written; returns true if all were.
  private func write(_ runs: [FinishedRun]) -> Bool {
    let reported = runs.map { finished in
      let command = ReportRun.Command(
        seed: finished.seed, words: settings.command, repetition: repetition(of: finished),
        startedAt: finished.startedAt,
        upstream: settings.options.upstream, exitCode: finished.end.code,
        failure: Self.failure(finished.end, of: settings.command[0]),
        duration: finished.duration, requirements: finished.requirements)
      return ReportRun(command, finished.report.cards)
    }
    let file = ReportFile(reported, of: .command, failsOnWarnings: settings.failOn == .warn)
    return ReportFiles(settings).write { file.text($0) }
  }
}
