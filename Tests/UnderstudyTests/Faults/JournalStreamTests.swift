import HTTP1
import JSON
import Primitives
import Testing

@testable import Understudy

@Suite("The journal as a stream")
struct JournalStreamTests {
  /// Reads server-sent events, chunked or not.
  private final class Reader {
    private let client: WireConnection
    let head: WireResponse

    init(
      _ stage: Stage, _ target: String = "/_mock/journal/stream", _ fields: String..., version: String = "1.1"
    ) throws {
      client = try WireConnection(stage.server.port)
      let lines = fields.map { $0 + "\r\n" }.joined()
      try client.send("GET \(target) HTTP/\(version)\r\nHost: localhost\r\n\(lines)\r\n")
      head = try client.response()
    }

    /// Waits for the given number of events, and returns their ids and data.
    func events(_ count: Int) throws -> [(id: Int?, entry: JSONValue)] {
      let text = try #require(client.text { Self.events(in: $0).count >= count })
      return Self.events(in: text)
    }

    private static func events(in text: String) -> [(id: Int?, entry: JSONValue)] {
      let lines = text.split(whereSeparator: \.isNewline)
      var id: Int?
      var found: [(id: Int?, entry: JSONValue)] = []
      for line in lines {
        if line.hasPrefix("id: ") { id = Int(line.dropFirst(4)) }
        guard line.hasPrefix("data: "), let json = try? JSONValue(parsing: Array(line.dropFirst(6).utf8)) else {
          continue
        }
        found.append((id, json))
      }
      return found
    }

    /// Returns true as soon as the text ends with `suffix`.
    func reaches(_ suffix: String) -> Bool { client.text { $0.hasSuffix(suffix) } != nil }

    func end() -> (text: String, end: WireConnection.End) { client.rest() }
    func hangUp() { client.hangUp() }
  }

  @Test("sends each change when it happens, with its seq as the id", arguments: ["1.1", "1.0"])
  func tells(version: String) async throws {
    try await withStage { stage in
      _ = try exchange(stage.server, wire("GET", "/users/1"))
      let reader = try Reader(stage, version: version)
      #expect(reader.head["Content-Type"] == "text/event-stream")
      #expect(reader.head["Transfer-Encoding"] == (version == "1.1" ? "chunked" : nil))
      #expect(reader.head["Connection"] == (version == "1.1" ? nil : "close"))
      _ = try exchange(stage.server, wire("GET", "/users/2"))
      let events = try reader.events(1)
      #expect(events.last?.entry["target"] == "/users/2", "no earlier entries")
      #expect(events.allSatisfy { $0.id == $0.entry["seq"]?.int })
      reader.hangUp()
      #expect(await stage.server.becomes { $0.connections.count == 0 })
      let metrics = try exchange(stage.server, wire("GET", "/_mock/metrics")).text
      #expect(metrics.contains(#"{api="control",operation="streamJournal",status="200"} 1"#))
    }
  }

  @Test("closes the connection of an HTTP/1.0 client, even if the client asks to keep it alive")
  func closes() async throws {
    try await withStage { stage in
      let reader = try Reader(stage, "/_mock/journal/stream", "Connection: keep-alive", version: "1.0")
      #expect(reader.head["Connection"] == "close" && reader.head["Transfer-Encoding"] == nil)
      reader.hangUp()
    }
  }

  @Test("continues after Last-Event-ID, which takes precedence over `after`")
  func resumes() async throws {
    try await withStage { stage in
      for id in 1...5 { _ = try exchange(stage.server, wire("GET", "/users/\(id)")) }
      let entries = try stage.journal()
      let third = try #require(entries[2]["seq"]?.int)
      let reader = try Reader(stage, "/_mock/journal/stream?after=0", "Last-Event-ID: \(third)")
      #expect(try reader.events(2).map(\.entry) == Array(entries[3...]))
      let other = try Reader(stage, "/_mock/journal/stream?after=0")
      #expect(try other.events(5).map(\.entry) == entries)
      let future = try Reader(stage, "/_mock/journal/stream", "Last-Event-ID: 9223372036854775807")
      #expect(try future.events(5).map(\.entry) == entries, "the id is from before a restart")
    }
  }

  @Test("ends when its sandbox is deleted", arguments: ["1.1", "1.0"])
  func endsWithSandbox(version: String) async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"brief"}"#)
      let reader = try Reader(stage, "/@brief/_mock/journal/stream", version: version)
      let deleted = try exchange(stage.server, wire("DELETE", "/_mock/sandboxes/brief"))
      #expect(deleted.status == 204)
      if version == "1.0" {
        #expect(reader.end() == ("", .finished("")))
      } else {
        #expect(reader.reaches("0\r\n\r\n"))
      }
    }
  }

  @Test("ends when the server stops")
  func endsWithServer() async throws {
    try await withStage(change: { $0.timeouts.drain = .seconds(60) }) { stage in
      let reader = try Reader(stage)
      stage.server.beginStopping()
      #expect(reader.end() == ("0\r\n\r\n", .finished("")))
      reader.hangUp()
    }
  }

  @Test("continues after a reset, with new ids")
  func survivesReset() async throws {
    try await withStage { stage in
      _ = try exchange(stage.server, wire("GET", "/users/1"))
      let last = try #require(try stage.lastEntry()["seq"]?.int)
      let reader = try Reader(stage)
      _ = try stage.json("/_mock/reset", "POST")
      let events = try reader.events(1)
      #expect(events.first?.entry["event"] == "reset")
      #expect(events.first?.id == last + 1)
    }
  }
}
