import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A child process that runs a command, with forwarded signals and an optional time limit.
struct Child {
  /// The end of a command.
  enum End: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// The command exceeded its time limit and was terminated.
    case timedOut
    /// The program does not exist or cannot be executed, for the reason in a value of `errno`.
    case notStarted(Int32)

    /// The exit code that a shell would show.
    var code: Int32 {
      switch self {
      case .exited(let code): code
      case .signalled(let number): 128 + number
      case .timedOut: 124
      case .notStarted(ENOENT): 127
      case .notStarted: 126
      }
    }
  }

  /// The time in seconds that a command has to end after a signal, before it is killed.
  private static let grace: UInt32 = 5
  /// The maximum number of checks, 10 ms apart, for the end of processes that a command left behind.
  private static let groupCheckCount = grace * 100

  /// The command's process. It leads its own process group, so that its children end with it.
  private let process: pid_t
  /// True if the command reads from the terminal, and so is its foreground process.
  private var hasTerminal = false
  /// The seconds that the alarm had left when this program stopped itself, 0 for no alarm; nil while it runs.
  private var stoppedAlarm: UInt32?

  private init(process: pid_t) { self.process = process }

  /// Runs a command to its end. It inherits the standard streams.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in PATH, and its arguments.
  ///   - variables: Additional environment variables.
  ///   - seconds: The time limit; nil for none.
  ///   - ending: Called before the command gets a signal to end.
  /// - Returns: The command's end, and the signal that asked this program to stop, if any.
  static func run(
    _ words: [String], variables: [String: String], limit seconds: Int?, ending: () async -> Void
  ) async -> (end: End, stop: Int32?) {
    var process = pid_t()
    let status = spawn(words, variables, &process)
    guard status == 0 else { return (.notStarted(status), nil) }
    var child = Child(process: process)
    return await child.wait(limit: seconds, ending)
  }

  /// Returns true if a word names a program, by its path or in the directories of PATH.
  static func isProgram(_ word: Substring) -> Bool {
    let directories = (Environment.value("PATH") ?? "").split(separator: ":")
    let paths = word.contains("/") ? [String(word)] : directories.map { "\($0)/\(word)" }
    return paths.contains(where: File.isExecutable)
  }

  private mutating func wait(limit seconds: Int?, _ ending: () async -> Void) async -> (end: End, stop: Int32?) {
    var hasTimedOut = false
    var stop: Int32?
    // The alarm of an earlier command may arrive after its end.
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
        // Ctrl-C goes to the foreground process of the terminal only.
        if hasTerminal, end == .signalled(SIGINT) { stop = stop ?? SIGINT }
        return (hasTimedOut ? .timedOut : end, stop)
      }
      if signal == SIGTSTP { suspend() }
      if signal == SIGCONT { resume() }
      guard signal == SIGALRM || Signals.stops.contains(signal) else { continue }
      let wasAsked = hasTimedOut || stop != nil
      if !wasAsked { await ending() }
      if signal == SIGALRM { hasTimedOut = hasTimedOut || stop == nil } else { stop = stop ?? signal }
      send(wasAsked ? SIGKILL : signal == SIGALRM ? SIGTERM : signal)
      // A stopped process cannot end.
      if !wasAsked { send(SIGCONT) }
      alarm(Self.grace)
    }
  }

  private func send(_ number: Int32) { kill(-process, number) }

  /// Terminates the processes that the command left behind: none of them outlives its run.
  ///
  /// Checks for their end in intervals, because they are not children of this process: no event that all systems have
  /// reports the end of a process group.
  private func endGroup() {
    send(SIGTERM)
    for _ in 0..<Self.groupCheckCount where kill(-process, 0) == 0 {
      // A stopped process cannot end, even if its own handler stopped it again.
      send(SIGCONT)
      usleep(10_000)
    }
    send(SIGKILL)
  }

  private func takeTerminalBack() {
    if hasTerminal { tcsetpgrp(0, getpgrp()) }
  }

  /// Acts on the stop of the command: one that needs the terminal becomes its foreground process, and one that Ctrl-Z
  /// stopped there stops this program, too.
  private mutating func stopped(by number: Int32) {
    if number == SIGTTIN || number == SIGTTOU, isatty(0) == 1, tcgetpgrp(0) == getpgrp() {
      hasTerminal = tcsetpgrp(0, process) == 0
      if hasTerminal { send(SIGCONT) }
    } else if number == SIGTSTP, hasTerminal {
      takeTerminalBack()
      // The shell waits for all processes of its job: besides this program, for example, those of a script that started it.
      kill(0, SIGTSTP)
      suspend()
    }
  }

  /// Stops the command and this program, until something such as a shell's `fg` continues this program.
  private mutating func suspend() {
    send(SIGTSTP)
    stoppedAlarm = alarm(0)
    kill(getpid(), SIGSTOP)
  }

  /// Continues the command after this program was continued.
  private mutating func resume() {
    if hasTerminal { hasTerminal = tcgetpgrp(0) == getpgrp() && tcsetpgrp(0, process) == 0 }
    if let seconds = stoppedAlarm { alarm(seconds) }
    stoppedAlarm = nil
    send(SIGCONT)
  }

  /// Returns the end of a child process, which then is gone; nil while it runs.
  static func end(of process: pid_t) -> End? {
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, WNOHANG) == process else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  private mutating func reap() -> End? {
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, WNOHANG | WUNTRACED) == process else { return nil }
    let signal = status & 0x7F
    if signal == 0x7F {
      stopped(by: status >> 8 & 0xFF)
      return nil
    }
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  /// Starts a process that leads a process group of its own, with the limits and the actions of signals with which this
  /// program was started.
  ///
  /// - Parameters:
  ///   - output: The path of a file that receives its output; it then has no input. Nil to inherit the standard streams.
  ///   - process: Receives the process.
  /// - Returns: 0, or a value of `errno`.
  static func spawn(
    _ words: [String], _ variables: [String: String], output: String? = nil, _ process: inout pid_t
  ) -> Int32 {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
    #elseif canImport(Musl)
      var actions = unsafe posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let output {
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
      unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    }
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
    var defaults = none
    for number in Signals.ignoredHere { unsafe sigaddset(&defaults, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment = unsafe Environment.whole(adding: variables).map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
    return Descriptor.withInheritedLimit {
      unsafe posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &environment)
    }
  }
}
