import Faults
import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("The dashboard's page")
struct DashboardTests {
  @Test("is served for every sandbox, allows only its own script and style, and is not cached")
  func isServed() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci-42"}"#)
      var policies: Set<String> = []
      for target in ["/_mock/", "/_mock", "/@ci-42/_mock/"] {
        let response = try exchange(stage.server, wire("GET", target))
        #expect(response.status == 200 && response["Content-Type"] == "text/html; charset=utf-8")
        #expect(response["Cache-Control"] == "no-store")
        let policy = try #require(response["Content-Security-Policy"])
        let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-(\w+)'/)?.1)
        #expect(response.text.contains("<script type=\"module\" nonce=\"\(nonce)\">"))
        #expect(!policy.contains("unsafe") && !policy.contains("*") && policy.hasPrefix("default-src 'none';"))
        #expect(!response.text.contains("{nonce}") && !response.text.contains("/* style */"))
        policies.insert(policy)
      }
      #expect(policies.count == 3, "each page has its own nonce")
    }
  }

  @Test("names no other origin, and inserts no text as markup")
  func isSelfContained() async throws {
    try await withStage { stage in
      let page = try exchange(stage.server, wire("GET", "/_mock/")).text
      let addresses = page.matches(of: /https?:\/\/[^'"`\s)]+/).map { String($0.0) }
      #expect(Set(addresses) == ["http://www.w3.org/2000/svg"], "the namespace of SVG is a name, and is not loaded")
      for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\"", " onclick="] {
        #expect(!page.contains(word), "\(word)")
      }
    }
  }

  @Test("needs no token, unlike its data")
  func asksForTheToken() async throws {
    try await withStage(change: { $0.adminToken = "secret" }) { stage throws in
      #expect(try exchange(stage.server, wire("GET", "/_mock/")).status == 200)
      #expect(try exchange(stage.server, wire("GET", "/_mock/state")).status == 401)
      #expect(try exchange(stage.server, wire("GET", "/_mock/pictures/Ljerka")).status == 401)
    }
  }

  @Test("shows pictures without consuming a plan or adding a journal entry")
  func watchesWithoutTouching() async throws {
    try await withStage(#"{"effect":{"fault":"reset"}}"#) { stage in
      let before = try stage.journal().count
      let response = try exchange(stage.server, wire("GET", "/_mock/pictures/Ljerka"))
      #expect(
        response.status == 200 && response["Content-Type"] == "image/png"
          && response.body.prefix(4) == [0x89, 0x50, 0x4E, 0x47])
      #expect(try exchange(stage.server, wire("GET", "/_mock/pictures/Unknown")).status == 404)
      #expect(try stage.journal().count == before)
    }
  }

  @Test("gets the time since the scenario was armed, by the sandbox's clock")
  func tellsElapsedTime() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/clock", "PATCH", #"{"frozen":true}"#)
      _ = try stage.json("/_mock/scenario", "PUT", "\"basement\"")
      #expect(try stage.json("/_mock/clock")["elapsed"] == "0ms")
      try stage.advanceClock("90s")
      #expect(try stage.json("/_mock/clock")["elapsed"] == "90s")
    }
  }

  @Test("gets a hint with the refusal of a scenario that is almost JSON")
  func hintsAtMistakes() async throws {
    try await withStage { stage in
      let slips = [
        #"{"rules": [{"effect": {"fault": "reset"}},]}"#: "remove this comma", "rules:\n  - effect: x": "YAML",
      ]
      for (body, hint) in slips {
        let response = try exchange(stage.server, wire("PUT", "/_mock/scenario", body: body))
        #expect(response.status == 400 && response.text.contains(hint), "\(response.text)")
      }
    }
  }

  @Test("can list the built-in scenarios")
  func listsScenarios() async throws {
    try await withStage { stage in
      let list = try #require(try stage.json("/_mock/scenarios")["scenarios"]?.array)
      #expect(list.compactMap { $0["name"]?.string } == Scenarios.builtIn.map(\.name))
    }
  }
}
