package import Faults
import JSON
import Primitives

/// A cell of the table: one request, which fails in one way.
package struct ExploredCell: Sendable, Equatable {
  /// The index of its row.
  package let row: Int
  /// The index of its way.
  package let way: Int
  /// True if the next request of the row's stream fails, too.
  package let isTwice: Bool

  package init(row: Int, way: Int, isTwice: Bool = false) {
    self.row = row
    self.way = way
    self.isTwice = isTwice
  }
}

/// The cells of a table before its runs.
package struct CellGrid: Sendable {
  package let rows: [ExploredRow]
  package let ways: [FaultWay]

  package init(rows: [ExploredRow], ways: [FaultWay]) {
    self.rows = rows
    self.ways = ways
  }

  /// All cells that can strike, row by row.
  package var cells: [ExploredCell] {
    rows.indices.flatMap { row in
      ways.indices.filter { ways[$0].canStrike(rows[row]) }.map { ExploredCell(row: row, way: $0) }
    }
  }

  /// Returns the name of a cell: `POST /book#1 reset@after`; with the next request `POST /book#1...2 reset@after`.
  package func name(of cell: ExploredCell) -> String {
    let row = rows[cell.row]
    return row.name + (cell.isTwice ? "...\(row.n + 1)" : "") + " " + ways[cell.way].text
  }

  /// Returns the fault of a cell.
  package func fault(of cell: ExploredCell) -> ExploredFault {
    let (row, way) = (rows[cell.row], ways[cell.way])
    return ExploredFault(
      way.effect, way.phase, named: ruleName(of: cell), for: match(row), in: row.sandbox,
      requests: row.n...(cell.isTwice ? row.n + 1 : row.n))
  }

  /// Returns a scenario with the fault of a cell above the rules of another.
  ///
  /// - Parameters:
  ///   - ordinal: The ordinal by which a scenario knows the request; nil if it is the row's.
  ///   - base: The scenario of the exploration.
  ///   - about: The mistake that it shows.
  package func scenario(of cell: ExploredCell, at ordinal: Int?, above base: Scenario, about: String) -> Scenario {
    let (row, way) = (rows[cell.row], ways[cell.way])
    let n = row.counting == .path ? ordinal ?? row.n : row.n
    let ordinals = Trigger.Ordinals(lower: n, upper: cell.isTwice ? n + 1 : n)
    var name = ruleName(of: cell)
    // The exploration of a scenario that another one saved may have the same cell. No two rules have one name.
    while base.rules.contains(where: { $0.name == name }) { name = String("again \(name)".prefix(100)) }
    let rule = Rule(
      name, match: match(row), when: Trigger(requests: ordinals, per: row.counting), phase: way.phase,
      effect: way.effect)
    return Scenario(name: name, about: String(about.printable.prefix(2_000)), rules: [rule] + base.rules)
  }

  private func match(_ row: ExploredRow) -> Match {
    Match(
      api: row.api.isEmpty ? nil : row.api, methods: [row.method], path: PathGlob(row.path),
      operation: row.operation.map { Glob($0) })
  }

  /// A rule's name has at most 100 characters.
  private func ruleName(of cell: ExploredCell) -> String { String(name(of: cell).printable.prefix(100)) }

  /// Returns the cells to run within a limit: they are spread evenly.
  package static func spread(_ cells: [ExploredCell], limit: Int) -> (run: [ExploredCell], unrun: [ExploredCell]) {
    guard cells.count > limit else { return (cells, []) }
    let chosen = Set((0..<limit).map { $0 * cells.count / limit })
    return (
      cells.indices.filter(chosen.contains).map { cells[$0] },
      cells.indices.filter { !chosen.contains($0) }.map { cells[$0] }
    )
  }
}

/// The name of a cell as a person gives it: `POST /book#1 reset@after`.
package struct CellName: Sendable, Equatable {
  /// The method and the path.
  package let target: String
  package let n: Int
  package let isTwice: Bool
  package let way: FaultWay
  package let text: String

  package static func == (left: CellName, right: CellName) -> Bool { left.text == right.text }

  package init(_ text: String) throws(FaultWay.Defect) {
    let form = FaultWay.Defect(detail: "expected METHOD PATH#N WAY, as in 'POST /book#1 reset@after'")
    guard let hash = text.lastIndex(of: "#") else { throw form }
    let rest = text[hash...].dropFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    // A table has the name as `POST /book #1`, and methods are known in upper case.
    let words = text[..<hash].split(separator: " ", maxSplits: 1).map(String.init)
    guard rest.count == 2, words.count == 2, !rest[1].isEmpty else { throw form }
    var path = words[1][...]
    while path.last == " " { path = path.dropLast() }
    let target = "\(words[0].uppercased()) \(path)"
    let bounds = rest[0].split(separator: ".", omittingEmptySubsequences: false)
    guard let n = bounds.first.flatMap({ Int($0) }), n >= 1 else { throw form }
    if bounds.count > 1 {
      guard bounds.count == 4, bounds[1].isEmpty, bounds[2].isEmpty, Int(bounds[3]) == n + 1 else { throw form }
    }
    self.target = target
    self.n = n
    isTwice = bounds.count > 1
    way = try FaultWay(String(rest[1]))
    self.text = text
  }

  /// Returns true if it names a row.
  package func names(_ row: ExploredRow) -> Bool { row.target == target && row.n == n }
}
