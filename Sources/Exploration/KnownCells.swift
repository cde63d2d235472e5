package import JSON

/// The cells that fail in an earlier report. They do not count, so that a project with old faults can begin.
package struct KnownCells: Sendable {
  /// The mark and the checks of each cell, by its name.
  private var cells: [String: (mark: String, checks: Set<String>)] = [:]

  package init() {}

  /// The reason why JSON is no report of `explore`.
  package struct Defect: Error {
    package let detail: String
  }

  /// Reads the report of an exploration.
  package init(_ json: JSONValue) throws(Defect) {
    guard let list = json["cells"]?.array, json["rows"]?.array != nil, json["ways"]?.array != nil else {
      throw Defect(detail: "expected a report of understudy explore, with rows, ways and cells")
    }
    for cell in list {
      guard let name = cell["name"]?.string, let mark = cell["mark"]?.string else {
        throw Defect(detail: "expected cells with a name and a mark")
      }
      cells[name] = (mark, Set(cell["checks"]?.array?.compactMap(\.string) ?? []))
    }
  }

  /// Returns true if the earlier report has a mark for the cell that fails with `--fail-on warn`.
  func fails(_ name: String) -> Bool {
    cells[name].flatMap { CellMark(rawValue: $0.mark) }.map(CellStrictness.warn.isFailing) ?? false
  }

  /// Returns true if the earlier report has the same failure: with the same mark, and no check besides those of then.
  func contains(_ name: String, _ result: CellResult) -> Bool {
    guard let known = cells[name] else { return false }
    return known.mark == result.mark.rawValue && known.checks.isSuperset(of: result.checks)
      && CellStrictness.warn.isFailing(result.mark)
  }
}
