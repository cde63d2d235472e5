import HTTP1
import JSON
import LiveTesting
import Testing
import Understudy

@testable import Conformance

@Suite("Sandboxes and tokens", .live)
struct SandboxTests {
  private static let patience = Patience.limit
  private static let token = "a-token-to-be-kept"

  @Test("at a sandbox's own port the sandbox itself is judged, and the report says so")
  func ownPort() async throws {
    try await withServer { server in
      // The patience of a session begins when it is created, and a busy machine needs long.
      let target = try Self.target(of: server.url)
      let made = try Session(target: target, sandbox: nil).ask("POST", "/_mock/sandboxes", body: "{\"port\":0}")
        .expect(201)
        .json()
      let port = try #require(made["port"]?.int)
      let verdict = try await ConformanceSuite.judge(
        server.url(of: port), only: WholeProof.isDemanded ? [] : ["booking", "users"], patience: Self.patience,
        limit: Patience.limit * 10)
      #expect(verdict.failed.isEmpty && verdict.passed > (WholeProof.isDemanded ? 200 : 20), "\(verdict.report())")
      #expect(verdict.circumstances.contains("a sandbox can be made, but not reached from here: 400"))
      #expect(verdict["booking-counts-down"]?.outcome.isSkipped == true)
      let left = try Session(target: target, sandbox: nil).get("/_mock/sandboxes").json()["sandboxes"]?.array?
        .count
      #expect(left == 2, "the default one and the one with the port")
    }
  }

  @Test("without the required token, or with a wrong one, the report names the problem")
  func token() async throws {
    try await withServer({ $0.adminToken = Self.token }) { server in
      let without = try await ConformanceSuite.judge(server.url, only: ["users"], patience: Self.patience)
      #expect(without.failed.isEmpty, "\(without.report())")
      #expect(without.circumstances.contains("requires a token: --admin-token"))
      let wrong = try await ConformanceSuite.judge(
        server.url, only: ["users"], patience: Self.patience, adminToken: "wrong")
      #expect(wrong.circumstances.contains("refuses the given token"))
    }
  }

  @Test("with the token every check passes, and the token is sent to the control API alone")
  func isKept() async throws {
    try await withServer({ $0.adminToken = Self.token }) { server in
      let leak = Mutant.answering("sends the token back", caughtBy: "") { request, answer in
        if !request.path.hasPrefix("/_mock/"), request["Authorization"] != nil { answer.status = 500 }
      }
      let proxy = try Proxy(before: server.port, leak)
      let verdict = try await ConformanceSuite.judge(
        proxy.url, only: WholeProof.isDemanded ? [] : ["control", "users"], patience: Self.patience,
        limit: Patience.limit * 10, adminToken: Self.token)
      #expect(verdict.failed.isEmpty && verdict.skipped == 0, "\(verdict.report())")
      let bare = Mutant.answering("no control API, and the token sent back", caughtBy: "") { request, answer in
        answer.status = request["Authorization"] == nil ? 404 : 200
      }
      let stranger = try Proxy(before: server.port, bare)
      let foreign = try await ConformanceSuite.judge(
        stranger.url, only: ["devices-date-form"], patience: Self.patience,
        adminToken: Self.token)
      #expect(foreign.failed.first?.outcome.foundText.hasPrefix("404") == true, "\(foreign.report())")
    }
  }

  @Test("a token that the server sends back is masked in the reports")
  func isHidden() async throws {
    try await withServer({ $0.adminToken = Self.token }) { server in
      let echo = Mutant.answering("the token sent back", caughtBy: "") { request, answer in
        if request.path == "/_mock/clock" { answer.text = request["Authorization"] ?? "" }
      }
      let proxy = try Proxy(before: server.port, echo)
      let verdict = try await ConformanceSuite.judge(
        proxy.url, only: ["control-clock"], patience: Self.patience, adminToken: Self.token)
      #expect(verdict.failed.first?.outcome.foundText.contains("Bearer (the token)") == true, "\(verdict.report())")
      #expect(!verdict.report().contains(Self.token) && !verdict.junit.contains(Self.token))
    }
  }

  private static func target(of url: String) throws -> Target {
    try Target.explore(
      try BaseURL(url), groups: [], Conditions(patience: patience, limit: patience, allowsWrites: false))
  }
}

extension CheckResult.Outcome {
  fileprivate var foundText: String { if case .failed(_, let found) = self { found } else { "" } }
}
