package import Faults
import JSON
import Primitives
package import Report
import Understudy

/// The result of an exploration: which requests of a command may fail in which ways.
package struct FaultTable: Sendable {
  package internal(set) var grid: CellGrid
  package private(set) var results: [CellResult] = []
  /// The requests that are no rows, as sentences.
  package let remarks: [String]
  /// The first calm run.
  package let calm: ExploredRun
  /// The marks that fail the exploration.
  package let strictness: CellStrictness
  /// The error that ended the exploration before its last cell.
  package internal(set) var obstacle: (any Error)?
  /// The failing cells of an earlier report that were survived now.
  package internal(set) var mended: [String] = []
  /// Advice on the command line, as sentences.
  package var advice: [String] = []
  /// The command line, for the report.
  package var command: [String] = []
  /// The URL of the backend; nil for the five APIs.
  package var upstream: String?
  /// Returns the command line that repeats a cell.
  package var repeatLine: @Sendable (_ cell: String) -> String = { $0 }

  init(grid: CellGrid, remarks: [String], calm: ExploredRun, strictness: CellStrictness) {
    self.grid = grid
    self.remarks = remarks
    self.calm = calm
    self.strictness = strictness
  }

  mutating func add(_ results: [CellResult]) { self.results += results }

  /// Puts the results into the order of rows and ways.
  mutating func sort() {
    results.sort {
      ($0.cell.row, $0.cell.way, $0.cell.isTwice ? 1 : 0) < ($1.cell.row, $1.cell.way, $1.cell.isTwice ? 1 : 0)
    }
  }

  package func name(of result: CellResult) -> String { grid.name(of: result.cell) }

  /// Returns the number of cells with a mark that no earlier report knows.
  package func count(_ mark: CellMark) -> Int { results.count { $0.mark == mark && !$0.isKnown } }

  /// The number of cells that were run.
  package var runs: Int { results.count { $0.mark != .unrun } }

  /// A sentence if no fault took effect in any cell that was run, which fails the exploration: it tested nothing.
  package var idleness: String? {
    guard strictness != .never, runs > 0, results.allSatisfy({ [.unmet, .unrun].contains($0.mark) }) else { return nil }
    return "No fault took effect: in each cell the request did not come again, or could not fail so."
  }

  package var knownCount: Int { results.count(where: \.isKnown) }

  /// The cells that fail the exploration.
  package var failing: [CellResult] { results.filter { $0.isFailing(strictness) } }

  /// Returns the scenario of a cell, to keep it as a regression test.
  ///
  /// - Parameter base: The scenario of the exploration.
  package func scenario(of result: CellResult, above base: Scenario) -> Scenario {
    let about = result.findings.first.map(\.sentence) ?? result.mark.meaning
    return grid.scenario(of: result.cell, at: result.ordinal, above: base, about: about)
  }

  /// A check that fails or warns in some cells.
  package struct Mistake: Sendable {
    package let check: String
    package let verdict: Verdict
    /// The indices of its cells among the results.
    package let cells: [Int]
    /// The index of the cell that shows it: one with the worst verdict that fails the exploration, with a fault on one
    /// request alone if there is one.
    package let shown: Int
    /// The sentence of that cell.
    package let sentence: String
    /// The requests that prove it in that cell: `#2 POST /book: 200, reset after commit`.
    package let requests: [String]
  }

  /// The mistakes and the warnings, each once, in the order of their first cells: the mistakes come first.
  package var mistakes: [Mistake] {
    var cells: [String: [Int]] = [:]
    var order: [String] = []
    for (index, result) in results.enumerated() where !result.isKnown {
      for check in result.checks {
        if cells[check] == nil { order.append(check) }
        cells[check, default: []].append(index)
      }
    }
    let mistakes = order.compactMap { check in cells[check].flatMap { mistake(check, in: $0) } }
    return mistakes.filter { $0.verdict == .fail } + mistakes.filter { $0.verdict != .fail }
  }

  private func mistake(_ check: String, in cells: [Int]) -> Mistake? {
    let findings = cells.flatMap { index in
      results[index].findings.filter { $0.check == check }.map { (index: index, finding: $0) }
    }
    guard let worst = findings.map(\.finding.verdict).max() else { return nil }
    let worstOnes = findings.filter { $0.finding.verdict == worst }
    // A cell that fails the exploration explains its exit code.
    guard
      let proof = worstOnes.min(by: { order(of: results[$0.index]) < order(of: results[$1.index]) })
    else { return nil }
    return Mistake(
      check: check, verdict: worst, cells: cells, shown: proof.index, sentence: proof.finding.sentence,
      requests: proof.finding.requests)
  }

  /// The place of a cell among those that may show a mistake.
  private func order(of result: CellResult) -> (Int, Int) {
    (result.isFailing(strictness) ? 0 : 1, result.cell.isTwice ? 1 : 0)
  }
}
