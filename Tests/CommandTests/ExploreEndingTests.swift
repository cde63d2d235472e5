import Foundation
import LiveTesting
import Testing

@Suite("The command of understudy explore", .live, .enabled(if: ReadmeTests.hasCurl))
struct ExploreEndingTests {
  private let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]

  private func explore(_ option: String, _ value: String, _ client: String) throws -> Program.Result {
    try Program(
      ["explore", "--faults", "reset", option, value, "--", "sh", "-c", client], environment: environment
    ).result()
  }

  @Test(
    "is killed if it hangs, with its children, and fails the exploration, also if it ignores SIGTERM",
    arguments: ["", "trap '' TERM; "])
  func hung(start: String) throws {
    let scratch = try ScratchDirectory()
    let client = """
      \(start)curl -sf -o /dev/null $UNDERSTUDY_URL/rooms.json || { sleep 1000 & echo $! >\(scratch.path)/child; wait; }
      """
    let result = try explore("--timeout", "2s", client)
    #expect(result.status == 3)
    #expect(result.output.hasSuffix("1 run, 1 cell fails: GET /rooms.json#1: reset\n"), "\(result)")
    #expect(result.output.contains("the command did not end within 2 s (--timeout) and was terminated\n"), "\(result)")
    #expect(!Program.isRunning(try Program.process(scratch.read("child"))))
  }

  @Test(
    "fails the exploration if a signal ends it, also where a shell tells that by its code",
    arguments: ["kill", "sh -c 'kill"])
  func crash(start: String) throws {
    let end = start == "kill" ? "" : "'"
    let client = "curl -sf -o /dev/null $UNDERSTUDY_URL/rooms.json || \(start) -SEGV $$\(end)"
    let result = try explore("--timeout", "10m", client + "; exit $?")
    #expect(result.status == 3, "\(result)")
    #expect(result.output.contains("GET /rooms.json #1  crash\n"), "\(result)")
  }

  @Test("leaves neither a process nor a file behind when the exploration is interrupted", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) async throws {
    let scratch = try ScratchDirectory()
    let program = try sleepingInCell(scratch)
    #expect(await succeeds { FileManager.default.fileExists(atPath: scratch.path + "/process") })
    program.send(signal)
    let result = try program.result()
    #expect(result.status == 128 + signal, "\(result)")
    #expect(result.errors.contains("stopped after 0 of 5 cells"), "\(result)")
    #expect(!Program.isRunning(try Program.process(scratch.read("process"))))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/tmp") == [])
  }

  @Test("is stopped and continued with the exploration, as Ctrl-Z and fg ask")
  func suspended() async throws {
    let scratch = try ScratchDirectory()
    let program = try sleepingInCell(scratch)
    #expect(await succeeds { FileManager.default.fileExists(atPath: scratch.path + "/process") })
    let command = try Program.process(scratch.read("process"))
    program.send(SIGTSTP)
    #expect(try await succeeds { try Program.stoppedCount(program.identifier, command) == 2 })
    program.send(SIGCONT)
    #expect(try await succeeds { try Program.stoppedCount(program.identifier, command) == 0 })
    program.send(SIGINT)
    #expect(try program.result().status == 130)
  }

  @Test("is killed at its time limit, too, after it was stopped and continued, without counting the time between")
  func limitedAfterSuspension() async throws {
    let scratch = try ScratchDirectory()
    let start = ContinuousClock.now
    let program = try sleepingInCell(scratch, "--faults", "reset", "--timeout", "5s")
    #expect(await succeeds { FileManager.default.fileExists(atPath: scratch.path + "/process") })
    program.send(SIGTSTP)
    #expect(try await succeeds { try Program.stoppedCount(program.identifier) == 1 })
    try await Task.sleep(for: .seconds(3))
    program.send(SIGCONT)
    let result = try program.result()
    #expect(result.status == 3 && result.output.contains("GET /rooms.json #1  hung\n"), "\(result)")
    #expect(ContinuousClock.now - start >= .seconds(8))
  }

  /// Starts an exploration whose command sleeps in its first cell, after it has written its process to a file.
  private func sleepingInCell(_ scratch: ScratchDirectory, _ options: String...) throws -> Program {
    let client = """
      curl -sf -o /dev/null $UNDERSTUDY_URL/rooms.json; [ -n "$UNDERSTUDY_CELL" ] || exit 0
      echo $$ >\(scratch.path)/begun; mv \(scratch.path)/begun \(scratch.path)/process; exec sleep 1000
      """
    try FileManager.default.createDirectory(atPath: scratch.path + "/tmp", withIntermediateDirectories: false)
    return try Program(
      ["explore"] + (options.isEmpty ? ["--timeout", "10m"] : options) + ["--", "sh", "-c", client],
      environment: environment.merging(["TMPDIR": scratch.path + "/tmp"]) { $1 })
  }
}
