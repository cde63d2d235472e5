import LiveTesting
import Testing

@testable import UnderstudyCommand

@Suite("What the program says of a backend at the start", .live)
struct UpstreamNoticeTests {
  @Test("comes after the line with the address, for which callers wait")
  func order() throws {
    let closed = try BoundListener(isOpen: false)
    let program = try Program(
      ["--port", "0", "--upstream", "http://127.0.0.1:\(closed.port)", "--scenario", "rush-hour"],
      tracer: ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1"])
    #expect(try program.line().hasPrefix("listening on http://"))
    #expect(try program.line().contains("of rush-hour do"))
    #expect(try program.line().contains("accepts no connections yet; until it does, requests get 502"))
    program.terminate()
    #expect(try program.result().status == 0)
  }
}
