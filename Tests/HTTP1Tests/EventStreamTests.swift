import Primitives
import Testing

@Suite("Server-sent events")
struct EventStreamTests {
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
    var (parser, events) = (EventStreamParser(), [ServerSentEvent]())
    let bytes = Array(Self.text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += try parser.events(in: bytes[start..<min(start + size, bytes.count)])
    }
    #expect(events == Self.events)
  }

  @Test("end their lines with CR LF, LF or CR, and may follow a byte order mark", arguments: ["\r\n", "\n", "\r"])
  func lineEnds(end: String) throws {
    var parser = EventStreamParser()
    let text = "\u{FEFF}id: 1\(end)event:\(end)data: a\(end)data: b\(end)\(end)data: c"
    #expect(try parser.events(in: text.utf8) == [ServerSentEvent(id: "1", data: "a\nb")])
  }

  @Test("are refused if a line exceeds the maximum length")
  func bounded() {
    var parser = EventStreamParser()
    #expect(throws: EventStreamParser.LineTooLong.self) {
      _ = try parser.events(in: [UInt8](repeating: 0x61, count: EventStreamParser.maximumLine + 1))
    }
  }
}
