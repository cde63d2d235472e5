package import Foundation

/// A program in a process of its own, started by posix_spawn(3). It leads its own process group, and has no descriptors
/// but its standard streams.
///
/// On Linux, Foundation's `Process` first lists the open descriptors of this process, and reads beyond the end of the
/// list where it has more than about 1,300 entries. Tests with hundreds of connections have more.
package final class SpawnedProgram: @unchecked Sendable {
  package enum End: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  package let identifier: pid_t
  private let condition = NSCondition()
  private var ending: End?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - environment: The variables of the process; nil for those of this one.
  ///   - streams: The descriptors of its standard input, output and error; nil for `/dev/null`.
  package init(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil, directory: URL? = nil,
    streams: [Int32?]
  ) throws {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
    #else
      var (actions, attributes) = unsafe (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (number, stream) in streams.enumerated() {
      if let stream {
        unsafe posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      }
    }
    // Foundation's files are not closed on exec, and a file that another program has open for writing cannot be run. Other
    // threads open some meanwhile, so those that are not open yet are closed, too.
    #if !canImport(Darwin)
      for number in Int32(streams.count)..<Self.maximumDescriptor {
        unsafe posix_spawn_file_actions_addclose(&actions, number)
      }
    #endif
    // Threads of a pool block signals; a program must not inherit that.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
    let command = [program.path] + arguments
    // Older systems cannot change the directory of what they spawn.
    let spawned = directory.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0.path] + command } ?? command
    var words = unsafe spawned.map { unsafe strdup($0) } + [nil]
    var list = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + list).forEach { unsafe free($0) } }
    var process = pid_t()
    let status = unsafe posix_spawn(&process, spawned[0], &actions, &attributes, &words, &list)
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EINVAL) }
    identifier = process
    Thread.detachNewThread { [self] in record(Self.wait(for: identifier)) }
  }

  /// More than all tests together open.
  private static let maximumDescriptor: Int32 = 8_192

  /// Returns a pipe that only this process has. Call it where no other program is being started.
  package static func pipe() -> Pipe {
    let pipe = Pipe()
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    return pipe
  }

  private static func wait(for process: pid_t) -> End {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  private func record(_ end: End) {
    condition.withLock {
      ending = end
      condition.broadcast()
    }
  }

  package var isRunning: Bool { condition.withLock { ending == nil } }

  /// Sends a signal, unless the process has ended.
  package func send(_ signal: Int32) { if isRunning { _ = kill(identifier, signal) } }

  /// Returns its end; nil if it does not end in time.
  package func end(until limit: Date) -> End? {
    condition.withLock {
      while ending == nil { guard condition.wait(until: limit) else { return ending } }
      return ending
    }
  }
}
