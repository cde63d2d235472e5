import Foundation
import JSON
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

@Suite("A scenario in a request", .temporaryFiles)
struct ScenarioFormTests {
  private static let rules = #""rules":[{"match":{"method":"GET","path":"/users/*"},"effect":{"status":418}}]"#

  @Test(
    "is accepted by PUT and for a new sandbox, without a name and with a schema",
    arguments: ["{\(rules)}", "{\"$schema\":\"x\",\(rules),\"seed\":7}"])
  func isTakenAlike(scenario: String) async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/scenario", "PUT", scenario)
      let made = try stage.json("/_mock/sandboxes", "POST", "{\"name\":\"own\",\"scenario\":\(scenario)}")
      #expect(made["scenario"] == "custom")
      #expect(try stage.json("/@own/_mock/scenario") == stage.json("/_mock/scenario"))
      for target in ["/users/1", "/@own/users/1"] {
        #expect(try exchange(stage.server, wire("GET", target)).status == 418)
      }
    }
  }

  @Test("is accepted for a new sandbox in the form of a response, and the sandbox's seed overrides the scenario's")
  func takesAnswers() async throws {
    try await withStage(#"{"name":"a","effect":{"latency":"1ms"}}"#) { stage in
      let armed = try stage.json("/_mock/scenario", "PATCH", #"{"seed":9}"#).text
      #expect(try stage.json("/_mock/sandboxes", "POST", "{\"scenario\":\(armed)}")["seed"] == 9)
      #expect(try stage.json("/_mock/sandboxes", "POST", "{\"seed\":3,\"scenario\":\(armed)}")["seed"] == 3)
    }
  }

  /// A scenario, the position in the error, and the words of the advice.
  static let wrong: [(scenario: String, pointer: String, words: String)] = [
    (#"{"name":"lost-ack"}"#, "/name", #"give a built-in scenario as a JSON string: "lost-ack""#),
    (#"{"scenario":"lost-ack","seed":7}"#, "/scenario", #"give a built-in scenario as a JSON string: "lost-ack""#),
    (#"{"name":"mine"}"#, "/rules", "expected an array of rules"),
    (#"{"rules":[],"seed":-1}"#, "/seed", "expected an integer"),
    (#"{"rules":[],"seed":"7"}"#, "/seed", "expected an integer"),
    (#"{"rules":[{"match":{"path":"/device/*"},"effect":{"status":500}}]}"#, "/rules/0/match/path", "/devices/*"),
    ("7", "", "expected"), (#""lost-ak""#, "", "expected one of calm"),
  ]

  @Test("is refused in the same way by PUT and for a new sandbox, with its position and advice", arguments: wrong)
  func isRefusedAlike(scenario: String, pointer: String, words: String) async throws {
    try await withStage { stage in
      let put = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: scenario))
      let post = try exchange(stage.server, wire("POST", "/_mock/sandboxes", body: "{\"scenario\":\(scenario)}"))
      for (response, prefix) in [(put, ""), (post, "/scenario")] {
        #expect(response.status == 400)
        let error = try #require(try JSONValue(parsing: response.body)["errors"]?.array?.first)
        #expect(error["pointer"] == .string(prefix + pointer))
        #expect(error["detail"]?.string?.contains(words) == true, "\(response.text)")
      }
    }
  }

  @Test(
    "is refused with advice if a name has no quotes", arguments: ["lost-ack", " lost-ack\n", "'lost-ack'", "nope"])
  func asksForQuotes(body: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: body))
      let detail = try #require(try JSONValue(parsing: response.body)["detail"]?.string)
      #expect(response.status == 400)
      #expect(detail.contains("a built-in scenario's name as a JSON string with its quotes: \""))
      #expect(detail.contains("\"lost-ack\"") == (body.contains("lost-ack") && !body.contains("'")))
    }
  }

  @Test("is not replaced by a patch with the name of a built-in one")
  func refusesNameInPatch() async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("PATCH", "/_mock/scenario", body: #"{"name":"lost-ack"}"#))
      #expect(response.status == 400 && response.text.contains("give a built-in scenario as a JSON string"))
      #expect(try stage.json("/_mock/scenario")["name"] == "calm")
    }
  }

  @Test("is checked in the same way when it is given in process")
  func isCheckedInProcess() async throws {
    try await withServer { server in
      for scenario in ["lost-ack", #""lost-ack""#, "{\(Self.rules)}"] {
        _ = try await server.makeSandbox(scenario: scenario)
      }
      for (scenario, words) in [
        (#"{"name":"lost-ack"}"#, "/scenario/name: give a built-in scenario as a JSON string"),
        (#"{"rules":[{"match":{"path":"/nowhere"},"effect":{"status":500}}]}"#, "/scenario/rules/0/match/path: "),
      ] {
        let error = await #expect(throws: SandboxError.self) { try await server.makeSandbox(scenario: scenario) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
      }
    }
  }

  @Test("from a file is refused before the server starts, with the file and the position")
  func isRefusedFromFile() async throws {
    let path = try TemporaryFiles.newFile().path
    try File.writeAtomically(Array(#"{"rules":[{"match":{"path":"/device"},"effect":{"status":500}}]}"#.utf8), to: path)
    var options = MockServer.Options()
    options.scenario = path
    let error = #expect(throws: StartError.self) {
      try MockServer.preview(options, method: "GET", path: "/devices", count: 1)
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("\(path): ") && text.hasSuffix("(line 1, column 28)"), "\(text)")
    #expect(text.contains("/rules/0/match/path") && text.contains("expected a path that an API has"), "\(text)")
    await #expect(throws: StartError.self) { try await MockServer.start(options) }
  }
}
