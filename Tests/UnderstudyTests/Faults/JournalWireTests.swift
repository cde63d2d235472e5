import Contract
import ControlAPI
import JSON
import Primitives
import Report
import Testing

@testable import Understudy

@Suite("The journal over HTTP")
struct JournalWireTests {
  @Test("is paged by `after` and `limit` with each entry once, as JSON and as JSON Lines")
  func pages() async throws {
    try await withStage { stage in
      for id in 1...10 { _ = try exchange(stage.server, wire("GET", "/users/\(id)")) }
      let whole = try stage.journal()
      #expect(whole.map { $0["id"]?.int } == Array(1...10))
      #expect(whole.map { $0["target"] } == (1...10).map { .string("/users/\($0)") })
      var paged: [JSONValue] = []
      while true {
        let page = try stage.journal("?limit=3&after=\(paged.last?["seq"]?.int ?? 0)")
        if page.isEmpty { break }
        #expect(page.count <= 3)
        paged += page
      }
      #expect(paged == whole)
      #expect(try stage.journal("?after=9223372036854775807").isEmpty)
      let lines = try exchange(stage.server, wire("GET", "/_mock/journal", "Accept: application/jsonl"))
      #expect(lines["Content-Type"] == "application/jsonl")
      #expect(try lines.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) } == whole)
    }
  }

  @Test(
    "refuses an invalid query",
    arguments: [
      "?limit=0", "?limit=10001", "?limit=ten", "?limit=+5", "?after=-1", "?after=", "?after=9223372036854775808",
      "?since=1", "?limit=1&Limit=2",
    ])
  func refuses(query: String) async throws {
    try await withStage { stage in
      let response = try exchange(stage.server, wire("GET", "/_mock/journal" + query))
      #expect(response.status == 400)
      #expect(response["Content-Type"] == "application/problem+json")
      if !query.hasPrefix("?limit=0") {
        #expect(try exchange(stage.server, wire("GET", "/_mock/journal/stream" + query)).status == 400)
      }
    }
  }

  @Test("masks secrets in any spelling, and cuts bodies at 4 KiB")
  func masks() async throws {
    try await withStage { stage in
      let body = String(repeating: "x", count: 5_000)
      let request = wire(
        "POST", "/book", "Authorization: Bearer s3cret", "cookie: a=s3cret", "Cookie: b=s3cret",
        "PROXY-AUTHORIZATION:s3cret", "Authorization:\u{301}s3cret:s3cret", "X-Plain: y", "X-Plain: z",
        body: body)
      #expect(try exchange(stage.server, request).status == 400)
      let entry = try stage.lastEntry()
      let headers = try #require(entry["request", "headers"])
      #expect(!headers.text.contains("s3cret"))
      #expect(headers["X-Plain"] == "y, z")
      #expect(entry["request", "body"]?.string?.utf8.count == 4_096)
      #expect(headers["Content-Length"] == "5000")
    }
  }

  @Test(
    "shows all other fields whole, whatever the length of a masked secret",
    arguments: ["", "s", String(repeating: "s", count: 900)])
  func maskedLengths(secret: String) async throws {
    try await withStage { stage in
      let request = wire("POST", "/book", "Cookie: \(secret)", "X-Last: a: b", body: "X-Body: hidden\r\nX-Body: more")
      _ = try exchange(stage.server, request)
      let headers = try #require(stage.lastEntry()["request", "headers"])
      let cookie = try #require(headers["Cookie"]?.string)
      #expect(secret.isEmpty ? cookie.isEmpty : cookie.hasPrefix("(masked-"))
      #expect(headers == ["Host": "localhost", "Cookie": .string(cookie), "X-Last": "a: b", "Content-Length": "28"])
    }
  }

  @Test("contains changes without a request, and continues its ids after a reset")
  func events() async throws {
    try await withStage { stage in
      #expect(try exchange(stage.server, Stage.write).status == 200)
      _ = try stage.json("/_mock/snapshots/one", "PUT")
      _ = try stage.json("/_mock/state", "PATCH", #"{"house":{"temperature":31}}"#)
      _ = try stage.json("/_mock/snapshots/one/restore", "POST")
      try stage.arm()
      let events = try stage.journal().compactMap { $0["event"]?.string }
      #expect(events == ["patched the state", "restored the snapshot one", "armed the scenario test"])
      #expect(try stage.journal().map { $0["versions", "to"]?.int } == [1, 2, 3, nil])
      let (id, seq) = (try stage.lastEntry()["id"]?.int ?? 0, try stage.lastEntry()["seq"]?.int ?? 0)
      _ = try stage.json("/_mock/reset", "POST")
      let entries = try stage.journal()
      #expect(entries.map { $0["event"] } == ["reset"])
      #expect(entries[0]["id"]?.int == id + 1)
      #expect(entries[0]["seq"]?.int == seq + 1)
      #expect(entries[0]["versions"] == ["from": 3, "to": 4])
    }
  }

  @Test("fits its schema in openapi.yaml")
  func fitsItsSchema() async throws {
    try await withStage(#"{"match":{"method":["POST"]},"phase":"after","effect":{"fault":"truncate"}}"#) { stage in
      let operation = try #require(API.control.operations.first { $0.id == "getJournal" })
      let schema = try #require(operation.documentation.responses.first { $0.status == 200 }?.content.first?.schema)
      let client = try WireConnection(stage.server.port)
      try client.send(wire("POST", "/book", "Fault-Key: k", body: #"{"name":"Ljerka"}"#))
      _ = client.rest()
      #expect(try exchange(stage.server, wire("GET", "/nowhere", "X-Twice: 1", "X-Twice: 2")).status == 404)
      let journal = try stage.json("/_mock/journal")
      #expect(schema.violations(in: journal).map { "\($0.pointer): \($0.detail)" } == [])
    }
  }

  @Test("has an entry before its response is sent, and completes it later with a higher seq")
  func completes() async throws {
    try await withStage(#"{"phase":"after","effect":{"latency":"1h"}}"#) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      #expect(await stage.server.journalBecomes { $0.count == 1 })
      let pending = try stage.lastEntry()
      #expect(pending["outcome"] == "pending")
      #expect(pending["response"] == JSONValue.null)
      client.reset()
      #expect(await stage.server.journalBecomes { $0.last?.outcome == .peerGone })
      let entry = try stage.lastEntry()
      #expect(entry["id"] == pending["id"])
      #expect(entry["seq"]?.int ?? 0 > pending["seq"]?.int ?? 0)
      #expect(entry["applied"] == true)
    }
  }
}
