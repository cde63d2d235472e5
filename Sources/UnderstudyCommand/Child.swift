#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
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
  private static let grace: UInt32 = 5
  /// The number of looks, 10 ms apart, for processes that a command left behind and that were asked to end.
  private static let looks = grace * 100

  /// The command's process, which leads a group of its own, so that what it spawns ends with it.
  private let process: pid_t
  /// Whether the command reads from the terminal, and so has it.
  private var hasTerminal = false

  private init(process: pid_t) { self.process = process }

  /// Runs a command to its end. The standard streams are this program's own.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in PATH, and its arguments.
  ///   - variables: What the environment has in addition.
  ///   - seconds: After which it is ended; nil lets it take as long as it wants.
  ///   - ending: Called before it is asked to end.
  /// - Returns: How it ended, and the signal that asked this program to stop meanwhile.
  static func run(
    _ words: [String], variables: [String: String], limit seconds: Int?, ending: () async -> Void
  ) async -> (end: End, stop: Int32?) {
    var process = pid_t()
    let status = spawn(words, variables, &process)
    guard status == 0 else { return (.notFound(unsafe String(cString: strerror(status))), nil) }
    var child = Child(process: process)
    return await child.wait(limit: seconds, ending)
  }

  private mutating func wait(limit seconds: Int?, _ ending: () async -> Void) async -> (end: End, stop: Int32?) {
    var hasTimedOut = false
    var stop: Int32?
    // The alarm of a command before may have come when that had ended.
    signal(SIGALRM, SIG_IGN)
    signal(SIGALRM, SIG_DFL)
    if let seconds { alarm(UInt32(seconds)) }
    while true {
      let signal = Signals.next()
      if signal == SIGCHLD {
        guard let end = reap() else { continue }
        alarm(0)
        takeTerminalBack()
        if kill(-process, 0) == 0 {
          await ending()
          endGroup()
        }
        // Ctrl-C goes to whoever has the terminal.
        if hasTerminal, end == .signalled(SIGINT) { stop = stop ?? SIGINT }
        return (hasTimedOut ? .timedOut : end, stop)
      }
      guard signal == SIGALRM || Signals.stops.contains(signal) else { continue }
      let wasAsked = hasTimedOut || stop != nil
      if !wasAsked { await ending() }
      if signal == SIGALRM { hasTimedOut = hasTimedOut || stop == nil } else { stop = stop ?? signal }
      send(wasAsked ? SIGKILL : signal == SIGALRM ? SIGTERM : signal)
      // What is stopped cannot end.
      if !wasAsked { send(SIGCONT) }
      alarm(Self.grace)
    }
  }

  private func send(_ number: Int32) { kill(-process, number) }

  /// Ends what the command left behind: nothing that it spawned outlives its run.
  private func endGroup() {
    send(SIGTERM)
    for _ in 0..<Self.looks where kill(-process, 0) == 0 {
      // A process that is stopped, be it again by a handler of its own, cannot end.
      send(SIGCONT)
      usleep(10_000)
    }
    send(SIGKILL)
  }

  private func takeTerminalBack() {
    if hasTerminal { tcsetpgrp(0, getpgrp()) }
  }

  /// Gives the terminal to a command that stopped because it wants to use it.
  private mutating func resume(stoppedBy number: Int32) {
    guard number == SIGTTIN || number == SIGTTOU, isatty(0) == 1, tcgetpgrp(0) == getpgrp() else { return }
    hasTerminal = tcsetpgrp(0, process) == 0
    if hasTerminal { send(SIGCONT) }
  }

  private mutating func reap() -> End? {
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, WNOHANG | WUNTRACED) == process else { return nil }
    let signal = status & 0x7F
    if signal == 0x7F {
      resume(stoppedBy: status >> 8 & 0xFF)
      return nil
    }
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  private static func spawn(
    _ words: [String], _ variables: [String: String], _ process: inout pid_t
  ) -> Int32 {
    #if canImport(Glibc)
      var attributes = posix_spawnattr_t()
    #elseif canImport(Musl)
      var attributes = unsafe posix_spawnattr_t()
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
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment = unsafe Environment.whole(adding: variables).map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
    return unsafe posix_spawnp(&process, words[0], nil, &attributes, &arguments, &environment)
  }
}
