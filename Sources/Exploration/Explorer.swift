package import Faults
import Primitives
import Report
import Understudy

/// Runs a command once for each cell of a table, and collects the results.
///
/// It starts no process and no server itself: the command line runs programs, the test kit runs tests.
package struct Explorer: Sendable {
  package struct Options: Sendable {
    package var ways = FaultWay.standard
    /// True to let the next attempt fail as well, in cells that were survived.
    package var isTwice = false
    /// The maximum number of cells to run.
    package var limit = 500
    /// The number of runs at the same time.
    package var jobs = 1
    /// True for a row for each request of a stream.
    package var isComplete = false
    /// The paths to explore; nil for all.
    package var only: PathGlob?
    /// The only cell to run; nil for all.
    package var cell: CellName?
    package var known = KnownCells()

    package init() {}
  }

  /// The progress of an exploration.
  package struct Progress: Sendable {
    package var done = 0
    package var count = 0
    package var failing = 0
    /// The estimated time that is left.
    package var remaining = Duration.zero
  }

  /// One run to make.
  package struct Assignment: Sendable {
    /// The name of the cell; nil for a calm run.
    package let cell: String?
    package let fault: ExploredFault?
    /// The time that the first calm run took; nil for that run itself.
    package let calmDuration: Duration?
  }

  /// The reason why there is no table.
  package enum Obstacle: Error, Sendable {
    /// The command failed without a fault.
    case command(ExploredRun)
    case noRequest(ExploredRun)
    /// The card of a calm run fails.
    case card(ExploredRun)
    /// No request of the calm runs has the cell's name; the names of the rows.
    case noRow([String])
    /// The fault of the cell cannot strike its request.
    case noCell(String)
    case stopped
  }

  private let options: Options
  private let run: @Sendable (Assignment) async throws -> ExploredRun
  private let isStopped: @Sendable () -> Bool
  private let show: @Sendable (Progress) -> Void

  /// - Parameters:
  ///   - run: Runs the command once, with a server of its own. What it throws ends the exploration.
  ///   - isStopped: Returns true if no further run is to begin.
  ///   - show: Shows the progress.
  package init(
    _ options: Options, isStopped: @escaping @Sendable () -> Bool = { false },
    showing show: @escaping @Sendable (Progress) -> Void = { _ in },
    running run: @escaping @Sendable (Assignment) async throws -> ExploredRun
  ) {
    self.options = options
    self.run = run
    self.isStopped = isStopped
    self.show = show
  }

  /// Runs the command calm, and then once per cell.
  ///
  /// - Throws: `Obstacle`, or the error of a calm run.
  package func explore() async throws -> FaultTable {
    let first = try await calm(Assignment(cell: nil, fault: nil, calmDuration: nil))
    let second = try await calm(Assignment(cell: nil, fault: nil, calmDuration: first.duration))
    let found = ExploredRows(
      first.report.requests, second.report.requests, only: options.only, isComplete: options.isComplete)
    var table = FaultTable(
      grid: CellGrid(rows: found.rows, ways: options.cell.map { [$0.way] } ?? options.ways), remarks: found.remarks,
      calm: first)
    let (cells, unrun) = try chosenCells(of: &table)
    let calm = CalmVerdicts([first, second])
    await fill(&table, with: cells, besides: calm)
    if options.isTwice, options.cell == nil {
      let survived = table.results.filter { $0.mark == .survived }.map(\.cell)
      let again = survived.map { ExploredCell(row: $0.row, way: $0.way, isTwice: true) }
      let (twice, left) = CellGrid.spread(again, limit: max(0, options.limit - cells.count))
      await fill(&table, with: twice, besides: calm)
      table.add(left.map { CellResult(unrun: $0) })
    }
    table.add(unrun.map { CellResult(unrun: $0) })
    table.sort()
    return table
  }

  private func calm(_ assignment: Assignment) async throws -> ExploredRun {
    let run = try await run(assignment)
    if isStopped() { throw Obstacle.stopped }
    if run.failure != nil { throw Obstacle.command(run) }
    if run.report.requests.isEmpty { throw Obstacle.noRequest(run) }
    if !run.report.checks(.fail).isEmpty { throw Obstacle.card(run) }
    return run
  }

  private func chosenCells(of table: inout FaultTable) throws(Obstacle) -> (run: [ExploredCell], unrun: [ExploredCell])
  {
    guard let name = options.cell else { return CellGrid.spread(table.grid.cells, limit: options.limit) }
    guard let row = table.grid.rows.firstIndex(where: name.names) else { throw .noRow(table.grid.rows.map(\.name)) }
    guard name.way.canStrike(table.grid.rows[row]) else { throw .noCell(name.text) }
    table.grid = CellGrid(rows: [table.grid.rows[row]], ways: [name.way])
    return ([ExploredCell(row: 0, way: 0, isTwice: name.isTwice)], [])
  }

  /// The outcome of one cell; nil if the exploration had been stopped before its end.
  private typealias Outcome = (cell: ExploredCell, result: Result<ExploredRun, any Error>?)

  /// Runs cells, several at a time, until one cannot be run.
  private func fill(_ table: inout FaultTable, with cells: [ExploredCell], besides calm: CalmVerdicts) async {
    let grid = table.grid
    let calmDuration = table.calm.duration
    let started = ContinuousClock.now
    var progress = Progress(count: cells.count)
    var results: [CellResult] = []
    var obstacle: (any Error)?
    await withTaskGroup(of: Outcome.self) { group in
      var rest = cells[...]
      func begin() {
        guard obstacle == nil, !isStopped(), let cell = rest.popFirst() else { return }
        let assignment = Assignment(cell: grid.name(of: cell), fault: grid.fault(of: cell), calmDuration: calmDuration)
        group.addTask {
          do {
            let run = try await run(assignment)
            // A command that was stopped says nothing about its cell.
            return (cell, isStopped() ? nil : .success(run))
          } catch {
            return (cell, .failure(error))
          }
        }
      }
      for _ in 0..<options.jobs { begin() }
      while let (cell, outcome) = await group.next() {
        switch outcome {
        case .success(let run)?:
          var result = CellResult(cell, run, besides: calm)
          result.isKnown = options.known.contains(grid.name(of: cell), result)
          results.append(result)
          progress.done += 1
          if result.mark == .failed || result.mark == .hung { progress.failing += 1 }
          progress.remaining = (ContinuousClock.now - started) / progress.done * (cells.count - progress.done)
          show(progress)
        case .failure(let error)?:
          obstacle = obstacle ?? error
          results.append(CellResult(unrun: cell))
        case nil: results.append(CellResult(unrun: cell))
        }
        begin()
      }
      results += rest.map { CellResult(unrun: $0) }
    }
    table.add(results)
    table.obstacle = table.obstacle ?? obstacle
  }
}
