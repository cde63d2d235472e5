#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// SIGINT and SIGTERM, waited for rather than handled: no code ever runs in a signal handler.
enum Signals {
  private static var stopping: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGINT)
    unsafe sigaddset(&set, SIGTERM)
    return set
  }

  /// Keeps both from ending the program. Threads that start later inherit it.
  static func block() {
    var set = stopping
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    // A file that may grow no further is told of by the call that wrote, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Returns when one of them comes.
  static func wait() {
    var set = stopping
    var number: Int32 = 0
    _ = unsafe sigwait(&set, &number)
  }

  /// Keeps those too that tell of a child and of its time.
  static func blockForChild() {
    block()
    var set = watching
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static var watching: sigset_t {
    var set = stopping
    unsafe sigaddset(&set, SIGCHLD)
    unsafe sigaddset(&set, SIGALRM)
    // Taking the terminal back from a child must not stop this program.
    unsafe sigaddset(&set, SIGTTOU)
    return set
  }

  /// A signal to stop that has come and was not yet waited for.
  static var pendingStop: Int32? {
    var set = sigset_t()
    guard unsafe sigpending(&set) == 0 else { return nil }
    return [SIGINT, SIGTERM].first { unsafe sigismember(&set, $0) == 1 }
  }

  /// The next signal that stops this program, or tells of its child.
  static func next() -> Int32 {
    var set = watching
    var number: Int32 = 0
    _ = unsafe sigwait(&set, &number)
    return number
  }

  /// Waits for the next one, and lets it end the program at once, for whoever does not want to wait for the drain.
  static func exitOnNext() -> Never {
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    var set = stopping
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    while true { pause() }
  }
}

enum FileDescriptors {
  /// Allows as many open descriptors as the system lets this program have; each connection needs one.
  static func raiseLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard unsafe getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(resource, &limit)
  }
}

/// The standard streams, written without a buffer in between, so that nothing waits for a program that serves on.
enum Output {
  static func write(_ text: String) { write(text, to: 1) }
  static func writeError(_ text: String) { write(text, to: 2) }

  /// Whether standard output is a terminal whose user has not asked for plain text (no-color.org).
  static var isColored: Bool { isatty(1) == 1 && (Environment.value("NO_COLOR") ?? "").isEmpty }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { buffer in
      #if canImport(Glibc)
        unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
      #else
        unsafe Darwin.write(descriptor, buffer.baseAddress, buffer.count)
      #endif
    }
  }
}

/// The environment's variables.
enum Environment {
  static func value(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Everything in it as `NAME=value`, with some values set.
  static func whole(adding variables: [String: String]) -> [String] {
    var lines: [String] = []
    var place = unsafe environ
    while let line = unsafe place.pointee {
      let text = unsafe String(cString: line)
      if let name = text.split(separator: "=", maxSplits: 1).first, variables[String(name)] == nil {
        lines.append(text)
      }
      unsafe place += 1
    }
    return lines + variables.map { "\($0.key)=\($0.value)" }
  }

  /// Those variables that stand in for flags.
  static var all: [String: String] {
    var variables: [String: String] = [:]
    for flag in Flag.serving + Flag.probing {
      if let name = flag.variable { variables[name] = value(name) }
    }
    return variables
  }
}
