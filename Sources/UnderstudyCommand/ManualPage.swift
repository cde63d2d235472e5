import Contract
import ControlAPI
import Primitives

/// The text of `understudy man`: the content of the help, formatted with the man(7) macros.
enum ManualPage {
  static var text: String {
    let options = Manual.options.flatMap { [".SH \(escaped($0))"] + terms($1) }
    let lines =
      [
        ".TH UNDERSTUDY 1 \(Help.date) \"understudy \(Document.version)\" \"User Commands\"",
        ".SH NAME", "understudy \\- play a backend whose network fails on purpose, and judge its client",
        ".SH SYNOPSIS",
      ] + synopsis + [".SH DESCRIPTION", escaped(Manual.about)] + Manual.notes.flatMap { [".PP", escaped($0)] }
      + [".SH COMMANDS"] + terms(Command.all.map { ($0.usage, $0.about) }) + options
      + [".SH ENVIRONMENT", "A variable replaces an option that is not given."] + terms(variables)
      + [".SH EXIT STATUS"] + terms(Manual.exitCodes)
      + [".PP", "With", ".BR run :"] + terms(Manual.exitCodesOfRun)
      + [".PP", "With", ".BR explore :"] + terms(Manual.exitCodesOfExplore)
      + [".SH EXAMPLES"] + terms(Manual.examples)
    return lines.joined(separator: "\n") + "\n"
  }

  private static var synopsis: [String] {
    Command.all.enumerated().flatMap { index, command in
      (index == 0 ? [] : [".br"]) + [".B understudy", escaped(command.usage)]
    }
  }

  private static var variables: [(String, String)] {
    Command.all.flatMap(\.flags).distinct(by: \.variable).compactMap { flag in
      flag.variable.map { ($0, "replaces \(flag.name)") }
    }
  }

  /// Returns a list of terms, each followed by its meaning.
  private static func terms(_ rows: [(String, String)]) -> [String] {
    rows.flatMap { [".TP", ".B \"" + escaped($0).replacing("\"", with: "\\(dq") + "\"", escaped($1)] }
  }

  /// Returns text that roff prints unchanged: hyphens stay hyphens, and no line is a request.
  static func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
      .replacing("…", with: "...")
    return plain.hasPrefix(".") ? "\\&" + plain : plain
  }
}
