import Foundation
import JSON
import LiveTesting
import Report
import Testing

@testable import Understudy

@Suite("The declared meaning of requests to a backend, in its use", .live, .temporaryFiles)
struct UpstreamSemanticsTests {
  @Test("a declared read is safe, whatever its method")
  func semantics() async throws {
    let file = try TemporaryFiles.newFile()
    try Data(#"[{"match": "POST /search", "effect": "read"}]"#.utf8).write(to: file)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "[]"))
    try await Stage.inFrontOf(backend.url) { options in
      options.semanticsFile = file.path
    } body: { stage in
      for path in ["/search", "/orders"] { _ = try exchange(stage.server, wire("POST", path, body: "{}")) }
      #expect(await stage.server.journalBecomes { $0.count == 2 && $0.allSatisfy { $0.outcome == .sent } })
      #expect(try stage.requests().map { $0["applied"] } == [false, true])
    }
  }

  @Test("a declared operation has a name, a stream and faults of its own, whatever else is sent to its path")
  func names() async throws {
    let file = try TemporaryFiles.newFile()
    try Data(
      #"""
      [{"match": "POST /rpc", "where": {"/method": "charge"}, "name": "charge", "effect": "add"},
       {"match": "POST /rpc", "where": {"/method": "list"}, "effect": "read"}]
      """#.utf8
    ).write(to: file)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    let rule = #"{"match": {"operation": "charge"}, "when": {"requests": "2...2"}, "effect": {"status": 503}}"#
    try await Stage.inFrontOf(backend.url, rule) { options in
      options.semanticsFile = file.path
    } body: { stage in
      let plan = try stage.json("/_mock/plan?method=POST&path=/rpc&operation=charge&count=2")
      #expect(plan["plan"]?.array?.map { $0["status"] } == [nil, 503])
      let unknown = try exchange(stage.server, wire("GET", "/_mock/plan?method=POST&path=/rpc&operation=refund"))
      #expect(unknown.status == 404 && unknown.text.contains("another name than charge"), "\(unknown.text)")
      for body in ["charge", "list", "charge"] {
        _ = try exchange(stage.server, wire("POST", "/rpc", body: #"{"method": "\#(body)"}"#))
      }
      _ = try exchange(stage.server, wire("POST", "/rpc", body: "<charge/>"))
      #expect(await stage.server.journalBecomes { $0.count == 4 && $0.allSatisfy { $0.outcome == .sent } })
      let entries = try stage.requests()
      #expect(entries.map { $0["operation"] } == ["charge", .null, "charge", .null])
      #expect(entries.map { $0["n"] } == [1, 1, 2, 2])
      #expect(entries.map { $0["response"]?["status"] } == [200, 200, 503, 200])
      #expect(entries.map { $0["applied"] } == [true, false, false, true])
      #expect(entries[3]["undeclared"]?.string?.contains("neither JSON nor a form") == true)
      let report = await stage.server.stopAndReport(isCut: false)
      #expect(
        report.semanticsNotices.count == 1
          && report.semanticsNotices[0].hasPrefix("--semantics could not be applied to 1 request: "))
    }
  }

  @Test("a fault for an operation that no rule names is refused, with the name that was probably meant")
  func unknownName() async throws {
    let file = try TemporaryFiles.newFile()
    try Data(#"[{"match": "POST /rpc", "name": "charge", "effect": "add"}]"#.utf8).write(to: file)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend) { options in
      options.semanticsFile = file.path
    } body: { stage in
      for (name, status) in [("chrge", 400), ("cha*", 201)] {
        let fault = #"{"match": {"operation": "\#(name)"}, "effect": {"status": 503}}"#
        let answer = try exchange(stage.server, wire("POST", "/_mock/faults", body: fault))
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.text.contains("did you mean charge?") == (status == 400), "\(answer.text)")
      }
    }
  }

  @Test(
    "a read that a rule names, of whatever path, tells the client of its write",
    arguments: [("/refs", "pass"), ("/other", "not exercised")])
  func shown(path: String, verdict: String) async throws {
    let file = try TemporaryFiles.newFile()
    try Data(#"[{"match": "POST /push", "effect": "set", "shown-by": "GET /refs"}]"#.utf8).write(to: file)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    let lost = #"{"match": {"method": "POST"}, "phase": "after", "effect": {"status": 502}}"#
    try await Stage.inFrontOf(backend.url, lost) { options in
      options.semanticsFile = file.path
    } body: { stage in
      _ = try exchange(stage.server, wire("POST", "/push", "Understudy-Client: a", body: "{}"))
      _ = try exchange(stage.server, wire("GET", path, "Understudy-Client: a"))
      _ = try await stage.lastEnded()
      let checks = try stage.json("/_mock/report")["checks"]?.array
      let check = try #require(checks?.first { $0["id"] == "lost-reply-followed-up" })
      #expect(check["verdict"] == .string(verdict), "\(check)")
    }
  }

  @Test("a rule that applied to no request is told, with the path that it probably means")
  func unused() async throws {
    let file = try TemporaryFiles.newFile()
    try Data(#"[{"match": "POST /serach", "effect": "read"}]"#.utf8).write(to: file)
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("200 OK", "{}"))
    try await Stage.inFrontOf(backend.url) { options in
      options.semanticsFile = file.path
    } body: { stage in
      _ = try exchange(stage.server, wire("POST", "/search", body: "{}"))
      let report = await stage.server.stopAndReport(isCut: false)
      #expect(
        report.semanticsNotices == [
          "rule 1 of --semantics (POST /serach) applied to no request; did you mean POST /search?"
        ])
    }
  }

  @Test(
    "a method of the registry reads or sets as the registry says",
    arguments: [("PROPFIND", false), ("REPORT", false), ("QUERY", false), ("MKCOL", true), ("FOO", true)])
  func methods(method: String, isWrite: Bool) async throws {
    let backend = try ScriptedBackend(answering: ScriptedBackend.response("207 Multi-Status", "{}"))
    try await Stage.inFrontOf(backend.url, #"{"match": {"changes": true}, "effect": {"latency": "1ms"}}"#) { stage in
      _ = try exchange(stage.server, wire(method, "/a"))
      let entry = try await stage.lastEnded()
      #expect(entry["applied"] == .bool(isWrite) && (entry["plan"] == .null) == !isWrite)
    }
  }

  @Test("HEAD is passed on, even if the file of semantics says that GET writes")
  func head() async throws {
    let file = try TemporaryFiles.newFile()
    try Data(#"[{"match": "/book", "effect": "add"}]"#.utf8).write(to: file)
    let backend = try ScriptedBackend(answering: "HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n")
    try await Stage.inFrontOf(backend.url) { options in
      options.semanticsFile = file.path
    } body: { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("HEAD", "/book"))
      #expect(try client.response(toHead: true)["Content-Length"] == "42")
      #expect(backend.requests.withLock { $0.first }?.hasPrefix("HEAD /book HTTP/1.1\r\n") == true)
      #expect(try await stage.lastEnded()["applied"] == false)
    }
  }
}
