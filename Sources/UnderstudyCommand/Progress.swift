/// The progress of a long command, as one line on standard error. It is written only to a terminal.
enum Progress {
  /// Replaces the line.
  static func show(_ text: String) {
    guard Output.isErrorTerminal else { return }
    Output.writeError("\r\u{1B}[K" + text)
  }

  /// Clears the line, so that other output can follow.
  static func clear() {
    guard Output.isErrorTerminal else { return }
    Output.writeError("\r\u{1B}[K")
  }

  /// Returns the progress of a sweep: `seed 7, 5 of 100, 2 failing so far`.
  static func ofSweep(seed: UInt64, done: Int, count: Int, failing: Int) -> String {
    "seed \(seed), \(done + 1) of \(count)" + (failing > 0 ? ", \(failing) failing so far" : "")
  }
}
