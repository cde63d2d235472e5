import LiveTesting
import Testing

@testable import Understudy

@Suite("Caching of responses")
struct CachingTests {
  @Test(
    "a response whose content a fault changed has Cache-Control: no-store",
    arguments: [
      "code=503", "code=404", "fault=corrupt", "fault=drift", "fault=wrong-type", "fault=captive-portal",
      "fault=truncate; at=\"1/2\"", "fault=bad-chunk",
    ])
  func changed(preference: String) async throws {
    try await withServer { server in
      for path in ["/users", "/rooms.json", "/devices"] {
        let client = try WireConnection(server.port)
        try client.send(wire("GET", path, "Prefer: \(preference)", "Connection: close"))
        let text = client.rest().text
        #expect(text.contains("\r\nCache-Control: no-store\r\n"), "\(path): \(text.prefix(400))")
        #expect(text.ranges(of: "Cache-Control:").count == 1)
      }
    }
  }

  @Test("a response with an older state has Cache-Control: no-store, and its own entity tag")
  func stale() async throws {
    try await withStage(#"{"match":{"method":["GET"]},"effect":{"fault":"stale"}}"#) { stage throws in
      #expect(try exchange(stage.server, Stage.write).status == 200)
      let older = try exchange(stage.server, wire("GET", "/rooms.json"))
      #expect(older.text.contains("43") && older["Cache-Control"] == "no-store")
      #expect(older["ETag"] != nil)
    }
  }

  @Test("a body that a fault changed has no entity tag", arguments: ["corrupt", "wrong-type"])
  func tagless(fault: String) async throws {
    try await withServer { server throws in
      #expect(try exchange(server, wire("GET", "/users", "Prefer: fault=\(fault)"))["ETag"] == nil)
    }
  }

  @Test(
    "a response that is only delayed, or that the fault could not change, keeps its fields",
    arguments: [
      ("GET", "delay=1ms"), ("GET", "fault=stall; at=\"1/2\"; for=1ms"), ("HEAD", "fault=corrupt"),
      ("GET", "unknown=1"),
    ])
  func late(method: String, preference: String) async throws {
    try await withServer { server in
      let response = try exchange(server, wire(method, "/users", "Prefer: \(preference)"))
      #expect(response["Cache-Control"] == "max-age=43200")
      #expect(response["ETag"] != nil)
    }
  }

  @Test("every response has Cache-Control, which is no-store for effects and errors")
  func explicit() async throws {
    try await withServer { server throws in
      for (path, value) in [
        ("/reset", "no-store"), ("/bedroom/AC/on", "no-store"), ("/book", "no-store"),
        ("/book?name=Ljerka", "no-store"), ("/bookRoom.json", "no-store"), ("/nowhere", "no-store"),
        ("/users/99", "no-store"), ("/@unknown/users", "no-store"),
        ("/devices", "no-cache"), ("/activities", "no-cache"), ("/rooms", "no-cache"), ("/weather/hot", "no-cache"),
        ("/users", "max-age=43200"), ("/rooms.json", "max-age=600"), ("/_mock/journal", "no-store"),
      ] {
        #expect(try exchange(server, wire("GET", path))["Cache-Control"] == value, "\(path)")
      }
      #expect(try exchange(server, wire("GET", "/", "X : y"))["Cache-Control"] == "no-store")
    }
  }
}
