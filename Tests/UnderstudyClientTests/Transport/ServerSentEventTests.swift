import Foundation
import Testing

@testable import UnderstudyClient

@Suite("Server-sent events")
struct ServerSentEventTests {
  private static let text = """
    : a comment
    event: rooms
    id: a1
    data: {"rooms":
    data: []}

    data:second\r
    \r
    event: nothing

    id: a2
    retry: 10
    data

    """ + "\ndata: incomplete\n"

  private static let events = [
    ServerSentEvent(id: "a1", name: "rooms", data: "{\"rooms\":\n[]}"),
    ServerSentEvent(id: "a1", name: "message", data: "second"),
    ServerSentEvent(id: "a2", name: "message", data: ""),
  ]

  @Test("are the same wherever the body is split", arguments: [1, 2, 3, 7, 1_000])
  func pieces(size: Int) throws {
    var (parser, events) = (ServerSentEventParser(), [ServerSentEvent]())
    let bytes = Data(Self.text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += try parser.events(in: bytes[start..<min(start + size, bytes.count)])
    }
    #expect(events == Self.events)
  }

  @Test("are refused if a line exceeds the maximum length")
  func bounded() {
    var parser = ServerSentEventParser()
    #expect(throws: FailureReason.self) {
      _ = try parser.events(in: Data(count: ServerSentEventParser.maximumLine + 1))
    }
  }
}
