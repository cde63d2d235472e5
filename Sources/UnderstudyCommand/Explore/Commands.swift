import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The commands that run at the same time. Each leads a process group of its own, so that its children end with it.
final class Commands: Sendable {
  private struct State {
    var running: [pid_t: Running] = [:]
    var stop: Int32?
  }

  private struct Running {
    var end: Child.End?
    var hasTimedOut = false
    var waiter: CheckedContinuation<Child.End, Never>?
  }

  private let state = Locked(State())

  /// The time that a command has to end after a signal, before it is killed.
  private static let grace = Duration.seconds(5)

  /// The signal that asked this program to stop; nil if none did.
  var stop: Int32? { state.withLock { $0.stop } }

  /// Follows the ends of commands and the signals that ask this program to stop. The first thread does nothing else.
  func followSignals() -> Never {
    while true {
      let signal = Signals.next()
      if signal == SIGCHLD {
        reap()
      } else if Signals.stops.contains(signal) {
        stop(by: signal)
      }
    }
  }

  /// Runs a command to its end, without input.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in PATH, and its arguments.
  ///   - variables: Additional environment variables.
  ///   - output: The path of the file that receives its output.
  ///   - limit: The time limit; nil for none.
  ///   - ending: Called before a command that exceeds the limit gets a signal to end.
  func run(
    _ words: [String], variables: [String: String], output: String, limit: Duration?,
    ending: @escaping @Sendable () async -> Void = {}
  ) async -> Child.End {
    let started = state.withLock { state -> Result<pid_t, NotStarted> in
      if let stop = state.stop { return .failure(NotStarted(end: .signalled(stop))) }
      var process = pid_t()
      let status = Child.spawn(words, variables, output: output, &process)
      guard status == 0 else { return .failure(NotStarted(end: .notStarted(status))) }
      state.running[process] = Running()
      return .success(process)
    }
    let process: pid_t
    switch started {
    case .failure(let reason): return reason.end
    case .success(let number): process = number
    }
    let timer = Task.detached { [self] in
      guard let limit, (try? await Task.sleep(for: limit)) != nil else { return }
      await ending()
      interrupt(process, SIGTERM)
      guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
      interrupt(process, SIGKILL)
    }
    let end = await end(of: process)
    timer.cancel()
    await endGroup(of: process)
    return end
  }

  private struct NotStarted: Error {
    let end: Child.End
  }

  private func end(of process: pid_t) async -> Child.End {
    let end = await withCheckedContinuation { (waiter: CheckedContinuation<Child.End, Never>) in
      let end = state.withLock { state -> Child.End? in
        if let end = state.running[process]?.end { return end }
        state.running[process]?.waiter = waiter
        return nil
      }
      if let end { waiter.resume(returning: end) }
    }
    let running = state.withLock { $0.running.removeValue(forKey: process) }
    return running?.hasTimedOut == true ? .timedOut : end
  }

  /// Takes the ends of all commands that have ended: one signal may stand for several.
  private func reap() {
    state.withLock { state in
      for process in state.running.keys {
        guard state.running[process]?.end == nil, let end = Child.end(of: process) else { continue }
        state.running[process]?.end = end
        state.running[process]?.waiter?.resume(returning: end)
        state.running[process]?.waiter = nil
      }
    }
  }

  /// Sends a signal to a command that exceeds its limit.
  private func interrupt(_ process: pid_t, _ signal: Int32) {
    state.withLock { state in
      guard state.running[process] != nil, state.running[process]?.end == nil else { return }
      state.running[process]?.hasTimedOut = true
      Self.send(signal, to: process)
    }
  }

  /// Passes a signal on to all commands, and kills them after a while; a second signal kills them at once.
  private func stop(by signal: Int32) {
    let isFirst = state.withLock { state in
      defer { state.stop = state.stop ?? signal }
      for process in state.running.keys { Self.send(state.stop == nil ? signal : SIGKILL, to: process) }
      return state.stop == nil
    }
    guard isFirst else { return }
    Task.detached { [self] in
      try? await Task.sleep(for: Self.grace)
      state.withLock { for process in $0.running.keys { Self.send(SIGKILL, to: process) } }
    }
  }

  /// Ends the processes that a command left behind: none of them outlives its run.
  ///
  /// They are no children of this process, so no event that all systems have reports their end.
  private func endGroup(of process: pid_t) async {
    guard kill(-process, 0) == 0 else { return }
    Self.send(SIGTERM, to: process)
    let deadline = ContinuousClock.now + Self.grace
    while kill(-process, 0) == 0, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(10)) }
    Self.send(SIGKILL, to: process)
  }

  private static func send(_ signal: Int32, to process: pid_t) {
    kill(-process, signal)
    // A stopped process cannot end.
    kill(-process, SIGCONT)
  }
}
