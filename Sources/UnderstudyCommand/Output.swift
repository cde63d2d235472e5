import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard streams, written without a buffer, so that output is visible while the program serves.
enum Output {
  static func write(_ text: String) { Descriptor.write(text, to: 1) }
  static func writeError(_ text: String) { Descriptor.write(text, to: 2) }

  /// True if standard output is a terminal.
  static var isTerminal: Bool { isatty(1) == 1 }

  /// True if standard error is a terminal.
  static var isErrorTerminal: Bool { isatty(2) == 1 }

  /// True if standard output is a terminal and `NO_COLOR` is not set (no-color.org).
  static var isColored: Bool { isTerminal && (Environment.value("NO_COLOR") ?? "").isEmpty }
}

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
