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

  @Test("is killed if it hangs, with its children, and fails the exploration")
  func hung() throws {
    let scratch = try ScratchDirectory()
    let client = """
      curl -sf -o /dev/null $UNDERSTUDY_URL/rooms.json || { sleep 1000 & echo $! >\(scratch.path)/child; wait; }
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
    try FileManager.default.createDirectory(atPath: scratch.path + "/tmp", withIntermediateDirectories: false)
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
    try FileManager.default.createDirectory(atPath: scratch.path + "/tmp", withIntermediateDirectories: false)
    let program = try sleepingInCell(scratch)
    #expect(await succeeds { FileManager.default.fileExists(atPath: scratch.path + "/process") })
    let processes = "\(program.identifier),\(try Program.process(scratch.read("process")))"
    func areStopped() throws -> Bool {
      let states = try ChildProcess.run(.shell, ["-c", "ps -o state= -p \(processes)"]).output.split(separator: "\n")
      return states.count == 2 && states.allSatisfy { $0.hasPrefix("T") }
    }
    program.send(SIGTSTP)
    #expect(try await succeeds(areStopped))
    program.send(SIGCONT)
    #expect(try await succeeds { try !areStopped() })
    program.send(SIGINT)
    #expect(try program.result().status == 130)
  }

  /// Starts an exploration whose command sleeps in its first cell, after it has written its process to a file.
  private func sleepingInCell(_ scratch: ScratchDirectory) throws -> Program {
    let client = """
      curl -sf -o /dev/null $UNDERSTUDY_URL/rooms.json; [ -n "$UNDERSTUDY_CELL" ] || exit 0
      echo $$ >\(scratch.path)/begun; mv \(scratch.path)/begun \(scratch.path)/process; exec sleep 1000
      """
    return try Program(
      ["explore", "--timeout", "10m", "--", "sh", "-c", client],
      environment: environment.merging(["TMPDIR": scratch.path + "/tmp"]) { $1 })
  }
}
