import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The process group of a command, whose children end with it.
struct ProcessGroup: Hashable, Sendable {
  /// The command's process.
  let leader: pid_t

  /// The time that a command has to end after a signal, before it is killed.
  static let grace = Duration.seconds(5)

  /// The reason why a program cannot be run, a value of `errno`.
  struct NotStarted: Error {
    let reason: Int32
  }

  /// The standard streams of a command.
  enum Streams {
    case inherited
    /// Inherited, but for its output: this program's standard output is kept for a report.
    case outputToStandardError
    /// No input, and all output in the file at a path.
    case file(String)
  }

  /// A change of the command's process.
  enum Change {
    case ended(Child.End)
    /// A signal stopped it.
    case stopped(Int32)
  }

  /// Returns the newest change that was not returned before; nil if there is none. A command that has ended is gone then.
  func change() -> Change? {
    var status: Int32 = 0
    guard unsafe waitpid(leader, &status, WNOHANG | WUNTRACED) == leader else { return nil }
    return status & 0x7F == 0x7F ? .stopped(status >> 8 & 0xFF) : .ended(Child.End(status: status))
  }

  func send(_ signal: Int32) { kill(-leader, signal) }

  /// Sends a signal that is to end the processes. A stopped process cannot end, so it continues.
  func end(by signal: Int32) {
    send(signal)
    send(SIGCONT)
  }

  private var exists: Bool { kill(-leader, 0) == 0 }

  /// Terminates the processes that the command left behind: none of them outlives its run.
  ///
  /// Checks for their end in intervals, because they are not children of this process: no event that all systems have
  /// reports the end of a process group.
  ///
  /// - Parameter ending: Called before they get a signal, if there are any.
  func endRest(_ ending: () async -> Void) async {
    guard exists else { return }
    await ending()
    send(SIGTERM)
    let deadline = ContinuousClock.now + Self.grace
    while exists, ContinuousClock.now < deadline {
      // A stopped process cannot end, even if its own handler stopped it again.
      send(SIGCONT)
      try? await Task.sleep(for: .milliseconds(10))
    }
    send(SIGKILL)
  }

  /// Starts a program in a group of its own, with the limits and the actions of signals with which this program was started.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in PATH, and its arguments.
  ///   - variables: Additional environment variables.
  ///   - streams: Its standard streams.
  init(starting words: [String], _ variables: [String: String], _ streams: Streams) throws(NotStarted) {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
    #elseif canImport(Musl)
      var actions = unsafe posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    switch streams {
    case .inherited: break
    case .outputToStandardError:
      unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    case .file(let path):
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_addopen(
        &actions, STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
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
    var process = pid_t()
    let status = Descriptor.withInheritedLimit {
      unsafe posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &environment)
    }
    guard status == 0 else { throw NotStarted(reason: status) }
    leader = process
  }
}
