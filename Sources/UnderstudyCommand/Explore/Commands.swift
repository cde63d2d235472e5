import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The commands that run at the same time.
final class Commands: Sendable {
  private struct State {
    var running: [ProcessGroup: Running] = [:]
    var stop: Int32?
    /// The time that this program was suspended, and the instant since which it is; nil while it runs.
    var suspended = Duration.zero
    var suspension: ContinuousClock.Instant?

    /// The time that this program was suspended until now.
    var timeSuspended: Duration { suspended + (suspension.map { ContinuousClock.now - $0 } ?? .zero) }

    func send(_ signal: Int32) { for group in running.keys { group.send(signal) } }

    func end(by signal: Int32) { for group in running.keys { group.end(by: signal) } }
  }

  private struct Running {
    var end: Child.End?
    var hasTimedOut = false
    var waiter: CheckedContinuation<Child.End, Never>?
  }

  private let state = Locked(State())

  /// The signal that asked this program to stop; nil if none did.
  var stop: Int32? { state.withLock { $0.stop } }

  /// Follows the ends of commands, and the signals that end, suspend and continue this program. The first thread does
  /// nothing else.
  func followSignals() -> Never {
    while true {
      switch Signals.next() {
      case SIGCHLD: reap()
      case SIGTSTP: suspend()
      case SIGCONT: resume()
      case let signal where Signals.stops.contains(signal): stop(by: signal)
      default: break
      }
    }
  }

  /// Runs a command to its end, without input.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in PATH, and its arguments.
  ///   - variables: Additional environment variables.
  ///   - output: The path of the file that receives its output.
  ///   - limit: The time limit; nil for none. Time in which this program is suspended does not count.
  ///   - ending: Called before the command, or a process that it left behind, gets a signal to end.
  func run(
    _ words: [String], variables: [String: String], output: String, limit: Duration?,
    ending: @escaping @Sendable () async -> Void = {}
  ) async -> Child.End {
    let started = state.withLock { state -> Result<ProcessGroup, NotStarted> in
      if let stop = state.stop { return .failure(NotStarted(end: .signalled(stop))) }
      do throws(ProcessGroup.NotStarted) {
        let group = try ProcessGroup(starting: words, variables, .file(output))
        state.running[group] = Running()
        return .success(group)
      } catch {
        return .failure(NotStarted(end: .notStarted(error.reason)))
      }
    }
    let group: ProcessGroup
    switch started {
    case .failure(let reason): return reason.end
    case .success(let value): group = value
    }
    let timer = Task.detached { [self] in
      guard let limit, await isOver(limit) else { return }
      await ending()
      interrupt(group, SIGTERM)
      guard await isOver(ProcessGroup.grace) else { return }
      interrupt(group, SIGKILL)
    }
    let end = await end(of: group)
    timer.cancel()
    await group.endRest(ending)
    return end
  }

  private struct NotStarted: Error {
    let end: Child.End
  }

  /// Waits for a time in which this program runs; returns false if the task was cancelled before.
  private func isOver(_ time: Duration) async -> Bool {
    let (start, before) = (ContinuousClock.now, state.withLock { $0.timeSuspended })
    while true {
      let left = time - (ContinuousClock.now - start) + state.withLock { $0.timeSuspended } - before
      guard left > .zero else { return !Task.isCancelled }
      // A suspension may begin or end during the sleep.
      guard (try? await Task.sleep(for: left)) != nil else { return false }
    }
  }

  private func end(of group: ProcessGroup) async -> Child.End {
    let end = await withCheckedContinuation { (waiter: CheckedContinuation<Child.End, Never>) in
      let end = state.withLock { state -> Child.End? in
        if let end = state.running[group]?.end { return end }
        state.running[group]?.waiter = waiter
        return nil
      }
      if let end { waiter.resume(returning: end) }
    }
    let running = state.withLock { $0.running.removeValue(forKey: group) }
    return running?.hasTimedOut == true ? .timedOut : end
  }

  /// Takes the ends of all commands that have ended: one signal may stand for several.
  private func reap() {
    state.withLock { state in
      for group in state.running.keys where state.running[group]?.end == nil {
        guard case .ended(let end)? = group.change() else { continue }
        state.running[group]?.end = end
        state.running[group]?.waiter?.resume(returning: end)
        state.running[group]?.waiter = nil
      }
    }
  }

  /// Sends a signal to a command that exceeds its limit.
  private func interrupt(_ group: ProcessGroup, _ signal: Int32) {
    state.withLock { state in
      guard state.running[group] != nil, state.running[group]?.end == nil else { return }
      state.running[group]?.hasTimedOut = true
      group.end(by: signal)
    }
  }

  /// Passes a signal on to all commands, and kills them after a while; a second signal kills them at once.
  private func stop(by signal: Int32) {
    let isFirst = state.withLock { state in
      let isFirst = state.stop == nil
      state.stop = state.stop ?? signal
      state.end(by: isFirst ? signal : SIGKILL)
      return isFirst
    }
    guard isFirst else { return }
    Task.detached { [self] in
      try? await Task.sleep(for: ProcessGroup.grace)
      state.withLock { $0.end(by: SIGKILL) }
    }
  }

  /// Stops all commands and this program, until something such as a shell's `fg` continues it.
  private func suspend() {
    state.withLock { state in
      state.suspension = state.suspension ?? ContinuousClock.now
      state.send(SIGTSTP)
    }
    Signals.stopProgram()
  }

  /// Continues the commands after this program was continued.
  private func resume() {
    state.withLock { state in
      state.suspended = state.timeSuspended
      state.suspension = nil
      state.send(SIGCONT)
    }
  }
}
