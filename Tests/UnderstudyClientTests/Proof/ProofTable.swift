/// The figures of all trials, one line for each scenario.
struct ProofTable {
  private struct Line {
    var numbers = Array(repeating: 0, count: ProofTable.columns.count)
    var warnings: [String: Int] = [:]
  }

  private static let columns = [
    "seeds", "to the end", "exchanges", "writes", "retries", "unknown", "lost", "doubled", "fails",
  ]
  private let names: [String]
  private var lines: [String: Line]
  private let start = ContinuousClock.now

  init(_ names: [String]) {
    self.names = names
    lines = Dictionary(uniqueKeysWithValues: names.map { ($0, Line()) })
  }

  mutating func add(_ outcome: Trial.Outcome, of scenario: String) {
    let figures = outcome.figures
    let more = [
      1, outcome.isWithinStorm ? 1 : 0, outcome.exchanges, figures.writes, figures.retries, figures.unknowns,
      outcome.lost, outcome.doubled, outcome.fails,
    ]
    var line = lines[scenario] ?? Line()
    line.numbers = zip(line.numbers, more).map { $0 + $1 }
    for id in outcome.warnings { line.warnings[id, default: 0] += 1 }
    lines[scenario] = line
  }

  /// The table. "to the end" is the number of days that ended before their scenario did.
  var text: String {
    var sum = Array(repeating: 0, count: Self.columns.count)
    var rows = [row("scenario", Self.columns)]
    for name in names {
      guard let line = lines[name] else { continue }
      sum = zip(sum, line.numbers).map { $0 + $1 }
      let warnings = line.warnings.sorted { $0.key < $1.key }.map { "\($0.key) ×\($0.value)" }
      rows.append(row(name, line.numbers.map { "\($0)" }) + "  " + warnings.joined(separator: ", "))
    }
    rows.append(row("all", sum.map { "\($0)" }))
    return rows.joined(separator: "\n") + "\nin \((ContinuousClock.now - start).components.seconds) s"
  }

  private func row(_ name: String, _ cells: [String]) -> String {
    func pad(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) }
    return name + pad(name, 13) + cells.map { pad($0, 11) + $0 }.joined()
  }
}
