package import Faults
import Primitives
import Report
package import Understudy

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
    /// The marks that fail an exploration.
    package var strictness = CellStrictness.fail

    package init() {}
  }

  /// The progress of an exploration.
  package enum Progress: Sendable {
    /// The calm run with this number begins.
    case calm(run: Int)
    case cells(Cells)

    package struct Cells: Sendable {
      package var done = 0
      package var count = 0
      package var failing = 0
      /// The estimated time that is left; nil before the first cell is done.
      package var remaining: Duration?
    }
  }

  /// One run to make.
  package struct Assignment: Sendable {
    /// The name of the cell; nil for a calm run.
    package let cell: String?
    package let layer: ExplorationLayer.Change?
    /// The time that the first calm run took; nil for that run itself.
    package let calmDuration: Duration?
  }

  /// The reason why there is no table.
  package enum Obstacle: Error, Sendable {
    /// The command failed without a fault.
    case command(ExploredRun, calm: CalmRun)
    case noRequest(ExploredRun)
    /// The backend answered no request of a calm run, for a reason to be continued with the backend's address.
    case noAnswer(reason: String)
    /// The card of a calm run fails.
    case card(ExploredRun, calm: CalmRun)
    /// No request of the calm runs makes a cell: the targets of all, the number of those to explore, and why others are no
    /// rows.
    case noCells(targets: [String], matching: Int, remarks: [String])
    /// No request of the calm runs has the cell's name; the names of the rows.
    case noRow([String])
    /// The fault of the cell cannot strike its request.
    case noCell(String)
    case stopped
  }

  /// The two runs without faults. What the first leaves behind may fail the second.
  package enum CalmRun: Int, Sendable {
    case first = 1
    case second
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
    let first = try await calm(.first, Assignment(cell: nil, layer: nil, calmDuration: nil))
    // Requests that clients send side by side overlap for certain while their responses are held.
    let hold = Self.hold(for: first.report.requests.count).map { ExplorationLayer.Change.hold($0) }
    let second = try await calm(.second, Assignment(cell: nil, layer: hold, calmDuration: first.duration))
    let found = ExploredRows(
      first.report.requests, second.report.requests, only: options.only,
      isComplete: options.isComplete || options.cell != nil)
    var table = FaultTable(
      grid: CellGrid(rows: found.rows, ways: options.cell.map { [$0.way] } ?? options.ways), remarks: found.remarks,
      calm: first, strictness: options.strictness)
    // The name of a cell has refusals of its own.
    if found.rows.isEmpty || options.cell == nil && table.grid.cells.isEmpty {
      throw Obstacle.noCells(
        targets: first.report.requests.map { "\($0.method) \($0.path)" }.distinct(), matching: found.matchingCount,
        remarks: found.remarks)
    }
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
    table.mended = table.results.filter { $0.mark == .survived }.map(table.name).filter(options.known.fails)
    return table
  }

  /// The maximum time for which a response is held.
  private static let longestHold = Duration.milliseconds(50)
  /// The maximum time for which the responses of one run are held together.
  private static let holds = Duration.seconds(2)

  /// Returns the time for which each response of the second calm run is held; nil if there are no two requests.
  private static func hold(for requests: Int) -> Duration? {
    requests > 1 ? max(.milliseconds(1), min(longestHold, holds / requests)) : nil
  }

  private func calm(_ number: CalmRun, _ assignment: Assignment) async throws -> ExploredRun {
    show(.calm(run: number.rawValue))
    let run = try await run(assignment)
    if isStopped() { throw Obstacle.stopped }
    if let reason = run.report.unansweredReason { throw Obstacle.noAnswer(reason: reason) }
    if run.failure != nil { throw Obstacle.command(run, calm: number) }
    if run.report.requests.isEmpty { throw Obstacle.noRequest(run) }
    if !run.report.checks(.fail).isEmpty { throw Obstacle.card(run, calm: number) }
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
  private typealias FinishedCell = (cell: ExploredCell, result: Result<ExploredRun, any Error>?)

  /// Runs cells, several at a time, until one cannot be run.
  private func fill(_ table: inout FaultTable, with cells: [ExploredCell], besides calm: CalmVerdicts) async {
    let grid = table.grid
    let calmDuration = table.calm.duration
    let started = ContinuousClock.now
    var progress = Progress.Cells(count: cells.count)
    show(.cells(progress))
    var results: [CellResult] = []
    var obstacle: (any Error)?
    await withTaskGroup(of: FinishedCell.self) { group in
      var rest = cells[...]
      func begin() {
        guard obstacle == nil, !isStopped(), let cell = rest.popFirst() else { return }
        let assignment = Assignment(
          cell: grid.name(of: cell), layer: .fault(grid.fault(of: cell)), calmDuration: calmDuration)
        group.addTask {
          do {
            let run = try await run(assignment)
            // A command that was stopped says nothing about its cell, and nor does a backend that is gone.
            if isStopped() { return (cell, nil) }
            if let reason = run.report.unansweredReason { throw Obstacle.noAnswer(reason: reason) }
            return (cell, .success(run))
          } catch {
            return (cell, .failure(error))
          }
        }
      }
      for _ in 0..<options.jobs { begin() }
      while let (cell, outcome) = await group.next() {
        switch outcome {
        case .success(let run)?:
          let name = grid.name(of: cell)
          var result = CellResult(cell, named: name, run, besides: calm)
          result.isKnown = options.known.contains(name, result)
          results.append(result)
          progress.done += 1
          if result.isFailing(options.strictness) { progress.failing += 1 }
          progress.remaining = (ContinuousClock.now - started) / progress.done * (cells.count - progress.done)
          show(.cells(progress))
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
