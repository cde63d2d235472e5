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

    /// The code with which it exited; nil if it ended otherwise.
    var exitCode: Int32? { if case .exited(let code) = self { code } else { nil } }

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

    /// - Parameter status: The status of a process that ended, as waitpid(2) returns it.
    init(status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
  }

  private let group: ProcessGroup
  /// True if the command reads from the terminal, and so is its foreground process.
  private var hasTerminal = false
  /// The seconds that the alarm had left when this program stopped itself, 0 for no alarm; nil while it runs.
  private var stoppedAlarm: UInt32?

  private init(_ group: ProcessGroup) { self.group = group }

  /// Runs a command to its end. It inherits the standard streams; its output goes to standard error if this program's is kept
  /// for a report.
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
    do throws(ProcessGroup.NotStarted) {
      let streams = Output.isKeptForReport ? ProcessGroup.Streams.outputToStandardError : .inherited
      var child = Child(try ProcessGroup(starting: words, variables, streams))
      return await child.wait(limit: seconds, ending)
    } catch {
      return (.notStarted(error.reason), nil)
    }
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
        await group.endRest(ending)
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
      group.end(by: wasAsked ? SIGKILL : signal == SIGALRM ? SIGTERM : signal)
      alarm(UInt32(ProcessGroup.grace.components.seconds))
    }
  }

  private func takeTerminalBack() {
    if hasTerminal { tcsetpgrp(0, getpgrp()) }
  }

  /// Acts on the stop of the command: one that needs the terminal becomes its foreground process, and one that Ctrl-Z
  /// stopped there stops this program, too.
  private mutating func stopped(by number: Int32) {
    if number == SIGTTIN || number == SIGTTOU, isatty(0) == 1, tcgetpgrp(0) == getpgrp() {
      hasTerminal = tcsetpgrp(0, group.leader) == 0
      if hasTerminal { group.send(SIGCONT) }
    } else if number == SIGTSTP, hasTerminal {
      takeTerminalBack()
      // The shell waits for all processes of its job: besides this program, for example, those of a script that started it.
      kill(0, SIGTSTP)
      suspend()
    }
  }

  /// Stops the command and this program, until something such as a shell's `fg` continues this program.
  private mutating func suspend() {
    group.send(SIGTSTP)
    stoppedAlarm = alarm(0)
    Signals.stopProgram()
  }

  /// Continues the command after this program was continued.
  private mutating func resume() {
    if hasTerminal { hasTerminal = tcgetpgrp(0) == getpgrp() && tcsetpgrp(0, group.leader) == 0 }
    if let seconds = stoppedAlarm { alarm(seconds) }
    stoppedAlarm = nil
    group.send(SIGCONT)
  }

  private mutating func reap() -> End? {
    switch group.change() {
    case .ended(let end)?: return end
    case .stopped(let signal)?: stopped(by: signal)
    case nil: break
    }
    return nil
  }
}
