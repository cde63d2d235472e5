import LiveTesting
import Loopback
import Serving
import Testing
import Understudy

@testable import Conformance

@Suite("Judging a live server", .live)
struct LiveTests {
  private static let patience = Patience.limit

  @Test("our own server passes every check, and none is skipped")
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
    "an API's own origin is judged by its own checks",
    arguments: ["devices", "activities", "house", "users", "booking"])
  func ownOrigin(api: String) async throws {
    try await withServer({ $0.apiPorts = 0 }) { server in
      let port = try #require(server.apiPorts[api])
      let verdict = try await ConformanceSuite.judge(
        server.url(of: port), only: [api, "http"], patience: Self.patience)
      #expect(verdict.failed.isEmpty, "\(verdict.report())")
      #expect(verdict.passed > 60)
    }
  }

  @Test("without the control API it passes too, leaves no trace, and skips what would leave one")
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

  @Test("with leave to write it tries the rest too, and finds no fault in what earlier runs left behind")
  func writes() async throws {
    try await withServer { server in
      let proxy = try Proxy(before: server.port, .withoutControl)
      for _ in 0..<2 {
        let verdict = try await ConformanceSuite.judge(
          proxy.url, only: ["devices", "activities", "house", "booking"], patience: Self.patience, writes: true)
        #expect(verdict.failed.isEmpty, "\(verdict.report())")
        #expect(verdict["booking-counts-down"]?.outcome == .passed)
      }
    }
  }

  @Test("below a path it judges what is there")
  func belowPath() async throws {
    try await withServer { server in
      let verdict = try await ConformanceSuite.judge(
        server.url + "/@default", only: ["users", "http"], patience: Self.patience)
      #expect(verdict.failed.isEmpty, "\(verdict.report())")
    }
  }

  @Test("a server that does not accept connections is reported")
  func nobody() async throws {
    let shut = try BoundListener(isOpen: false)
    await #expect(throws: JudgeError.self) { _ = try await ConformanceSuite.judge("http://127.0.0.1:\(shut.port)") }
    await #expect(throws: JudgeError.self) { _ = try await ConformanceSuite.judge("http://no-such-host.invalid") }
    shut.shut()
  }

  @Test("a server that takes connections and never answers ends the run in time")
  func silent() async throws {
    let door = try BoundListener()
    let verdict = try await ConformanceSuite.judge(
      "http://127.0.0.1:\(door.port)", only: ["devices"], patience: .milliseconds(50), limit: .milliseconds(500))
    #expect(verdict.passed == 0 && verdict.skipped > 0)
    door.shut()
  }

  private static func state(of server: MockServer) async throws -> String {
    let target = try Target.explore(
      try BaseURL(server.url), groups: [],
      Conditions(patience: Self.patience, limit: Self.patience, allowsWrites: false))
    return try CheckContext(target: target, sandbox: nil).get("/_mock/state").expect(200).text
  }
}

extension Mutant {
  /// A server that has the five APIs and nothing else.
  static let withoutControl = Mutant(name: "without the control API", catcher: "") { request, forward in
    request.path.hasPrefix("/_mock") || request.path.hasPrefix("/@")
      ? Message("HTTP/1.1 404 Not Found", body: "nothing here") : forward(request)
  }
}

extension Outcome {
  var isSkipped: Bool { if case .skipped = self { true } else { false } }
}
