import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("An invalid preference over HTTP")
struct PreferErrorWireTests {
  @Test(
    "has no effect, and is reported by the response and the journal",
    arguments: [
      "fault=rest", "delay=5", "code=9999", "phase=later", "fault=reset; phase=afterwards",
      "fault=reset; phase=after", "fault=reset, phase=after",
    ])
  func isReported(prefer: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("GET", "/devices", "pReFeR: \(prefer)"))
      #expect(response.status == 200 && response["Preference-Applied"] == nil)
      #expect(response["Understudy-Fault"]?.hasPrefix("not understood: ") == true, "\(response.head)")
      let remark = try stage.lastEntry()["remark"]?.string
      #expect(remark?.hasPrefix("Prefer not understood: ") == true, "\(remark ?? "")")
    }
  }

  @Test("leaves the scenario in effect, and both are reported")
  func leavesScenario() async throws {
    try await withStage(#"{"effect":{"status":418}}"#) { stage in
      let response = try exchange(stage.server, wire("GET", "/devices", "Prefer: code=9999"))
      #expect(response.status == 418)
      #expect(
        response["Understudy-Fault"]?.hasPrefix("status 418; not understood: code=9999") == true, "\(response.head)")
    }
  }

  @Test("is not reported if another specification defines it", arguments: ["return=minimal", "respond-async"])
  func ignoresOthers(prefer: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("GET", "/devices", "Prefer: \(prefer)"))
      #expect(response.status == 200 && response["Understudy-Fault"] == nil)
      #expect(try stage.lastEntry()["remark"] == nil)
    }
  }

  @Test("cannot end a line of the response or exceed its limit")
  func isSafe() async throws {
    try await withStage { stage in
      let odd = "fault=\"\u{E9}\u{85}\u{2028}\\\"\u{1F6AA}\", code=" + String(repeating: "9", count: 3_000)
      let response = try exchange(stage.server, wire("GET", "/devices", "Prefer: \(odd)"))
      let words = try #require(response["Understudy-Fault"])
      #expect(response.status == 200)
      #expect(words.utf8.count < 300 && words.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }
  }
}
