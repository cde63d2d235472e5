#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A command that runs until it ends, while signals are passed on to it and its time is limited.
struct Child {
  /// How a command ended.
  enum End: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// It took longer than it may, and was ended.
    case timedOut
    /// There is no such program, or it cannot be run.
    case notFound(String)

    /// The exit code that a shell would show.
    var code: Int32 {
      switch self {
      case .exited(let code): code
      case .signalled(let number): 128 + number
      case .timedOut: 124
      case .notFound: 127
      }
    }
  }

  /// How long a command may take to end after it was asked to, before it is killed.
  private static let grace: Int = 5

  private let process: pid_t
  /// Whether it leads a group of its own, so that what it spawns ends with it.
  private let leadsGroup: Bool

  /// Runs a command to its end. The standard streams are this program's own.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in PATH, and its arguments.
  ///   - variables: What the environment has in addition.
  ///   - seconds: After which it is ended; nil lets it take as long as it wants.
  static func run(_ words: [String], variables: [String: String], limit seconds: Int?) -> End {
    let leadsGroup = isatty(0) == 0
    var process = pid_t()
    let status = spawn(words, variables, leadsGroup, &process)
    guard status == 0 else { return .notFound(unsafe String(cString: strerror(status))) }
    return Child(process: process, leadsGroup: leadsGroup).wait(limit: seconds)
  }

  private func wait(limit seconds: Int?) -> End {
    var hasTimedOut = false
    if let seconds { alarm(UInt32(seconds)) }
    while true {
      switch Signals.next() {
      case SIGCHLD:
        guard let end = reap() else { continue }
        alarm(0)
        if leadsGroup { kill(-process, SIGTERM) }
        return hasTimedOut ? .timedOut : end
      case SIGALRM:
        send(hasTimedOut ? SIGKILL : SIGTERM)
        hasTimedOut = true
        alarm(UInt32(Self.grace))
      case let number:
        // On a terminal the whole group has had Ctrl-C already.
        if leadsGroup || number != SIGINT { send(number) }
      }
    }
  }

  private func send(_ number: Int32) { kill(leadsGroup ? -process : process, number) }

  private func reap() -> End? {
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, WNOHANG) == process else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  private static func spawn(
    _ words: [String], _ variables: [String: String], _ leadsGroup: Bool, _ process: inout pid_t
  ) -> Int32 {
    #if canImport(Glibc)
      var attributes = posix_spawnattr_t()
    #else
      var attributes: posix_spawnattr_t?
    #endif
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var pipe = none
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &pipe)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | Int16(group))
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment = unsafe Environment.whole(adding: variables).map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
    return unsafe posix_spawnp(&process, words[0], nil, &attributes, &arguments, &environment)
  }
}
