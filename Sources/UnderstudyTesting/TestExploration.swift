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
    options.limit = limit
    options.cell = try Self.cell(ProcessInfo.processInfo.environment[RepeatLine.cellVariable])
    let name = Test.current.map { SandboxName(of: $0.name).numbered(1) }
    let explorer = Explorer(options) { try await call(body, $0, named: name) }
    do {
      try await conclude(explorer.explore(), filter)
    } catch let obstacle as Explorer.Obstacle {
      try report(obstacle)
    }
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
    options.upstream = upstream?.absoluteString
    options.semanticsFile = semantics?.path
    options.exploration = ExplorationLayer(adding: assignment.fault, seed: options.seed)
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
      report: report, exitCode: failures.isEmpty ? 0 : 1, failure: failures.first, duration: duration, output: failures)
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
    if let obstacle = table.obstacle { throw obstacle }
    let failing = table.failing(strictness)
    let sentences = failing.map { result in
      let findings = result.lines.map { "\($0.line.id): \($0.line.sentence)" }
      let reasons = findings.isEmpty ? [result.run?.failure ?? ""] : findings
      return
        "\(table.name(of: result)): \(reasons.joined(separator: " "))\nrepeat: \(table.repeatLine(table.name(of: result)))"
    }
    guard Test.current != nil else {
      guard failing.isEmpty else { throw FailedExploration(failures: sentences, table: table.text()) }
      return
    }
    Attachment.record(table.text(), named: "exploration.txt", sourceLocation: location)
    guard !failing.isEmpty else { return }
    Attachment.record(table.page, named: "exploration.html", sourceLocation: location)
    for sentence in sentences { Issue.record("\(sentence)", sourceLocation: location) }
  }

  /// A failed expectation fails its cell, unlike the exit code of a program, which may be an honest answer.
  private var strictness: CellStrictness {
    switch threshold {
    case .warn: .warn
    case .fail: .command
    case .never: .never
    }
  }

  private func report(_ obstacle: Explorer.Obstacle) throws {
    let sentence =
      switch obstacle {
      case .command(let run): "without faults: " + run.output.joined(separator: "\n")
      case .noRequest: "The test sent no request to its backend; its client must use Backend.current.url."
      case .card(let run): "without faults, the client already fails \(run.report.failedChecks.joined(separator: ", "))"
      case .noRow(let rows):
        "no request has the name in \(RepeatLine.cellVariable); there are \(rows.joined(separator: ", "))"
      case .noCell(let cell): "\(cell): the request cannot fail so"
      case .stopped: "stopped"
      }
    guard Test.current != nil else { throw FailedExploration(failures: [sentence], table: "") }
    Issue.record("\(sentence)", sourceLocation: location)
  }
}
