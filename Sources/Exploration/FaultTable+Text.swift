import Faults
import Primitives
package import Report
import Understudy

extension FaultTable {
  /// The number of lines of output that are shown of a cell.
  package static let outputLineCount = 20

  /// Returns the table and what it shows.
  ///
  /// - Parameter limit: The maximum number of commands that failed to show; nil for all of them.
  package func text(_ style: TextStyle = TextStyle(), showing limit: Int? = nil) -> String {
    let parts = [tableText(style)] + mistakes.map { text(of: $0, style) } + failures(limit)
    return parts.filter { !$0.isEmpty }.map { $0 + "\n" }.joined(separator: "\n") + ending(style)
  }

  /// Returns the rows and their marks.
  private func tableText(_ style: TextStyle) -> String {
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
        line += "  " + style.colored(symbol.text, symbol.color) + padding
      }
      text += line.trimmedAtEnd + "\n"
    }
    return text + legend(style)
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
    let order: [CellMark] = [.failed, .hung, .crashed, .command, .warned, .unmet, .unrun, .survived]
    let found = results.filter { $0.cell.row == row && $0.cell.way == way }
    guard let worst = order.lazy.compactMap({ mark in found.first { $0.mark == mark } }).first else { return ("", "") }
    let text = worst.isKnown ? "(\(worst.mark.symbol))" : worst.mark.symbol
    return (text, worst.isKnown ? Verdict.notExercised.color : worst.mark.color)
  }

  /// The meaning of the marks in the table, but for the plainest.
  private func legend(_ style: TextStyle) -> String {
    let marks = CellMark.allCases.filter { mark in results.contains { $0.mark == mark } }
    var parts = marks.map { "\($0.symbol) \($0.meaning)" }
    if grid.rows.contains(where: \.overlaps) { parts.append("~ one of requests that overlap") }
    if results.contains(where: \.isKnown) { parts.append("( ) known") }
    var lines = parts.isEmpty ? [] : [parts.joined(separator: " · ")]
    if results.contains(where: \.cell.isTwice) {
      lines.append("Each mark is the worse of two runs: one failure, and two in a row (--twice).")
    }
    return lines.map { "\n" + style.wrapped($0) }.joined()
  }

  /// A mistake: check and sentence, its cells, the requests that prove it, and the line that repeats it.
  private func text(of mistake: Mistake, _ style: TextStyle) -> String {
    func wrapped(_ text: String, at indent: Int) -> String {
      String(repeating: " ", count: indent) + style.wrapped(text.printable, at: indent)
    }
    let symbol = style.colored(mistake.verdict.mark, mistake.verdict.color)
    let results = mistake.cells.map { self.results[$0] }
    var lines = ["\(symbol)   \(mistake.check)", wrapped(mistake.sentence, at: 4)]
    let certain = results.filter { $0.verdict(of: mistake.check) == mistake.verdict }
    let warned = results.filter { $0.verdict(of: mistake.check) != mistake.verdict }
    lines.append(wrapped("in " + cells(certain), at: 4))
    if !warned.isEmpty { lines.append(wrapped("perhaps in " + cells(warned), at: 4)) }
    let shown = self.results[mistake.shown]
    if mistake.verdict == .fail || shown.isFailing(strictness) {
      lines += mistake.requests.map { wrapped($0, at: 6) }
      lines.append("    repeat: \(repeatLine(name(of: shown)))")
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

  /// The commands that failed, hung or crashed, with their last lines and requests. Those that fail the exploration come
  /// first.
  private func failures(_ limit: Int?) -> [String] {
    let ended = results.filter { !$0.isKnown && [.hung, .crashed, .command].contains($0.mark) }
    let ordered = ended.filter { $0.isFailing(strictness) } + ended.filter { !$0.isFailing(strictness) }
    let shown = ordered.prefix(limit ?? ordered.count).map { result in
      let output = result.run?.output.suffix(Self.outputLineCount) ?? []
      let lines = (output + (result.run?.requestLines ?? [])).map { "      " + $0.printable }
      let failure = result.run?.failure ?? result.mark.meaning
      let head = "\(result.mark.symbol)  \(name(of: result).printable): \(failure)"
      return ([head] + lines + ["    repeat: \(repeatLine(name(of: result)))"]).joined(separator: "\n")
    }
    let left = ended.count - shown.count
    return shown + (left > 0 ? ["and \(ReportText.count(left, "more cell")); --report FILE has all of them"] : [])
  }

  /// The sentences below the table.
  var notes: [String] {
    let mended = self.mended.prefix(5).joined(separator: ", ") + (self.mended.count > 5 ? ", …" : "")
    let passing = "\(ReportText.count(self.mended.count, "known cell passes", "known cells pass")) now: \(mended)"
    return [idleness].compactMap(\.self) + remarks + (self.mended.isEmpty ? [] : [passing + "."]) + advice
      + [hint].compactMap(\.self)
  }

  /// The notes, and the last line with the counts.
  private func ending(_ style: TextStyle) -> String {
    let told = notes.map { style.wrapped($0.printable) + "\n" }.joined()
    return (told.isEmpty ? "" : "\n" + told) + "\n" + summary + "\n"
  }

  /// The last line: `37 runs, 3 cells fail: POST /book#1: status=503@after, reset@after, truncate@after`.
  package var summary: String { heading + (failing.isEmpty ? "" : ": " + cells(failing)) }

  /// The counts, and how many cells fail: `37 runs, 1 warned, 3 cells fail`.
  var heading: String {
    var parts = [ReportText.count(runs, "run")]
    for (mark, word) in [
      (CellMark.failed, "made a mistake"), (.hung, "hung"), (.crashed, "crashed"),
      (.command, "ended the command with a failure"),
      (.warned, "warned"), (.unmet, "unmet"), (.unrun, "not run"),
    ] where count(mark) > 0 && !strictness.isFailing(mark) { parts.append("\(count(mark)) \(word)") }
    if knownCount > 0 { parts.append("\(knownCount) known") }
    let verdict = failing.isEmpty ? "no cell fails" : ReportText.count(failing.count, "cell fails", "cells fail")
    return (parts + (runs == 0 ? [] : [verdict])).joined(separator: ", ")
  }

  /// Advice where most rows are a page's files.
  private var hint: String? {
    let named = grid.rows.filter { row in
      let name = row.path.split(separator: "/").last ?? ""
      return row.method == "GET" && Self.fileTypes.contains { name.hasSuffix($0) }
    }
    // The root is a page only beside the files that it loads: it can be the one path of a server, as of Mercurial's.
    let pages = named.isEmpty ? [] : grid.rows.filter { $0.method == "GET" && $0.path == "/" }
    let files = Set((named + pages).map(\.path))
    let count = grid.rows.count { files.contains($0.path) }
    let others = Set(grid.rows.map(\.path)).subtracting(files)
    guard count * 2 > grid.rows.count, !others.isEmpty else { return nil }
    let total = "\(count) of \(grid.rows.count) rows are files of a page; "
    guard let directory = Self.directory(ofAll: others), !files.contains(where: { $0.hasPrefix(directory) }) else {
      return total + "--only GLOB explores only the paths that match."
    }
    return total + "--only '\(directory)**' leaves them out."
  }

  /// Returns the first segment of paths, as `/api/`, if all have the same.
  private static func directory(ofAll paths: Set<String>) -> String? {
    let firsts = Set(paths.map { $0.split(separator: "/").first ?? "" })
    guard firsts.count == 1, let first = firsts.first, !first.isEmpty else { return nil }
    return "/\(first)/"
  }

  private static let fileTypes = [
    ".html", ".js", ".mjs", ".css", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".woff", ".woff2",
    ".ttf", ".txt", ".webmanifest",
  ]
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
