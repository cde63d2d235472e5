import Exploration
import Faults
import Foundation
import HTTP1
import JSON
import Platform
import Primitives
import Report
import Testing
import Understudy

/// The exploration of one test.
struct TestExploration: Sendable {
  let faults: FaultSelection
  let limit: Int
  let scenario: Scenario?
  let seed: UInt64?
  let data: Data?
  let upstream: URL?
  let semantics: URL?
  let threshold: ReportCard.Threshold
  let location: SourceLocation

  typealias Body = @Sendable (Backend) async throws -> Void

  /// Calls the body for each cell, and reports the failing ones.
  ///
  /// - Parameter filter: The regular expression that chooses the test, for the lines that repeat a cell.
  func run(chosenBy filter: String, _ body: @escaping Body) async throws {
    var options = Explorer.Options()
    options.ways = try faults.ways.get()
    options.limit = max(0, limit)
    options.strictness = strictness
    options.cell = try Self.cell(ProcessInfo.processInfo.environment[RepeatLine.cellVariable])
    let name = Test.current.map { SandboxName(of: $0.name).numbered(1) }
    let explorer = Explorer(options, isStopped: { Task.isCancelled }) { try await call(body, $0, named: name) }
    let table: FaultTable
    do {
      table = try await explorer.explore()
    } catch {
      // The errors of a cancelled call are not the test's.
      try Task.checkCancellation()
      guard let obstacle = error as? Explorer.Obstacle else { throw error }
      return try fail([sentence(for: obstacle)])
    }
    try conclude(table, filter)
    try Task.checkCancellation()
  }

  /// Parses the name of the only cell to run.
  static func cell(_ text: String?) throws(BackendError) -> CellName? {
    guard let text, !text.isEmpty else { return nil }
    do throws(FaultWay.Defect) {
      return try CellName(text)
    } catch {
      throw .unusable("\(RepeatLine.cellVariable)=\(text): \(error.detail)")
    }
  }

  /// Calls the body once with a server of its own.
  private func call(_ body: Body, _ assignment: Explorer.Assignment, named name: String?) async throws -> ExploredRun {
    var options = MockServer.Options()
    options.seed = effectiveSeed
    options.timeouts = .patient
    options.journalsSecrets = true
    options.upstream = upstream?.absoluteString
    options.semanticsFile = semantics?.path
    options.exploration = ExplorationLayer(assignment.layer, seed: options.seed)
    let server: MockServer
    do throws(StartError) {
      server = try await MockServer.start(options)
    } catch {
      throw BackendError.notStarted(error)
    }
    let backend: Backend
    do {
      backend = try await Backend.start(scenario, seed: seed, named: name, data: data, on: .running(server))
    } catch {
      await server.stop()
      throw error
    }
    let start = ContinuousClock.now
    let failures = await failures(of: body, backend, in: assignment.cell)
    let duration = ContinuousClock.now - start
    let report = await server.stopAndReport(isCut: false)
    return ExploredRun(
      report: report, exitCode: failures.isEmpty ? 0 : 1,
      end: failures.first.map { ExploredRun.End.failure($0) } ?? .success, duration: duration, output: failures)
  }

  private var effectiveSeed: UInt64 { seed ?? Environment.seed ?? 1 }

  /// Calls the body, and returns what fails in it. A failed expectation becomes a known issue, because it is a failure of its
  /// cell, and no other call of the test has it.
  private func failures(of body: Body, _ backend: Backend, in cell: String?) async -> [String] {
    let failures = Locked<[String]>([])
    guard Test.current != nil else {
      do {
        try await body(backend)
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
      return failures.withLock { $0 }
    }
    // Every issue matches, so nothing is thrown.
    try? await withKnownIssue(
      "in the cell \(cell ?? "without faults")", isIntermittent: true, sourceLocation: location
    ) {
      try await body(backend)
    } matching: { issue in
      failures.withLock { $0.append("\(issue)") }
      return true
    }
    return failures.withLock { $0 }
  }

  private func conclude(_ table: FaultTable, _ filter: String) throws {
    var table = table
    table.upstream = upstream?.absoluteString
    table.repeatLine = { [effectiveSeed] cell in
      RepeatLine(seed: effectiveSeed, filter: filter, cell: cell).description
    }
    var failures = table.failing.map { sentence(about: $0, in: table) }
    if !Task.isCancelled {
      if let obstacle = table.obstacle {
        let reason = (obstacle as? Explorer.Obstacle).map { sentence(for: $0) } ?? "\(obstacle)"
        failures.append("The exploration ended early: \(reason)")
      } else if let reason = emptyReason(table) {
        failures.append(reason)
      }
    }
    if Test.current != nil {
      Attachment.record(table.text(), named: "exploration.txt", sourceLocation: location)
      if !failures.isEmpty { Attachment.record(table.page, named: "exploration.html", sourceLocation: location) }
    }
    for notice in notices(table) { warn(notice) }
    try fail(failures, table: table.text())
  }

  /// Returns the mistakes or the failure of a cell, and the line that repeats it.
  private func sentence(about result: CellResult, in table: FaultTable) -> String {
    let name = table.name(of: result)
    let findings = result.findings.map { "\($0.check): \($0.sentence)" }
    let reasons = findings.isEmpty ? [result.run?.failure ?? ""] : findings
    return "\(name): \(reasons.joined(separator: " "))\nrepeat: \(table.repeatLine(name))"
  }

  /// Returns the reason why the table says nothing about the test; nil if a fault struck in a cell, or if
  /// nothing fails.
  private func emptyReason(_ table: FaultTable) -> String? {
    table.runs == 0 ? "No cell ran, because the limit is \(limit)." : table.idleness
  }

  /// Returns what the table does not say about the test's requests.
  private func notices(_ table: FaultTable) -> [String] {
    var notices = table.remarks
    let (count, unrun, unmet) = (table.results.count, table.count(.unrun), table.count(.unmet))
    if unmet > 0 {
      notices.append("In \(unmet) of \(count) cells the request did not come again, or could not fail so.")
    }
    if unrun > 0 {
      let isCutShort = table.obstacle != nil || Task.isCancelled
      notices.append("\(unrun) of \(count) cells did not run\(isCutShort ? "" : "; limit: \(count) runs them all").")
    }
    return notices
  }

  /// A failed expectation fails its cell, unlike the exit code of a program, which may be an honest answer.
  private var strictness: CellStrictness {
    switch threshold {
    case .warn: .warn
    case .fail: .command
    case .never: .never
    }
  }

  private func sentence(for obstacle: Explorer.Obstacle) -> String {
    switch obstacle {
    case .command(let run, _): "without faults: " + run.output.joined(separator: "\n")
    case .noRequest: "The test sent no request to its backend; its client must use Backend.current.url."
    case .card(let run, _): run.calmMistake
    case .noAnswer(let reason): "\(reason) to \(upstream?.absoluteString ?? "it")."
    case .noCells(_, _, let remarks) where !remarks.isEmpty:
      "No request of the test can fail alone: \(remarks.joined(separator: " "))"
    case .noCells(let targets, _, _):
      "No request of the test can fail in one of the ways of its faults. Its requests are \(targets.joined(separator: ", "))."
    case .noRow(let rows):
      "no request has the name in \(RepeatLine.cellVariable); there are \(rows.joined(separator: ", "))"
    case .noCell(let cell): "\(cell): the request cannot fail so: \(FaultWay.strikeConditions)"
    case .stopped: "stopped"
    }
  }

  /// Records each failure as an issue; outside of Swift Testing, throws them.
  private func fail(_ failures: [String], table: String = "") throws {
    guard Test.current != nil else {
      guard failures.isEmpty else { throw FailedExploration(failures: failures, table: table) }
      return
    }
    for failure in failures { Issue.record("\(failure)", sourceLocation: location) }
  }

  /// Records a warning, which fails no test; where there are none, prints it.
  private func warn(_ notice: String) {
    #if compiler(>=6.3)
      if Test.current != nil {
        Issue.record("\(notice)", severity: .warning, sourceLocation: location)
        return
      }
    #endif
    print("warning: \(location.fileID):\(location.line): \(notice)")
  }
}
