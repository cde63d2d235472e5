import JSON
import Testing
import Understudy

@testable import Conformance

@Suite("Sandboxes that cannot be used")
struct SandboxTests {
  private static let patience = Duration.seconds(300)

  private static func withServer(_ body: (Understudy) async throws -> Void) async throws {
    let server = try await Understudy.start()
    do {
      try await body(server)
      await server.stop()
    } catch {
      await server.stop()
      throw error
    }
  }

  @Test("at a sandbox's own port others are not reached: that is judged as it is, and said")
  func ownPort() async throws {
    try await Self.withServer { server in
      let bench = Bench(site: try Self.site(of: server.url), sandbox: nil)
      let made = try bench.ask("POST", "/_mock/sandboxes", body: "{\"port\":0}").expect(201).json()
      let port = try #require(made["port"]?.int)
      let verdict = try await Conformance.judge(server.url(of: port), patience: Self.patience, limit: .seconds(900))
      #expect(verdict.failed.isEmpty && verdict.passed > 200, "\(verdict.report())")
      #expect(verdict.circumstances.contains("one can be made, and is not reached from here: 400"))
      #expect(verdict["booking-counts-down"]?.outcome.isSkipped == true)
      let left = try bench.get("/_mock/sandboxes").json()["sandboxes"]?.array?.count
      #expect(left == 2, "the default one and the one with the port")
    }
  }

  private static func site(of url: String) throws -> Site {
    try Site.explore(
      try BaseURL(url), groups: [], Conditions(patience: .seconds(60), limit: .seconds(60), allowsWrites: false))
  }
}
