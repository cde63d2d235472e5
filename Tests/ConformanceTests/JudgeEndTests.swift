import Foundation
import HTTP1
import JSON
import LiveTesting
import Testing
import Understudy

@testable import Conformance

@Suite("The end of a judgement")
struct JudgeEndTests {
  private static let patience = Patience.limit

  @Test("a server that answers requests after bad framing is detected, even if it refused and announced the close")
  func bytesBehindBadFraming() async throws {
    try await withServer { server in
      var leaky = Mutant(name: "bytes behind bad framing", catcher: "http-no-host")
      leaky.answerToNonsense =
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
      let proxy = try Proxy(before: server.port, leaky)
      let verdict = try await ConformanceSuite.judge(proxy.url, only: ["http-no-host"], patience: Self.patience)
      guard case .failed(let expected, let found)? = verdict["http-no-host"]?.outcome else {
        Issue.record("\(verdict.report())")
        return
      }
      #expect(expected == "FIN, and nothing before it" && found.contains("HTTP/1.1 200"))
      leaky.answerToNonsense = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
      let sound = try Proxy(before: server.port, leaky)
      let passed = try await ConformanceSuite.judge(sound.url, only: ["http-no-host"], patience: Self.patience)
      #expect(passed.passed == 1, "\(passed.report())")
    }
  }

  @Test("a server that accepts bad framing as a request is detected, even if it closes after its response")
  func badFramingTaken() async throws {
    try await withServer { server in
      var lenient = Mutant(name: "bad framing taken", catcher: "http-no-host")
      lenient.answerToNonsense = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
      let proxy = try Proxy(before: server.port, lenient)
      let verdict = try await ConformanceSuite.judge(proxy.url, only: ["http-no-host"], patience: Self.patience)
      guard case .failed(_, let found)? = verdict["http-no-host"]?.outcome else {
        Issue.record("\(verdict.report())")
        return
      }
      #expect(found.contains("200"))
    }
  }

  @Test("at the time limit of the run, the checks that have not begun are skipped with the reason")
  func limit() async throws {
    try await withServer { server in
      let verdict = try await ConformanceSuite.judge(server.url, patience: Self.patience, limit: .nanoseconds(1))
      #expect(verdict.results.count > 200 && verdict.skipped == verdict.results.count, "\(verdict.report())")
      #expect(
        verdict.results.allSatisfy { $0.outcome == .skipped("the time for the whole run was up") })
    }
  }

  @Test("no sandbox is left behind, whether checks pass or fail")
  func sandboxes() async throws {
    try await withServer { server in
      let mutant = Mutant.answering("every write fails", caughtBy: "") { request, answer in
        if request.method == "PATCH" { answer.status = 500 }
      }
      let proxy = try Proxy(before: server.port, mutant)
      for (url, fails) in [(server.url, false), (proxy.url, true)] {
        let verdict = try await ConformanceSuite.judge(url, only: ["devices", "control"], patience: Self.patience)
        #expect(verdict.failed.isEmpty != fails, "\(verdict.report())")
      }
      let target = try Target.explore(
        try BaseURL(server.url), groups: [],
        Conditions(patience: Patience.limit, limit: Patience.limit, allowsWrites: false))
      let session = Session(target: target, sandbox: nil)
      func sandboxes() throws -> [String]? {
        try session.get("/_mock/sandboxes").json()["sandboxes"]?.array?.compactMap { $0["name"]?.string }
      }
      // The sandbox of the check for 201 expires by its time to live, and the stream of its journal ends with it.
      for name in try sandboxes() ?? [] where name != "default" {
        let link = try #require(Link(to: server.port))
        link.send(Array("GET /@\(name)/_mock/journal/stream HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
        let deadline = ContinuousClock.now + Patience.limit
        while ContinuousClock.now < deadline, link.receive() {}
      }
      #expect(try sandboxes() == ["default"])
    }
  }
}
