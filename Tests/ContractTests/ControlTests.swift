import JSON
import Testing

@testable import Contract
@testable import ControlAPI

@Suite("The control API")
struct ControlTests {
  static let sandboxRequests: [(json: String, violations: [String])] = [
    ("{}", []),
    (#"{"name":"ci-42","scenario":"calm","seed":0,"port":0,"api":"booking","ttl":"10m","data":{}}"#, []),
    (#"{"data":{"activities":[]}}"#, []),
    (#"{"name":"CI"}"#, ["/name"]), (#"{"seed":-1}"#, ["/seed"]), (#"{"seed":9007199254740992}"#, ["/seed"]),
    (#"{"port":65536}"#, ["/port"]), (#"{"api":"weather"}"#, ["/api"]), (#"{"ttl":"10"}"#, ["/ttl"]),
    (#"{"name":null}"#, ["/name"]), (#"{"seeds":1}"#, ["/seeds"]), (#"{"data":{"weather":{}}}"#, ["/data/weather"]),
    (#"{"data":{"house":{}}}"#, []), (#"{"data":{"house":[]}}"#, ["/data/house"]), ("[]", [""]),
  ]

  @Test(
    "accepts the known members of a sandbox request, and refuses others with their position", arguments: sandboxRequests
  )
  func judgesSandboxRequests(json: String, violations: [String]) throws {
    let found = Schema.sandboxRequest.violations(in: try JSONValue(parsing: json))
    #expect(found.map(\.pointer.description) == violations)
  }

  static let clockPatches: [(json: String, violations: [String])] = [
    ("{}", []), (#"{"frozen":true,"advance":"1.5s"}"#, []), (#"{"advance":"-1s"}"#, ["/advance"]),
    (#"{"frozen":null}"#, ["/frozen"]), (#"{"now":"2026-03-01T09:30:00Z"}"#, ["/now"]),
  ]

  @Test("accepts only patches that move a clock forward", arguments: clockPatches)
  func judgesClockPatches(json: String, violations: [String]) throws {
    let found = Schema.clockPatch.violations(in: try JSONValue(parsing: json))
    #expect(found.map(\.pointer.description) == violations)
  }

  /// A merge patch replaces arrays, so each has to be complete.
  private static let emptyPatches: [String: JSONValue] = ["devices": [], "activities": [], "users": []]

  @Test("has a part of the state for each API, and a patch can remove none of them")
  func coversEveryAPI() throws {
    for api in API.all {
      let patch = JSONValue.object(JSONValue.Object([JSONValue.Member(api.name, Self.emptyPatches[api.name] ?? [:])]))
      #expect(Schema.mockStatePatch.violations(in: patch).isEmpty)
      let removal = JSONValue.object(JSONValue.Object([JSONValue.Member(api.name, .null)]))
      #expect(Schema.mockStatePatch.violations(in: removal).map(\.pointer.description) == ["/" + api.name])
    }
    #expect(Schema.mockStatePatch.violations(in: ["weather": [:]]).count == 1)
  }

  @Test("requires the token except for the health probe, the document, the schemas and the pages without data")
  func isGuarded() {
    let open = API.control.operations.filter { $0.semantics.access != .controllers }
    #expect(open.map(\.id) == ["getHealth", "getFrontPage", "getDashboard", "getOpenAPI", "getSchema"])
    #expect(API.all.flatMap(\.operations).allSatisfy { $0.semantics.access == .everyone })
    #expect(API.control.operations.allSatisfy { $0.semantics.isMerged && !$0.caching.evaluatesPreconditions })
  }
}
