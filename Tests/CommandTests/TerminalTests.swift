import Foundation
import LiveTesting
import Testing

@Suite("The start on a terminal", .live)
struct TerminalTests {
  @Test("prints the dashboard's address, the scenario and the seed in its second line")
  func tellsDashboard() throws {
    let lines = try Self.lines("--port", "0", "--scenario", "lost-ack", "--seed", "7")
    let url = try #require(lines.first).replacing("listening on ", with: "")
    #expect(url.hasPrefix("http://127.0.0.1:"))
    #expect(lines.dropFirst() == ["dashboard at \(url)/_mock/ (scenario lost-ack, seed 7)"])
  }

  @Test("calls a scenario without a name custom")
  func tellsCustom() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(#"{"rules": []}"#, to: "own.json")
    let lines = try Self.lines("--port", "0", "--scenario", scratch.path + "/own.json")
    #expect(lines.last?.hasSuffix("/_mock/ (scenario custom, seed 1)") == true)
  }

  /// Returns the program's lines on a terminal. After the first line it gets a signal to end.
  private static func lines(_ words: String...) throws -> [String] {
    let location = try Program.location()
    let (program, terminal) = try ChildProcess.start {
      var (leader, follower) = (Int32(-1), Int32(-1))
      let isOpen = unsafe openpty(&leader, &follower, nil, nil, nil) == 0
      try #require(isOpen)
      for end in [leader, follower] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      defer { close(follower) }
      let program = try SpawnedProgram(
        location, words, environment: ChildProcess.instruments, streams: [nil, follower, 2])
      return (program, FileHandle(fileDescriptor: leader, closeOnDealloc: true))
    }
    var bytes: [UInt8] = []
    // The read fails when the last writer is gone.
    while let byte = try? terminal.read(upToCount: 1)?.first {
      bytes.append(byte)
      if byte == UInt8(ascii: "\n") { program.send(SIGTERM) }
    }
    _ = program.end(until: .now + Double(Patience.seconds))
    return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
  }
}
