package import Primitives
import Report
import Understudy

extension FaultTable {
  /// A suite for each row, with a case for each of its cells.
  package var junit: JUnit {
    let whole = idleness.map { sentence in
      JUnit.Suite(
        name: "the exploration", cases: [JUnit.Case(name: "a fault took effect", .failed(message: sentence, text: ""))],
        duration: .zero)
    }
    return JUnit(
      suites: [whole].compactMap(\.self)
        + grid.rows.indices.compactMap { row in
          let results = results.filter { $0.cell.row == row }
          guard !results.isEmpty else { return nil }
          let duration = results.compactMap(\.run?.duration).reduce(Duration.zero, +)
          return JUnit.Suite(
            name: grid.rows[row].name.printable, cases: results.map(testCase), duration: duration)
        })
  }

  private func testCase(_ result: CellResult) -> JUnit.Case {
    JUnit.Case(
      name: grid.ways[result.cell.way].text + (result.cell.isTwice ? " twice" : ""), outcome(result),
      duration: result.run?.duration ?? .zero)
  }

  private func outcome(_ result: CellResult) -> JUnit.Case.Result {
    let sentences = result.findings.map(\.sentence)
    let message = sentences.first ?? result.run?.failure ?? result.mark.meaning
    if result.isFailing(strictness) {
      let output = result.run?.output.suffix(Self.outputLineCount) ?? []
      let text = sentences + ["repeat: \(repeatLine(name(of: result)))"] + output
      return .failed(message: message, text: text.joined(separator: "\n"))
    }
    switch result.mark {
    case .unrun, .unmet: return .skipped(result.mark.meaning)
    case .survived: return .passed()
    case .failed, .hung, .crashed, .command, .warned: return .passed(note: (result.isKnown ? "known: " : "") + message)
    }
  }
}
