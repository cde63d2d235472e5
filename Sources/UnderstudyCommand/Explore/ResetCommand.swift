import Platform

/// The shell command of `--reset`, which runs before each run of an exploration.
struct ResetCommand: Sendable {
  let command: String
  let commands: Commands

  /// The time after which it is terminated.
  private static let limit = Duration.seconds(600)

  /// The failure of the command: no run would begin with the same data as the others.
  struct Failure: Error {
    let sentence: String
    let output: [String]

    /// Reports it, and returns the exit code.
    func report() -> Int32 {
      Output.complain(sentence, withOutput: output)
      return ExitCode.unavailable
    }
  }

  /// Runs it, unless this program is asked to stop.
  ///
  /// - Parameter output: The path of the file that receives its output.
  func run(output: String) async throws(Failure) {
    Progress.show("--reset \(command)")
    let end = await commands.run(["sh", "-c", command], variables: [:], output: output, limit: Self.limit)
    guard end != .exited(0), commands.stop == nil else { return }
    let failure = end == .timedOut ? "did not end within 10 min and was terminated" : "ended with \(end.code)"
    throw Failure(
      sentence: "the command of --reset \(failure): \(command)", output: ScratchDirectory.lastLines(20, of: output))
  }
}
