/// The text of `understudy --help`.
enum Help {
  /// The date of the version, for the footer of the manual page.
  static let date = "2026-11-21"

  static var text: String {
    let tables =
      [("USAGE", Manual.commands)] + Manual.options + [
        ("TRY IT", Manual.examples), ("EXIT CODES", Manual.exitCodes), ("EXIT CODES OF RUN", Manual.exitCodesOfRun),
      ]
    let paragraphs = Manual.notes.map { wrapped($0, indent: "") }
    let parts = [wrapped(Manual.about, indent: "")] + tables.map(section) + [paragraphs.joined(separator: "\n")]
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Returns the help of one command.
  static func text(of command: Command) -> String {
    let usage = ("USAGE", [("understudy " + command.usage, command.about)])
    let options = ("OPTIONS", Manual.rows(command.flags))
    let codes = ("EXIT CODES", command.name == Command.run.name ? Manual.exitCodesOfRun : [])
    let tables = [usage, options, codes].filter { !$0.1.isEmpty }
    let operands = command.operands()
    let names = operands.isEmpty ? [] : [wrapped("One of: " + operands.joined(separator: ", ") + ".", indent: "")]
    return
      (tables.map(section) + names + [
        "understudy --help prints the help of all commands, with notes and "
          + "examples."
      ])
      .joined(separator: "\n\n") + "\n"
  }

  private static func section(_ title: String, _ rows: [(String, String)]) -> String {
    let width = rows.map { $0.0.count }.max() ?? 0
    let lines = rows.map { name, text in "  " + name + String(repeating: " ", count: width - name.count + 3) + text }
    return ([title] + lines).joined(separator: "\n")
  }

  /// Returns the text in lines of at most 98 characters.
  static func wrapped(_ text: String, indent: String = "  ") -> String {
    var lines: [String] = []
    var line = indent
    for word in text.split(separator: " ") {
      if line.count + word.count > 97, line != indent {
        lines.append(line)
        line = indent
      }
      line += (line == indent ? "" : " ") + word
    }
    return (lines + [line]).joined(separator: "\n")
  }
}
