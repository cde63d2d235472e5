import Platform
import Understudy

/// Reduces a failing scenario to the fewest rules with which the command still fails.
struct ScenarioReducer {
  let command: RunCommand
  let seed: UInt64
  /// True if the command failed because it sent no request. Only a failure of the same kind is the failure that is looked
  /// for.
  let isSilent: Bool

  private struct Stopped: Error {
    let signal: Int32
  }

  /// Finds the smallest scenario with which the command still fails, and prints it as JSON or writes it into the file
  /// of `--shrink-to`.
  ///
  /// - Returns: The signal that stopped the search, if any; the result so far is printed in any case.
  func run() async throws -> Int32? {
    let options = command.settings.options
    var remaining = Array(0..<(try MockServer.ruleCount(of: options)))
    var runs = 0
    var stop: Int32?
    do {
      if try await fails([], &runs) {
        Output.writeError("understudy: no rule of the scenario is needed for the failure\n")
        return nil
      }
      try await reduce(&remaining, &runs)
    } catch let stopped as Stopped {
      stop = stopped.signal
    }
    let count = remaining.count == 1 ? "one rule" : "\(remaining.count) rules"
    let done = stop == nil ? "reduced to" : "stopped; reduced so far to"
    Output.writeError("understudy: \(done) \(count) in \(runs == 1 ? "1 run" : "\(runs) runs") with seed \(seed)\n")
    let smallest = try MockServer.scenario(of: options, shrunkTo: remaining, seed: seed)
    if let file = command.settings.shrinkFile {
      try File.write(Array(smallest.utf8), to: file)
      Output.writeError("understudy: written to \(file); it fails with --seed \(seed)\n")
    } else {
      Output.write(smallest)
    }
    return stop
  }

  /// Removes halves of the rules, then quarters and so on, as long as the command still fails with the rest.
  private func reduce(_ remaining: inout [Int], _ runs: inout Int) async throws {
    var size = (remaining.count + 1) / 2
    while size >= 1, remaining.count > 1 {
      var hasShrunk = false
      for start in stride(from: 0, to: remaining.count, by: size) where remaining.count > 1 {
        let rest = Array(remaining[..<min(start, remaining.count)] + remaining[min(start + size, remaining.count)...])
        guard !rest.isEmpty, rest.count < remaining.count, try await fails(rest, &runs) else { continue }
        remaining = rest
        hasShrunk = true
        break
      }
      if hasShrunk {
        size = min(size, (remaining.count + 1) / 2)
      } else if size == 1 {
        break
      } else {
        size = (size + 1) / 2
      }
    }
  }

  private func fails(_ rules: [Int], _ runs: inout Int) async throws -> Bool {
    if let signal = Signals.pendingStop { throw Stopped(signal: signal) }
    Progress.show("shrinking: run \(runs + 1), \(rules.count == 1 ? "one rule" : "\(rules.count) rules")")
    defer { Progress.clear() }
    let outcome = try await command.once(seed: seed, keeping: rules)
    if let signal = outcome.stop { throw Stopped(signal: signal) }
    runs += 1
    return outcome.isFailing && outcome.isSilent == isSilent
  }
}
