import Dashboard
import Primitives
import Report
import Understudy

extension FaultTable {
  /// The table as a self-contained page; the report card of each cell that was not survived stands below it.
  package var page: String {
    var body = "<h1>\(Markup.escaped(heading))</h1>\n"
    body += "<p class=\"facts\"><code>\(Markup.escaped(command.joined(separator: " ")))</code></p>\n"
    body += tableMarkup + mistakes.map(markup).joined()
    body += notes.map { "<p>\(Markup.escaped($0))</p>\n" }.joined()
    body += results.enumerated().filter { $0.element.mark != .unrun }.map { details($0.offset, $0.element) }.joined()
    return WebPage.plain(title: "Understudy explore", body: body).html
  }

  private var tableMarkup: String {
    let columns = grid.ways.indices.filter { way in results.contains { $0.cell.way == way } }
    let heads = columns.map { "<th scope=\"col\"><code>\(Markup.escaped(grid.ways[$0].text))</code></th>" }
    var markup =
      "<div class=\"scroll\"><table class=\"cells\">\n<thead><tr><th></th>\(heads.joined())</tr></thead>\n<tbody>\n"
    for (row, found) in grid.rows.enumerated() {
      let cells = columns.map { way in
        let links = results.enumerated().filter { $0.element.cell.row == row && $0.element.cell.way == way }.map(link)
        return "<td>\(links.joined(separator: " "))</td>"
      }
      markup += "<tr><th scope=\"row\">\(Markup.escaped(found.title))</th>\(cells.joined())</tr>\n"
    }
    return markup + "</tbody></table></div>\n"
  }

  private func link(_ index: Int, _ result: CellResult) -> String {
    let text = Markup.escaped(result.isKnown ? "(\(result.mark.symbol))" : result.mark.symbol)
    let title = Markup.escaped(name(of: result))
    guard result.mark != .unrun else { return "<span title=\"\(title)\">\(text)</span>" }
    return "<a class=\"\(result.mark.rawValue)\" href=\"#cell-\(index)\" title=\"\(title)\">\(text)</a>"
  }

  private func markup(of mistake: Mistake) -> String {
    let links = mistake.cells.map { "<a href=\"#cell-\($0)\">\(Markup.escaped(name(of: results[$0])))</a>" }
    let requests = mistake.requests.map { "<li><code>\(Markup.escaped($0))</code></li>" }
    let line = repeatLine(name(of: results[mistake.shown]))
    return """
      <article><h2>\(Markup.escaped(mistake.check))</h2><p>\(Markup.escaped(mistake.sentence))</p>\
      <p>in \(links.joined(separator: ", "))</p><ul>\(requests.joined())</ul>\
      <p><code>\(Markup.escaped(line))</code></p></article>

      """
  }

  /// A cell with its report cards, the end of its output, its requests, and the line that repeats it.
  private func details(_ index: Int, _ result: CellResult) -> String {
    let cards = result.run.map { $0.report.text() } ?? ""
    let output = result.run?.output.suffix(Self.outputLineCount) ?? []
    let lines = (output + (result.run?.requestLines ?? [])).joined(separator: "\n")
    let line = repeatLine(name(of: result))
    return """
      <details id="cell-\(index)"><summary>\(Markup.escaped(name(of: result))): \(result.mark.rawValue)</summary>
      <pre>\(Markup.escaped(cards))</pre>\(lines.isEmpty ? "" : "<pre>\(Markup.escaped(lines))</pre>")
      <p><code>\(Markup.escaped(line))</code></p>
      </details>

      """
  }
}
