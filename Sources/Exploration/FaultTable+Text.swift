import Faults
import Primitives
import Report
import Understudy

extension FaultTable {
  /// The number of lines of output that are shown of a cell.
  package static let outputLineCount = 20

  /// Returns the table and what it shows, for a terminal.
  ///
  /// - Parameter width: The maximum length of a line of sentences.
  package func text(inColor: Bool = false, width: Int = 100) -> String {
    let table = tableText(inColor: inColor, width: width)
    let parts = [table] + mistakes.map { text(of: $0, inColor: inColor, width: width) } + failures
    return parts.filter { !$0.isEmpty }.map { $0 + "\n" }.joined(separator: "\n") + ending(width: width)
  }

  /// Returns the rows and their marks.
  private func tableText(inColor: Bool, width: Int) -> String {
    let columns = grid.ways.indices.filter { way in results.contains { $0.cell.way == way } }
    guard !columns.isEmpty else { return "" }
    let titles = grid.rows.map { $0.title.printable }
    let titleWidth = min(Self.maximumTitle, titles.map(\.count).max() ?? 0)
    let heads = columns.map(head)
    let widths = columns.indices.map { max(heads[$0].label.count, $0 == columns.count - 1 ? 0 : 6) + 2 }
    var headLine = String(repeating: " ", count: titleWidth)
    for (index, head) in heads.enumerated() { headLine += "  " + head.label.padded(to: widths[index] - 2) }
    var text = phaseLine(columns, widths, titleWidth) + "\n" + headLine.trimmedAtEnd + "\n"
    for (row, title) in titles.enumerated() {
      var line = title.padded(to: titleWidth)
      for (index, way) in columns.enumerated() {
        let symbol = symbol(row: row, way: way)
        let padding = String(repeating: " ", count: max(0, widths[index] - 2 - symbol.text.count))
        line += "  " + (inColor ? symbol.color + symbol.text + (symbol.color.isEmpty ? "" : "\u{1B}[0m") : symbol.text)
        line += padding
      }
      text += line.trimmedAtEnd + "\n"
    }
    return text + legend(width: width)
  }

  private static let maximumTitle = 48

  private func head(_ way: Int) -> (phase: String, label: String) {
    let own = grid.ways[way]
    let isUnique = !grid.ways.contains { $0.text != own.text && $0.phase == own.phase && $0.label == own.label }
    let full = own.text.prefix { $0 != "@" }
    return (own.phase == .after ? "after" : "before", isUnique ? own.label : String(full))
  }

  /// The line above the columns' heads that names the phases.
  private func phaseLine(_ columns: [Int], _ widths: [Int], _ titleWidth: Int) -> String {
    var groups: [(phase: String, width: Int)] = []
    for (index, way) in columns.enumerated() {
      let phase = head(way).phase
      if groups.last?.phase != phase { groups.append((phase, 0)) }
      groups[groups.count - 1].width += widths[index]
    }
    var line = String(repeating: " ", count: titleWidth)
    for (index, group) in groups.enumerated() {
      let full = "\(group.phase) the change"
      let isRoomy = index == groups.count - 1 || full.count + 2 < group.width
      line +=
        "  "
        + (isRoomy ? full : group.phase).padded(to: max(group.width - 2, index == groups.count - 1 ? full.count : 0))
    }
    return line.trimmedAtEnd
  }

  /// The mark of a row and a way; where the next attempt failed, too, the worse one.
  private func symbol(row: Int, way: Int) -> (text: String, color: String) {
    let order: [CellMark] = [.failed, .hung, .command, .warned, .unmet, .unrun, .survived]
    let found = results.filter { $0.cell.row == row && $0.cell.way == way }
    guard let worst = order.lazy.compactMap({ mark in found.first { $0.mark == mark } }).first else { return ("", "") }
    let text = worst.isKnown ? "(\(worst.mark.symbol))" : worst.mark.symbol
    return (text, worst.isKnown ? "\u{1B}[2m" : worst.mark.color)
  }

  /// The meaning of the marks in the table, but for the plainest.
  private func legend(width: Int) -> String {
    let marks = CellMark.allCases.filter { mark in results.contains { $0.mark == mark } }
    var parts = marks.map { "\($0.symbol) \($0.meaning)" }
    if grid.rows.contains(where: \.overlaps) { parts.append("~ one of requests that overlap") }
    if results.contains(where: \.isKnown) { parts.append("( ) known") }
    return parts.isEmpty ? "" : "\n" + Self.wrapped(parts.joined(separator: " · "), to: width)
  }

  /// A mistake: check and sentence, its cells, the requests that prove it, and the line that repeats it.
  private func text(of mistake: Mistake, inColor: Bool, width: Int) -> String {
    let mark = mistake.verdict == .fail ? CellMark.failed : .warned
    let symbol = inColor ? mark.color + mark.symbol + "\u{1B}[0m" : mark.symbol
    var lines = ["\(symbol)   \(mistake.check)", Self.wrapped(mistake.sentence, to: width, indent: 4)]
    lines.append(Self.wrapped("in " + cells(mistake.cells.map { results[$0] }), to: width, indent: 4))
    if mark == .failed {
      lines += mistake.requests.map { Self.wrapped($0, to: width, indent: 6) }
      if let first = mistake.cells.first { lines.append("    repeat: \(repeatLine(name(of: results[first])))") }
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the cells row by row: `POST /book#1: reset@after, truncate@after`.
  private func cells(_ results: [CellResult]) -> String {
    var rows: [(row: String, ways: [String])] = []
    for result in results {
      let row = grid.rows[result.cell.row]
      let name = row.name.printable + (result.cell.isTwice ? "...\(row.n + 1)" : "")
      if rows.last?.row != name { rows.append((name, [])) }
      rows[rows.count - 1].ways.append(grid.ways[result.cell.way].text)
    }
    return rows.map { "\($0.row): \($0.ways.joined(separator: ", "))" }.joined(separator: "; ")
  }

  /// The commands that failed or hung, with their last lines.
  private var failures: [String] {
    results.filter { !$0.isKnown && [.hung, .command].contains($0.mark) }.prefix(Self.maximumFailures).map { result in
      let lines = result.run?.output.suffix(Self.outputLineCount).map { "      " + $0.printable } ?? []
      let failure = result.run?.failure ?? result.mark.meaning
      let head = "\(result.mark.symbol)  \(name(of: result).printable): \(failure)"
      return ([head] + lines + (result.mark == .hung ? ["    repeat: \(repeatLine(name(of: result)))"] : []))
        .joined(separator: "\n")
    }
  }

  private static let maximumFailures = 5

  /// The remarks, and the last line with the counts.
  private func ending(width: Int) -> String {
    let lines = remarks + [hint].compactMap(\.self)
    let told = lines.map { Self.wrapped($0, to: width) + "\n" }.joined()
    return (told.isEmpty ? "" : "\n" + told) + "\n" + summary + "\n"
  }

  /// The last line: `37 runs, 3 cells fail: POST /book#1: status=503@after, reset@after, truncate@after`.
  package var summary: String {
    var parts = [runs == 1 ? "1 run" : "\(runs) runs"]
    let failing = results.filter { !$0.isKnown && ($0.mark == .failed || $0.mark == .hung) }
    for (mark, word) in [
      (CellMark.command, "ended the command with a failure"), (.warned, "warned"), (.unmet, "unmet"),
      (.unrun, "not run"),
    ] where count(mark) > 0 { parts.append("\(count(mark)) \(word)") }
    if knownCount > 0 { parts.append("\(knownCount) known") }
    guard !failing.isEmpty else {
      return (parts + [runs == 0 ? "no cell" : "no cell fails"]).joined(separator: ", ")
    }
    let verb = failing.count == 1 ? "1 cell fails" : "\(failing.count) cells fail"
    return (parts + [verb]).joined(separator: ", ") + ": " + cells(failing)
  }

  /// Advice where most rows are a page's files.
  private var hint: String? {
    let files = grid.rows.filter { row in
      let name = row.path.split(separator: "/").last ?? ""
      return row.method == "GET" && (row.path == "/" || Self.fileTypes.contains { name.hasSuffix($0) })
    }
    guard files.count * 2 > grid.rows.count, files.count < grid.rows.count else { return nil }
    let others = grid.rows.filter { row in !files.contains { $0.path == row.path } }
    let first = others.first?.path.split(separator: "/").first.map(String.init) ?? "api"
    return "\(files.count) of \(grid.rows.count) rows are files of a page; --only '/\(first)/**' leaves them out."
  }

  private static let fileTypes = [
    ".html", ".js", ".mjs", ".css", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".woff", ".woff2",
    ".ttf", ".txt", ".webmanifest",
  ]

  private static func wrapped(_ text: String, to width: Int, indent: Int = 0) -> String {
    let space = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.printable.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return (lines + [line]).map { space + $0 }.joined(separator: "\n")
  }
}

extension CellMark {
  fileprivate var color: String {
    switch self {
    case .survived: "\u{1B}[32m"
    case .warned: "\u{1B}[33m"
    case .failed, .hung: "\u{1B}[1;31m"
    case .command: "\u{1B}[36m"
    case .unmet, .unrun: "\u{1B}[2m"
    }
  }
}

extension String {
  /// Returns the text at this width: with spaces at its end, or cut.
  fileprivate func padded(to width: Int) -> String {
    count <= width ? self + String(repeating: " ", count: width - count) : String(prefix(width - 1)) + "…"
  }

  fileprivate var trimmedAtEnd: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
