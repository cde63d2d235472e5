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
  /// The error that ended the exploration before its last cell.
  package internal(set) var obstacle: (any Error)?
  /// The command line, for the report.
  package var command: [String] = []
  /// The URL of the backend; nil for the five APIs.
  package var upstream: String?
  /// Returns the command line that repeats a cell.
  package var repeatLine: @Sendable (_ cell: String) -> String = { $0 }

  init(grid: CellGrid, remarks: [String], calm: ExploredRun) {
    self.grid = grid
    self.remarks = remarks
    self.calm = calm
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

  package var knownCount: Int { results.count(where: \.isKnown) }

  /// Returns the cells that fail an exploration.
  package func failing(_ strictness: CellStrictness) -> [CellResult] {
    results.filter { !$0.isKnown && strictness.isFailing($0.mark) }
  }

  /// Returns the scenario of a cell, to keep it as a regression test.
  package func scenario(of result: CellResult) -> Scenario {
    let about = result.lines.first.map(\.line.sentence) ?? result.mark.meaning
    return grid.scenario(of: result.cell, about: about)
  }

  /// A check that fails or warns in some cells.
  package struct Mistake: Sendable {
    package let check: String
    package let verdict: Verdict
    /// The sentence of its first cell.
    package let sentence: String
    /// The indices of its cells among the results.
    package let cells: [Int]
    /// The requests that prove it in its first cell: `#2 POST /book: 200, reset after commit`.
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
    let mistakes = order.compactMap { check -> Mistake? in
      guard let indices = cells[check] else { return nil }
      let lines = indices.flatMap { results[$0].lines }.filter { $0.line.id == check }
      guard let worst = lines.max(by: { $0.line.verdict < $1.line.verdict })?.line.verdict,
        let first = lines.first(where: { $0.line.verdict == worst })
      else { return nil }
      return Mistake(
        check: check, verdict: worst, sentence: first.line.sentence, cells: indices,
        requests: first.line.evidence.prefix(8).compactMap { first.card.words(ofEntry: $0) })
    }
    return mistakes.filter { $0.verdict == .fail } + mistakes.filter { $0.verdict != .fail }
  }
}

extension ReportCard {
  /// Returns an entry of its journal as a line: `#2 POST /book: 200, reset after commit`.
  fileprivate func words(ofEntry id: Int) -> String? {
    guard let entry = entry(id), let method = entry["method"]?.string, let target = entry["target"]?.string else {
      return nil
    }
    let status = entry["response"]?["status"]?.int.map { "\($0)" } ?? "no response"
    // The rule is the cell's, which is named anyway.
    let plan = entry["plan"]?["words"]?.string?.split(separator: " (rule").first.map { ", \($0)" } ?? ""
    return "#\(id) \(method) \(target): \(status)\(plan)".printable
  }
}
