import Contract
import ControlAPI
import Faults
import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("Scenarios over HTTP")
struct ScenarioInputTests {
  private static func rule(_ rule: String) -> String { "{\"name\":\"bad\",\"rules\":[\(rule)]}" }

  /// A body, the position in the error, and a word of the expectation: one of each kind of place.
  static let wrong: [(body: String, pointer: String, words: String)] = [
    ("7", "", "expected"), (#""nowhere""#, "", "calm"), (#"{"name":"x","rules":[],"sed":1}"#, "/sed", "expected"),
    (rule(#"{"effect":{"fault":"explode"}}"#), "/rules/0/effect/fault", "reset"),
    (rule(#"{"when":{"chance":"2/1"},"effect":{"fault":"reset"}}"#), "/rules/0/when/chance", "ratio"),
    (rule(#"{"match":{"api":"weather"},"effect":{"fault":"reset"}}"#), "/rules/0/match/api", "devices"),
    (
      rule(#"{"match":{"method":["GET"],"api":"users"},"phase":"after","effect":{"fault":"reset"}}"#), "/rules/0/phase",
      "write"
    ),
  ]

  @Test(
    "an invalid scenario is refused with the position and the expectation, and the current one stays", arguments: wrong)
  func refuses(body: String, pointer: String, words: String) async throws {
    try await withStage(#"{"effect":{"status":418}}"#) { stage in
      let response = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: body))
      #expect(response.status == 400)
      let errors = try #require(try JSONValue(parsing: response.body)["errors"]?.array)
      #expect(errors.count == 1)
      #expect(errors[0]["pointer"] == .string(pointer))
      #expect(errors[0]["detail"]?.string?.contains(words) == true, "\(response.text)")
      #expect(try exchange(stage.server, wire()).status == 418)
      #expect(try stage.requests().map { $0["n"]?.int } == [1], "the scenario was not armed again")
    }
  }

  @Test("a body that is not JSON or too long is refused, and the current scenario stays")
  func refusesBytes() async throws {
    try await withStage(#"{"effect":{"status":418}}"#) { stage in
      for body in ["", "{", "{\"name\":", "nul"] {
        #expect(try exchange(stage.server, wire("PUT", "/_mock/scenario", body: body)).status == 400)
      }
      let rules = (0..<10_000).map { #"{"name":"\#($0)","effect":{"status":500}}"# }.joined(separator: ",")
      let many = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: Self.rule(rules)))
      #expect(many.status == 400)
      #expect(many.text.contains("\"/rules\"") && many.text.contains("1000"))
      let client = try WireConnection(stage.server.port)
      try client.send("PUT /_mock/scenario HTTP/1.1\r\nHost: localhost\r\nContent-Length: 52428800\r\n\r\n")
      #expect(try client.response().status == 413)
      #expect(try exchange(stage.server, wire()).status == 418)
    }
  }

  @Test("a patch of the seed arms the scenario again, and an invalid patch changes nothing")
  func patches() async throws {
    try await withStage(#"{"when":{"first":1},"effect":{"status":418}}"#) { stage in
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 418)
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      for body in [#"{"seed":-1}"#, #"{"seed":9007199254740992}"#, #"{"seed":"7"}"#, #"{"rules":null}"#, "[]", "7"] {
        #expect(try exchange(stage.server, wire("PATCH", "/_mock/scenario", body: body)).status == 400, "\(body)")
      }
      for seed in ["-1", "9007199254740992", "\"7\"", "1.5", "null"] {
        let body = #"{"name":"x","rules":[],"seed":\#(seed)}"#
        let refused = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: body))
        #expect(refused.status == 400 && refused.text.contains("\"/seed\""), "\(body): \(refused.text)")
      }
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      let patched = try stage.json("/_mock/scenario", "PATCH", #"{"seed":7}"#)
      #expect(patched["seed"] == 7)
      #expect(patched["name"] == "test")
      #expect(try stage.json("/_mock/scenario") == patched)
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 418, "it is the first again")
      #expect(try stage.json("/_mock/scenario", "PATCH", #"{"name":"other"}"#)["seed"] == 7)
    }
  }

  /// Returns the differences between a response and its schema in `openapi.yaml`.
  private func violations(of json: JSONValue, _ operation: String) throws -> [String] {
    let operation = try #require(API.control.operations.first { $0.id == operation })
    let schema = try #require(operation.documentation.responses.first { $0.status == 200 }?.content.first?.schema)
    return schema.violations(in: json).map { "\($0.pointer): \($0.detail)" }
  }

  @Test("every built-in scenario can be set by its name, and is returned in a form that can be put")
  func builtIn() async throws {
    try await withStage { stage in
      for scenario in Scenarios.builtIn {
        let put = try stage.json("/_mock/scenario", "PUT", JSONValue.string(scenario.name).text)
        #expect(try violations(of: put, "getScenario") == [])
        let plan = try stage.json("/_mock/plan?method=PATCH&path=/devices/WWM-0001-12")
        #expect(try violations(of: plan, "getPlan") == [])
        #expect(put["name"] == .string(scenario.name))
        var spelled = try #require(put.object)
        spelled["seed"] = nil
        #expect(try stage.json("/_mock/scenario", "PUT", JSONValue.object(spelled).text) == put)
        _ = try stage.json("/_mock/scenario", "PUT", #""calm""#)
      }
    }
  }

  @Test("exchanges in flight keep their plan when the scenario changes")
  func keepsPlans() async throws {
    try await withStage(#"{"effect":{"fault":"hang"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/users/1"))
      try await stage.waitForSilence()
      try stage.arm()
      #expect(try exchange(stage.server, wire("GET", "/users/1")).status == 200)
      try await stage.waitForSilence()
      client.reset()
    }
  }
}
