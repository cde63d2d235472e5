import Contract
import ControlAPI
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("The schemas of a server")
struct SchemaTests {
  @Test(
    "are served as JSON Schema, without the control API's token", arguments: SchemaDocument.all.map(\.name)
  )
  func isServed(name: String) async throws {
    try await withServer({ $0.adminToken = "secret" }) { server in
      let response = try exchange(server, wire("GET", "/_mock/schemas/\(name).json"))
      #expect(response.status == 200 && response["Content-Type"] == "application/schema+json")
      #expect(response.text == SchemaDocument.named(name)?.text)
    }
  }

  @Test(
    "are listed in the error for an unknown one",
    arguments: ["scenarios.json", "scenario", ".json", "scenario.json.json"])
  func isUnknown(name: String) async throws {
    try await withServer { server in
      let response = try exchange(server, wire("GET", "/_mock/schemas/" + name))
      #expect(response.status == 404 && response.text.contains("unknown-schema"), "\(response.text)")
      #expect(
        response.text.contains("Expected one of scenario.json, journal.json, semantics.json, report.json, devices.json")
      )
    }
  }
}
