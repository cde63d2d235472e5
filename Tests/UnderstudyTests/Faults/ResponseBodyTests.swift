import JSON
import Testing

@testable import Understudy

@Suite("The response in the journal")
struct ResponseBodyTests {
  @Test(
    "has the body that was sent, if a fault changed it, and the plan says how",
    arguments: ["drift", "corrupt", "wrong-type"])
  func storesChangedBodies(fault: String) async throws {
    try await withStage(#"{"effect":{"fault":"\#(fault)"}}"#) { stage in
      let response = try exchange(stage.server, wire("GET", "/users/1"))
      let entry = try stage.lastEntry()
      #expect(entry["response", "body"] == .string(response.text))
      let words = try #require(entry["plan", "words"]?.string)
      #expect(words.hasPrefix("\(fault): ") && response["Understudy-Fault"] == words)
    }
  }

  @Test("names the missing member of a drifted response, also in the archive, in the log of the run and after a delay")
  func namesTheChange() async throws {
    try await withStage(
      #"{"match":{"path":"/users/*"},"effect":{"fault":"drift"}}"#, #"{"effect":{"latency":"1ms"}}"#
    ) { stage in
      let whole = try JSONValue(parsing: exchange(stage.server, wire("GET", "/users/1", "Prefer: latency=0ms")).body)
      var found: Set<String> = []
      for _ in 1...60 where found.isEmpty {
        let response = try exchange(stage.server, wire("GET", "/users/1"))
        let (body, words) = (try JSONValue(parsing: response.body), try #require(response["Understudy-Fault"]))
        guard let name = words.firstMatch(of: /drift: "(\w+)" is missing/)?.1 else { continue }
        #expect(whole[String(name)] != nil && body[String(name)] == nil)
        found.insert(String(name))
        let archived = try #require(try stage.json("/_mock/journal?format=har")["log", "entries"]?.array?.last)
        #expect(archived["response", "content", "text"] == .string(response.text))
        #expect(archived["_plan", "words"]?.string == words)
      }
      #expect(!found.isEmpty, "some draw drops a member")
    }
  }

  @Test("has the part of a body that was cut, and no body that is whole")
  func storesCutBodies() async throws {
    try await withStage(#"{"match":{"path":"/users/1"},"effect":{"fault":"truncate","at":"1/4"}}"#) { stage in
      #expect(throws: (any Error).self) { try exchange(stage.server, wire("GET", "/users/1")) }
      let cut = try stage.lastEntry()
      let whole = try exchange(stage.server, wire("GET", "/users/1", "Prefer: latency=0ms")).text
      let body = try #require(cut["response", "body"]?.string)
      #expect(body.utf8.count == cut["response", "bytes"]?.int && whole.hasPrefix(body) && body != whole)
      #expect(try stage.lastEntry()["response", "body"] == nil)
    }
  }

  @Test("has the bodies of all responses on request, up to 4 KiB, but no pictures")
  func storesAllBodies() async throws {
    try await withStage(change: { $0.journalsBodies = true }) { stage throws in
      let short = try exchange(stage.server, wire("GET", "/users/1")).text
      #expect(try stage.lastEntry()["response", "body"] == .string(short))
      let long = try exchange(stage.server, wire("GET", "/users")).text
      #expect(try stage.lastEntry()["response", "body"] == .string(String(long.prefix(4_096))))
      _ = try exchange(stage.server, wire("GET", "/image/Ljerka"))
      #expect(try stage.lastEntry()["response", "body"] == nil)
      _ = try exchange(stage.server, wire("HEAD", "/users/1"))
      #expect(try stage.lastEntry()["response", "body"] == nil)
    }
  }

  @Test("is none for bytes that are no HTTP")
  func hasNoGarbage() async throws {
    try await withStage(#"{"effect":{"fault":"garbage"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(wire("GET", "/users/1"))
      #expect(client.rest().text.isEmpty == false)
      let entry = try stage.lastEntry()
      #expect(entry["response"] == .null && entry["outcome"] == "closed" && entry["plan", "fault"] == "garbage")
    }
  }

  @Test(
    "has in the archive what is missing of it",
    arguments: [
      ("/users", "The journal has the first 4096 of the"), ("/image/Ljerka", "The journal does not keep pictures."),
    ])
  func isExplainedInTheArchive(path: String, comment: String) async throws {
    try await withStage(
      #"{"match":{"path":"/users"},"effect":{"fault":"wrong-type"}}"#, change: { $0.journalsBodies = true }
    ) { stage throws in
      _ = try exchange(stage.server, wire("GET", path))
      _ = try exchange(stage.server, wire("GET", "/users/1"))
      let entries = try #require(try stage.json("/_mock/journal?format=har")["log", "entries"]?.array)
      #expect(entries[0]["response", "content", "comment"]?.string?.hasPrefix(comment) == true, "\(entries[0].text)")
      #expect(entries[1]["response", "content", "comment"] == nil)
    }
  }

  @Test("lists no field that was not sent")
  func listsSentFields() async throws {
    try await withStage(#"{"match":{"path":"/users/1"},"effect":{"fault":"reset"}}"#) { stage in
      #expect(throws: (any Error).self) { try exchange(stage.server, wire("GET", "/users/1")) }
      let entry = try stage.lastEntry()
      #expect(entry["response", "status"] == 200, "the status line was sent")
      #expect(entry["response", "headers"] == [:] && entry["response", "bytes"] == 0)
      #expect(entry["response", "body"] == nil)
    }
  }
}
