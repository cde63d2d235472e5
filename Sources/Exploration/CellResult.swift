import Primitives
package import Report
package import Understudy

/// One run of the command, calm or with the fault of a cell.
package struct ExploredRun: Sendable {
  package let report: RunReport
  /// The exit code of the command, as a shell would show it.
  package let exitCode: Int32
  package let end: End
  package let duration: Duration
  /// The last lines of the command's output.
  package let output: [String]

  /// The end of the command, where it failed with a clause that says how.
  package enum End: Sendable, Equatable {
    case success
    /// The command ended with another code than 0.
    case failure(String)
    /// A signal ended it.
    case crash(String)
    /// It did not end in time.
    case hang(String)
  }

  /// The failure of the command as a clause; nil if it succeeded.
  package var failure: String? {
    switch end {
    case .success: nil
    case .failure(let clause), .crash(let clause), .hang(let clause): clause
    }
  }

  /// The mistakes of a run without faults, as a clause.
  package var calmMistake: String {
    "without a fault, the client already fails \(report.failedChecks.joined(separator: ", "))"
  }

  package init(report: RunReport, exitCode: Int32, end: End, duration: Duration, output: [String]) {
    self.report = report
    self.exitCode = exitCode
    self.end = end
    self.duration = duration
    self.output = output
  }
}

extension ExploredRun {
  /// Returns the run without the journals of its server: only its cards, with the newest of their requests. A table holds
  /// hundreds of them.
  ///
  /// - Parameter fault: The name of its cell, of which the server's scenario knows nothing.
  fileprivate func withoutJournals(with fault: String) -> ExploredRun {
    let cards = report.cards.withRequests.map { last in
      var card = last.card
      card.truncateTimeline()
      card.name(faultBesideScenario: fault)
      let kept = card
      return FinalCard(name: last.name) { kept }
    }
    return ExploredRun(
      report: RunReport(cards: cards, requests: Array(shownRequests)), exitCode: exitCode, end: end, duration: duration,
      output: output)
  }
}

extension ExploredRun {
  /// The requests that tell what happened: those from the first with the fault on; in a calm run the last ones.
  private var shownRequests: ArraySlice<ExploredRequest> {
    guard let first = report.requests.firstIndex(where: \.isStruck) else {
      return report.requests.suffix(ReportCard.maximumShown)
    }
    return report.requests[first...].prefix(ReportCard.maximumShown)
  }

  /// The same as lines: `POST /book: no response (the fault)`.
  package var requestLines: [String] {
    shownRequests.map { request in
      let status = request.status.map { "\($0)" } ?? "no response"
      return "\(request.method) \(request.path): \(status)\(request.isStruck ? " (the fault)" : "")".printable
    }
  }
}

/// A cell and its result.
package struct CellResult: Sendable {
  package let cell: ExploredCell
  package let mark: CellMark
  /// The checks that failed, or else those that warned, and did not so in the calm runs.
  package let checks: [String]
  /// The one of them that fails but only warns here, because no write took effect more often than in the calm runs.
  package let doubtful: String?
  /// The run; nil if the cell was not run.
  package let run: ExploredRun?
  /// The ordinal by which a scenario knows the request with the fault.
  let ordinal: Int?
  /// True if an earlier report knows the failure.
  package internal(set) var isKnown = false

  /// Creates the result of a cell that was not run.
  init(unrun cell: ExploredCell) {
    self.cell = cell
    mark = .unrun
    checks = []
    doubtful = nil
    run = nil
    ordinal = nil
  }

  init(_ cell: ExploredCell, named name: String, _ run: ExploredRun, besides calm: CalmVerdicts) {
    self.cell = cell
    self.run = run.withoutJournals(with: name)
    let doubled = ReportCard.doubledEffects
    let found = run.report.checks(.fail).filter { !calm.failed.contains($0) }
    let isDoubtful = found.contains(doubled) && !calm.isExceeded(by: run)
    let failed = found.filter { $0 != doubled || !isDoubtful }
    let warned = run.report.checks(.warn).filter { !calm.warned.contains($0) } + (isDoubtful ? [doubled] : [])
    doubtful = isDoubtful ? doubled : nil
    let struck = run.report.requests.first(where: \.isStruck)
    ordinal = struck?.n
    mark =
      switch run.end {
      case .hang: .hung
      case _ where !failed.isEmpty: .failed
      case .crash: .crashed
      case _ where struck == nil: .unmet
      case .failure: .command
      case .success: warned.isEmpty ? .survived : .warned
      }
    checks =
      switch mark {
      case .failed, .hung: failed
      case .warned, .command, .crashed: warned
      case .survived, .unmet, .unrun: []
      }
  }

  /// Returns true if it fails an exploration. A failure that an earlier report knows does not.
  package func isFailing(_ strictness: CellStrictness) -> Bool { !isKnown && strictness.isFailing(mark) }

  /// Returns true if another run of the command has the same failure.
  package func isRepeated(by other: ExploredRun) -> Bool {
    let (failed, warned) = (other.report.checks(.fail), other.report.checks(.warn))
    return switch (mark, other.end) {
    case (.failed, _): Set(failed).isSuperset(of: checks)
    case (.warned, _): Set(failed + warned).isSuperset(of: checks)
    case (.hung, .hang), (.crashed, .crash), (.command, .failure): true
    case (.hung, _), (.crashed, _), (.command, _), (.survived, _), (.unmet, _), (.unrun, _): false
    }
  }

  /// Returns the verdict of one of its checks; nil for others.
  func verdict(of check: String) -> Verdict? { findings.filter { $0.check == check }.map(\.verdict).max() }

  /// The findings of its cards about its checks.
  package var findings: [Finding] {
    guard let run else { return [] }
    return run.report.cards.map(\.card).flatMap { card in
      card.checks.filter { checks.contains($0.id) && $0.verdict >= .warn }.map { check in
        guard check.id == doubtful else {
          return Finding(
            check: check.id, verdict: check.verdict, sentence: check.sentence, evidence: check.evidence, in: card)
        }
        let sentence = check.sentence + " Without the fault it takes effect as often, so the second may be meant."
        return Finding(check: check.id, verdict: .warn, sentence: sentence, evidence: check.evidence, in: card)
      }
    }
  }

  /// The verdict of a check on a cell, and the requests that prove it.
  package struct Finding: Sendable {
    package let check: String
    package let verdict: Verdict
    package let sentence: String
    /// The ids of the requests.
    let evidence: [Int]
    let card: ReportCard

    fileprivate init(check: String, verdict: Verdict, sentence: String, evidence: [Int], in card: ReportCard) {
      self.check = check
      self.verdict = verdict
      self.sentence = sentence
      self.evidence = evidence
      self.card = card
    }

    /// The requests as lines: `#2 POST /book: 200, reset after commit`.
    var requests: [String] { evidence.prefix(ReportCard.maximumShown).compactMap(card.words(ofEntry:)) }
  }
}

/// The checks that fail or warn without faults, and so are no mistake of a cell.
struct CalmVerdicts: Sendable {
  let failed: Set<String>
  let warned: Set<String>
  /// For each write, the largest number of times that it took effect in one run.
  private let effects: [ExploredRequest.Write: Int]

  init(_ runs: [ExploredRun]) {
    failed = Set(runs.flatMap { $0.report.checks(.fail) })
    warned = Set(runs.flatMap { $0.report.checks(.warn) })
    effects = runs.map(\.report.effects).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) }
  }

  /// Returns true if a write took effect more often in a run than in each calm one.
  func isExceeded(by run: ExploredRun) -> Bool {
    run.report.effects.contains { $0.value > effects[$0.key, default: 0] }
  }
}

extension RunReport {
  /// The number of times that each write took effect.
  fileprivate var effects: [ExploredRequest.Write: Int] {
    requests.compactMap(\.effect).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Returns the ids of the client's checks with a verdict, each once.
  func checks(_ verdict: Verdict) -> [String] {
    cards.flatMap(\.card.checks).filter { $0.isOfClient && $0.verdict == verdict }.map(\.id).distinct()
  }
}
