import Conformance
import Testing
import Understudy

@Suite("The example of the README")
struct ExampleTests {
  @Test("runs as it is shown")
  func example() async throws {
    let server = try await Understudy.start()
    do {
      try await judge(server)
      await server.stop()
    } catch {
      await server.stop()
      throw error
    }
  }

  private func judge(_ server: Understudy) async throws {
    let verdict = try await Conformance.judge(server.url, only: ["devices", "http"])
    #expect(verdict.failed.isEmpty, "\(verdict.report())")
    #expect(verdict.passed > 0)
  }
}
