import Foundation
import LiveTesting
import Testing

/// Processes that a command leaves behind, and processes that ignore signals.
@Suite("Processes that outlive their command", .live)
struct LeftBehindTests {
  private func run(_ options: [String] = [], _ script: String) throws -> Program {
    try Program.run(options + ["--", "sh", "-c", script])
  }

  /// A shell script that waits until a process is stopped.
  private static let untilStopped =
    "until ps -o state= -p $! | grep -q T; do sleep 0.05; done"

  @Test("a child that a command leaves behind is terminated after the command")
  func leftBehind() throws {
    let result = try run(["--fail-on", "never"], "sleep 300 >/dev/null 2>&1 & echo $!").result()
    #expect(result.status == 0)
    #expect(!Program.isRunning(try Program.process(result.output.components(separatedBy: "\n")[0])))
  }

  @Test("a child that ignores SIGTERM is killed")
  func stubborn() throws {
    // The child holds the output, so that the result comes after its end.
    #expect(try run(["--fail-on", "never"], "trap '' TERM; while :; do sleep 0.2; done &").result().status == 0)
  }

  @Test("a stopped child is continued, so that it can handle SIGTERM")
  func stopped() throws {
    let scratch = try ScratchDirectory()
    // When the command ends, the kernel sends SIGHUP and SIGCONT to its group, and the child stops itself again.
    let script = """
      sh -c 'trap "echo ended > \(scratch.path)/child; exit" TERM; trap "kill -STOP $$" HUP; kill -STOP $$
      while :; do sleep 0.05; done' \
      >/dev/null 2>&1 & \(Self.untilStopped)
      """
    #expect(try run(["--fail-on", "never"], script).result().status == 0)
    #expect(try scratch.read("child") == "ended\n")
  }

  @Test("a stopped command is continued at its timeout, so that it can handle SIGTERM")
  func stoppedCommand() throws {
    let scratch = try ScratchDirectory()
    let script = """
      trap 'echo ended > \(scratch.path)/command; exit' TERM; echo began > \(scratch.path)/command; kill -STOP $$
      while :; do sleep 0.05; done
      """
    try withTimeLimit { limit in
      let result = try run(["--timeout", limit], script).result()
      #expect(result.status == 124)
      guard let text = try? scratch.read("command") else { return false }
      #expect(text == "ended\n")
      return true
    }
  }

  @Test("a command that ignores SIGTERM at its timeout is killed after the grace period")
  func killed() throws {
    let result = try run(["--timeout", "1s"], "trap '' TERM; while :; do sleep 0.2; done").result()
    #expect(result.status == 124)
  }

  @Test("--fail-on warn fails a run that warns, and fail does not", .enabled(if: ReadmeTests.hasCurl))
  func failsOnWarnings() throws {
    let script = "for i in 1 2 3 4 5; do curl -sf $UNDERSTUDY_URL/devices >/dev/null; done"
    for (strictness, status) in [("warn", 3), ("fail", 0), ("never", 0)] as [(String, Int32)] {
      let result = try run(["--fail-on", strictness], script).result()
      #expect(result.status == status, "--fail-on \(strictness): \(result.output)")
      #expect(result.output.contains("conditional-requests"))
      #expect(result.output.contains("repeat: ") == (status != 0))
    }
  }

  @Test(
    "understudy health refuses the responses of other servers",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 200 OK\r\n\r\n<html>hello</html>",
      "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"status\":\"fine\"}",
      "HTTP/1.1 500 No\r\n\r\n{\"status\":\"ok\"}",
    ])
  func stranger(answer: String) throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    listener.serve { link in
      link.receive()
      link.send(Array(answer.utf8))
    }
    let result = try Program("health", "--port", "\(listener.port)").result()
    #expect(result.status == 1)
    #expect(result.errors.contains("not a healthy understudy"), "\(result.errors)")
  }
}
