import Primitives
package import Report
package import Understudy

/// One run of the command, calm or with the fault of a cell.
package struct ExploredRun: Sendable {
  package let report: RunReport
  /// The exit code of the command, as a shell would show it.
  package let exitCode: Int32
  /// The failure of the command as a clause; nil if it succeeded.
  package let failure: String?
  /// True if the command did not end in time.
  package let isHung: Bool
  package let duration: Duration
  /// The last lines of the command's output.
  package let output: [String]

  package init(
    report: RunReport, exitCode: Int32, failure: String?, isHung: Bool = false, duration: Duration, output: [String]
  ) {
    self.report = report
    self.exitCode = exitCode
    self.failure = failure
    self.isHung = isHung
    self.duration = duration
    self.output = output
  }
}

extension ExploredRun {
  /// Returns the run without what its server stored: only its cards, with the newest of their requests. A table holds hundreds
  /// of them.
  fileprivate func withoutJournals() -> ExploredRun {
    let cards = report.cards.withRequests.map { last in
      var card = last.card
      card.truncateTimeline()
      let kept = card
      return FinalCard(name: last.name) { kept }
    }
    return ExploredRun(
      report: RunReport(cards: cards), exitCode: exitCode, failure: failure, isHung: isHung, duration: duration,
      output: output)
  }
}

/// A cell and its result.
package struct CellResult: Sendable {
  package let cell: ExploredCell
  package let mark: CellMark
  /// The checks that failed, or else those that warned, and did not so in the calm runs.
  package let checks: [String]
  /// The run; nil if the cell was not run.
  package let run: ExploredRun?
  /// True if an earlier report knows the failure.
  package internal(set) var isKnown = false

  /// Creates the result of a cell that was not run.
  init(unrun cell: ExploredCell) {
    self.cell = cell
    mark = .unrun
    checks = []
    run = nil
  }

  init(_ cell: ExploredCell, _ run: ExploredRun, besides calm: CalmVerdicts) {
    self.cell = cell
    self.run = run.withoutJournals()
    let failed = run.report.checks(.fail).filter { !calm.failed.contains($0) }
    let warned = run.report.checks(.warn).filter { !calm.warned.contains($0) }
    let isStruck = run.report.requests.contains(where: \.isStruck)
    mark =
      if run.isHung {
        .hung
      } else if !failed.isEmpty {
        .failed
      } else if !isStruck {
        .unmet
      } else if run.failure != nil {
        .command
      } else {
        warned.isEmpty ? .survived : .warned
      }
    checks =
      switch mark {
      case .failed, .hung: failed
      case .warned, .command: warned
      case .survived, .unmet, .unrun: []
      }
  }

  /// The lines of its cards about its checks.
  package var lines: [(card: ReportCard, line: ReportCard.Line)] {
    guard let run else { return [] }
    return run.report.cards.map(\.card).flatMap { card in
      card.lines.filter { checks.contains($0.id) && $0.verdict >= .warn }.map { (card, $0) }
    }
  }
}

/// The checks that fail or warn without faults, and so are no mistake of a cell.
struct CalmVerdicts: Sendable {
  let failed: Set<String>
  let warned: Set<String>

  init(_ runs: [ExploredRun]) {
    failed = Set(runs.flatMap { $0.report.checks(.fail) })
    warned = Set(runs.flatMap { $0.report.checks(.warn) })
  }
}

extension RunReport {
  /// Returns the ids of the client's checks with a verdict, each once.
  func checks(_ verdict: Verdict) -> [String] {
    cards.flatMap(\.card.lines).filter { $0.isOfClient && $0.verdict == verdict }.map(\.id).distinct()
  }
}
