import Report

/// The text of `understudy --help`.
enum Help {
  /// The date of the version, for the footer of the manual page.
  static let date = "2026-11-21"

  static func text(_ style: TextStyle = TextStyle()) -> String {
    let tables =
      [("USAGE", Manual.commands)] + Manual.options + [
        ("TRY IT", Manual.examples), ("EXIT CODES", Manual.exitCodes), ("EXIT CODES OF RUN", Manual.exitCodesOfRun),
        ("WAYS OF EXPLORE", Manual.ways), ("EXIT CODES OF EXPLORE", Manual.exitCodesOfExplore),
      ]
    let notes = Manual.notes.map { style.wrapped($0) }.joined(separator: "\n")
    let parts = [style.wrapped(Manual.about)] + tables.map { section($0, $1, style) } + [notes]
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Returns the help of one command.
  static func text(of command: Command, _ style: TextStyle = TextStyle()) -> String {
    let usage = ("USAGE", [("understudy " + command.usage, command.about)])
    let options = ("OPTIONS", Manual.rows(command.flags))
    let ways = ("WAYS", command.name == Command.explore.name ? Manual.ways : [])
    let codes = ("EXIT CODES", Manual.exitCodes(of: command))
    let tables = [usage, options, ways, codes].filter { !$0.1.isEmpty }
    let operands = command.operands()
    let names = operands.isEmpty ? [] : ["One of: " + operands.joined(separator: ", ") + "."]
    let paragraphs = names + ["understudy --help prints the help of all commands, with notes and examples."]
    return (tables.map { section($0, $1, style) } + paragraphs.map { style.wrapped($0) }).joined(separator: "\n\n")
      + "\n"
  }

  /// Returns a table: its title, and a row for each name and its text.
  private static func section(_ title: String, _ rows: [(String, String)], _ style: TextStyle) -> String {
    // A name that would leave its text less than half of the line has a line of its own.
    let names = rows.map(\.0.count).filter { $0 + 5 <= style.width / 2 }
    let indent = (names.max() ?? 0) + 5
    let lines = rows.map { name, text in
      let gap = name.count + 5 <= indent ? String(repeating: " ", count: indent - name.count - 2) : nil
      let start = "  " + name + (gap ?? "\n" + String(repeating: " ", count: indent))
      return start + style.wrapped(text, at: indent)
    }
    return ([title] + lines).joined(separator: "\n")
  }
}
