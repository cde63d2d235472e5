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
