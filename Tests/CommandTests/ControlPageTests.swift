import Foundation
import LiveTesting
import Testing

/// Runs the curl lines of the page about the control API.
@Suite("The page about the control API", .enabled(if: ReadmeTests.hasCurl, "curl is not installed"), .live)
struct ControlPageTests {
  private static func lines() throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = root.appending(path: "Sources/Understudy/Understudy.docc/ControlAPI.md")
    return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("curl ") }
  }

  @Test("has lines that succeed in their order")
  func succeeds() throws {
    let server = try Program("--port", "0")
    let url = try server.line().replacing("listening on ", with: "")
    let lines = try Self.lines()
    #expect(lines.count > 30)
    for line in lines {
      // The stream has no end of its own: its status arrives before the time is up.
      let limit = line.contains(" -N ") ? "1" : "60"
      let options = "-s -m \(limit) -o /dev/null -w '%{http_code}'"
      let words = "curl \(options) " + line.dropFirst(5).replacing("http://localhost:8080", with: url)
      let status = try ChildProcess.run(.shell, ["-c", words], environment: ["PATH": "/usr/bin:/bin"]).output
      #expect(status.hasPrefix("2"), "\(status): \(line)")
    }
    server.terminate()
    #expect(try server.result().status == 0)
  }
}
