import Conformance
import LiveTesting
import Testing
import Understudy

@Suite("The example of the README")
struct ExampleTests {
  @Test("runs as it is shown")
  func example() async throws {
    try await withServer { server in
      let verdict = try await ConformanceSuite.judge(server.url, only: ["devices", "http"])
      #expect(verdict.failed.isEmpty, "\(verdict.report())")
      #expect(verdict.passed > 0)
    }
  }
}
