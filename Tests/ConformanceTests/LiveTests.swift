import HTTP1
import LiveTesting
import Testing
import Understudy

@testable import Conformance

@Suite("Judging a live server", .live)
struct LiveTests {
  private static let patience = Patience.limit

  @Test("passes our own server in every check, without skipping one")
  func passes() async throws {
    try await withServer { server in
      let verdict = try await ConformanceSuite.judge(server.url, patience: Self.patience, limit: Patience.limit * 10)
      #expect(verdict.failed.isEmpty && verdict.skipped == 0, "\(verdict.report())")
      #expect(verdict.passed == Check.all.count)
      let again = try await ConformanceSuite.judge(server.url, only: ["control"], patience: Self.patience)
      #expect(again.failed.isEmpty, "a second run finds the server as the first did: \(again.report())")
    }
  }

  @Test(
    "passes an API's own origin in that API's checks",
    arguments: WholeProof.sample(every: 2, of: ["devices", "activities", "house", "users", "booking"]))
  func ownOrigin(api: String) async throws {
    try await withServer({ $0.apiPorts = 0 }) { server in
      let port = try #require(server.apiPorts[api])
      let verdict = try await ConformanceSuite.judge(
        server.url(of: port), only: [api, "http"], patience: Self.patience)
      #expect(verdict.failed.isEmpty, "\(verdict.report())")
      #expect(verdict.passed > 60)
    }
  }

  @Test("passes a server without the control API, and skips the checks that would change data")
  func withoutControl() async throws {
    try await withServer { server in
      let proxy = try Proxy(before: server.port, .withoutControl)
      let before = try await Self.state(of: server)
      let verdict = try await ConformanceSuite.judge(proxy.url, patience: Self.patience, limit: Patience.limit * 10)
      #expect(verdict.failed.isEmpty, "\(verdict.report())")
      #expect(verdict.skipped > 50 && verdict.passed > 150)
      #expect(verdict["booking-counts-down"]?.outcome.isSkipped == true)
      #expect(verdict["devices-patch-is-kept"]?.outcome == .passed)
      #expect(verdict["control-journal"]?.outcome.isSkipped == true)
      #expect(try await Self.state(of: server) == before)
    }
  }

  @Test("includes the checks that write if writes are allowed, and passes again after earlier runs")
  func writes() async throws {
    try await withServer { server in
      let proxy = try Proxy(before: server.port, .withoutControl)
      for _ in 0..<2 {
        let verdict = try await ConformanceSuite.judge(
          proxy.url, only: WholeProof.sample(every: 3, of: ["devices", "activities", "house", "booking"]),
          patience: Self.patience, writes: true)
        #expect(verdict.failed.isEmpty, "\(verdict.report())")
        #expect(verdict["booking-counts-down"]?.outcome == .passed)
      }
    }
  }

  @Test("passes a calm server in front of our own, whose sandboxes share one backend's data")
  func inFront() async throws {
    try await withServer { backend in
      try await withServer({ $0.upstream = backend.url }) { front in
        let verdict = try await ConformanceSuite.judge(
          front.url, only: WholeProof.isDemanded ? [] : ["devices", "booking", "http"], patience: Self.patience,
          limit: Patience.limit * 10, writes: true)
        // The backend sees the client's Host, so URLs in content name the server in front.
        #expect(verdict.failed.isEmpty, "\(verdict.report())")
        #expect(verdict["booking-counts-down"]?.outcome == .passed)
        #expect(verdict.circumstances.contains("a sandbox has no data of its own: 409"))
      }
    }
  }

  @Test("passes a server whose URL has a path")
  func belowPath() async throws {
    try await withServer { server in
      let verdict = try await ConformanceSuite.judge(
        server.url + "/@default", only: ["users", "http"], patience: Self.patience)
      #expect(verdict.failed.isEmpty, "\(verdict.report())")
    }
  }

  @Test("reports a server that does not accept connections")
  func noListener() async throws {
    let shut = try BoundListener(isOpen: false)
    await #expect(throws: JudgeError.self) { _ = try await ConformanceSuite.judge("http://127.0.0.1:\(shut.port)") }
    await #expect(throws: JudgeError.self) { _ = try await ConformanceSuite.judge("http://no-such-host.invalid") }
    shut.shut()
  }

  @Test("ends in time if the server accepts connections and never answers")
  func silent() async throws {
    let listener = try BoundListener()
    let verdict = try await ConformanceSuite.judge(
      "http://127.0.0.1:\(listener.port)", only: ["devices"], patience: .milliseconds(50), limit: .milliseconds(500))
    #expect(verdict.passed == 0 && verdict.skipped > 0)
    listener.shut()
  }

  private static func state(of server: MockServer) async throws -> String {
    let target = try Target.explore(
      try BaseURL(server.url), groups: [],
      Conditions(patience: Self.patience, limit: Self.patience, allowsWrites: false))
    return try Session(target: target, sandbox: nil).get("/_mock/state").expect(200).text
  }
}

extension Mutant {
  /// A server that has the five APIs and nothing else.
  static let withoutControl = Mutant(name: "without the control API", catcher: "") { request, forward in
    request.path.hasPrefix("/_mock") || request.path.hasPrefix("/@")
      ? Message("HTTP/1.1 404 Not Found", body: "nothing here") : forward(request)
  }
}

extension CheckResult.Outcome {
  var isSkipped: Bool { if case .skipped = self { true } else { false } }
}

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
