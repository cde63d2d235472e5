import Platform
import Understudy

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  // Musl declares `environ` as a mutable global variable, which is not safe under strict concurrency.
  @unsafe @preconcurrency import Musl
#else
  import Darwin
#endif

/// The environment's variables.
enum Environment {
  static func value(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// True if a variable has a value that is not empty.
  static func isSet(_ name: String) -> Bool { value(name)?.isEmpty == false }

  /// Returns the number of columns of a terminal; nil if the descriptor is none, or does not tell.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// True if the terminal understands no escape sequences.
  static var isTerminalDumb: Bool { value("TERM") == "dumb" }

  /// The system's list, which ends with a null pointer.
  private static var entries: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    #if canImport(Darwin)
      // On Apple systems no header declares environ.
      unsafe _NSGetEnviron().pointee
    #else
      unsafe environ
    #endif
  }

  /// Returns all variables as `NAME=value`, with some values replaced.
  static func whole(adding variables: [String: String]) -> [String] {
    var lines: [String] = []
    var index = unsafe entries
    while let line = unsafe index?.pointee {
      let text = unsafe String(cString: line)
      if let name = text.split(separator: "=", maxSplits: 1).first, variables[String(name)] == nil {
        lines.append(text)
      }
      unsafe index = index?.advanced(by: 1)
    }
    return lines + variables.map { "\($0.key)=\($0.value)" }
  }

  /// The words after the program's name in the command line of the container's first process, which is the server or an
  /// init process that has started it; empty if it is another program.
  static var server: [String] {
    guard let line = try? File.read("/proc/1/cmdline", atMost: 1 << 16, takingPipes: false) else { return [] }
    return server(in: line)
  }

  /// The same of a command line whose words each end with a zero byte.
  static func server(in line: [UInt8]) -> [String] {
    let words = line.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    let name = words.firstIndex { $0 == "understudy" || $0.hasSuffix("/understudy") } ?? words.endIndex
    return Array(words.dropFirst(name + 1).dropLast())
  }

  /// The variables that replace flags.
  static var all: [String: String] {
    var variables: [String: String] = [:]
    for flag in Flag.serving + Flag.probing {
      if let name = flag.variable { variables[name] = value(name) }
    }
    return variables
  }
}

extension MockServer {
  /// Returns the environment variables of a command that finds its backend here.
  func variables(seed: UInt64) -> [String: String] {
    // Each one is set, so that none of an outer server is left over.
    [
      "UNDERSTUDY_URL": url, "UNDERSTUDY_PORT": "\(port)", "UNDERSTUDY_SEED": "\(seed)",
      "UNDERSTUDY_CONTROL_URL": controlURL,
    ]
  }
}
