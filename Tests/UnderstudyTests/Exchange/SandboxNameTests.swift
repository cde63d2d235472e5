import JSON
import Testing

@testable import Understudy

@Suite("Made-up names")
struct SandboxNameTests {
  @Test("are never given twice, not even after the first owner is gone, and spare those that were chosen")
  func names() async throws {
    try await withStage { stage in
      func make(_ body: String = "{}") throws -> String {
        try #require(try stage.json("/_mock/sandboxes", "POST", body)["name"]?.string)
      }
      #expect(try make() == "sandbox-1")
      #expect(try make() == "sandbox-2")
      _ = try stage.json("/_mock/sandboxes/sandbox-2", "DELETE")
      #expect(try make() == "sandbox-3")
      #expect(try make(#"{"name":"sandbox-4"}"#) == "sandbox-4")
      #expect(try make() == "sandbox-5")
    }
  }
}
