import Platform
import Primitives
import Report

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard streams, written without a buffer, so that output is visible while the program serves.
enum Output {
  private static let hasFailed = Locked(false)
  private static let carriesReport = Locked(false)

  /// True if standard output could not be written.
  static var isLost: Bool { hasFailed.withLock { $0 } }

  /// Keeps standard output for a report: from now on other texts go to standard error.
  static func keepForReport() { carriesReport.withLock { $0 = true } }

  /// True if standard output is kept for a report.
  static var isKeptForReport: Bool { carriesReport.withLock { $0 } }

  /// Writes a text to standard output, or to standard error if the former is kept for a report.
  static func write(_ text: String) {
    if isKeptForReport { writeError(text) } else { writeReport(text) }
  }

  /// Writes a text to standard output. The first failure is reported, unless the reader of a pipe wants no more, as `head`
  /// does; `exit(_:)` makes it the program's.
  static func writeReport(_ text: String) {
    guard !isLost else { return }
    do throws(SystemError) {
      try Descriptor.write(Array(text.utf8), to: STDOUT_FILENO, named: "standard output")
    } catch {
      hasFailed.withLock { $0 = true }
      if !error.isBrokenPipe { complain("\(error); the output is incomplete") }
    }
  }

  /// Writes a line to standard output, with escapes for what could control a terminal: it quotes files.
  static func writeLine(_ line: String) { write(line.printable + "\n") }

  /// Writes to standard error. A failure is ignored.
  static func writeError(_ text: String) {
    try? Descriptor.write(Array(text.utf8), to: STDERR_FILENO, named: "standard error")
  }

  static func writeErrorLine(_ line: String) { writeError(line.printable + "\n") }

  /// Writes a message to standard error: one line, whatever it quotes.
  static func complain(_ message: String) { writeError("understudy: \(message.printable)\n") }

  /// Writes a message about a command, and the last lines of its output.
  static func complain(_ message: String, withOutput lines: [String]) {
    complain(message + (lines.isEmpty ? "" : "; the end of its output:"))
    for line in lines { writeErrorLine(line) }
  }

  /// Ends the program. A success whose output could not be written is none.
  static func exit(_ code: Int32) -> Never {
    endProcess(code == 0 && isLost ? ExitCode.cannotWrite : code)
  }

  /// True if standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// True if standard error is a terminal.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// The style of text on standard output: that of its terminal, if it is one.
  static var style: TextStyle {
    let width = TextStyle().width
    return TextStyle(isColored: isColored, width: min(Environment.columns(of: STDOUT_FILENO) ?? width, width))
  }

  /// True unless the user wants no colours, or the output shows none (no-color.org, force-color.org).
  private static var isColored: Bool {
    if Environment.isSet("NO_COLOR") { return false }
    return Environment.isSet("FORCE_COLOR") || isTerminal && !Environment.isTerminalDumb
  }
}

/// The progress of a long command, as one line on standard error. It is written only to a terminal that can erase a line.
enum Progress {
  private static var isShown: Bool { Output.isErrorTerminal && !Environment.isTerminalDumb }

  /// Replaces the line.
  static func show(_ text: String) {
    guard isShown else { return }
    Output.writeError("\r\u{1B}[K" + text)
  }

  /// Clears the line, so that other output can follow.
  static func clear() {
    guard isShown else { return }
    Output.writeError("\r\u{1B}[K")
  }

  /// Returns the progress of a sweep: `seed 7, 5 of 100, 2 failing so far`.
  static func ofSweep(seed: UInt64, done: Int, count: Int, failing: Int) -> String {
    "seed \(seed), \(done + 1) of \(count)" + (failing > 0 ? ", \(failing) failing so far" : "")
  }
}

/// The system's `exit`, which the method hides.
private func endProcess(_ code: Int32) -> Never { exit(code) }
