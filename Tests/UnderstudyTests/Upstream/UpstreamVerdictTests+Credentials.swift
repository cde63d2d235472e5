import LiveTesting
import Report
import Testing

@testable import Understudy

/// Refused requests with other credentials, or with the same ones.
extension UpstreamVerdictTests {
  @Test(
    "a refused request that is sent again with a token is another one",
    arguments: [
      "X-CSRFToken", "RequestVerificationToken", "Jenkins-Crumb", "X-Transmission-Session-Id", "Mcp-Session-Id",
      "X-Api-Key",
    ])
  func tokens(name: String) async throws {
    #expect(try await verdict(ofRefusedRequestsWith: "\(name): old", "\(name): new") == "pass")
    #expect(try await verdict(ofRefusedRequestsWith: "\(name): old", "\(name): old") == "warn")
  }

  @Test("a refused request that is signed anew is another one, because its time may have been refused")
  func signatures() async throws {
    let field = "Authorization: AWS4-HMAC-SHA256 Credential=me, Signature="
    #expect(try await verdict(ofRefusedRequestsWith: field + "1", field + "2") == "pass")
    #expect(try await verdict(ofRefusedRequestsWith: field + "1", field + "1") == "warn")
  }

  /// Returns the verdict on a client that repeats a refused request with another field.
  private func verdict(ofRefusedRequestsWith fields: String...) async throws -> String? {
    let refusal = ScriptedBackend.response("403 Forbidden", "{}")
    let clock = ManualClock()
    var found: String?
    try await Stage.inFrontOf(try ScriptedBackend(answering: refusal)) { options in
      options.clocks = clock.clocks
    } body: { stage in
      for field in fields {
        _ = try exchange(stage.server, wire("POST", "/orders", "Understudy-Client: me", field, body: "{}"))
        await clock.advance(by: .milliseconds(500), stage.server)
      }
      #expect(await stage.server.journalBecomes { $0.count == 2 && $0.last?.outcome == .sent })
      found = try Self.verdict(of: "no-retry-of-4xx", stage)
    }
    return found
  }
}
