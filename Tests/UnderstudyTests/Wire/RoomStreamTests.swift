import HTTP1
import JSON
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The stream of rooms")
struct RoomStreamTests {
  private static let path = "/rooms/stream"

  private static func book(_ loop: VirtualLoop) throws {
    #expect(try loop.ask(wire("POST", "/book", body: "{\"name\":\"Ljerka\"}")).status == 200)
  }

  /// An open stream, read up to the last event that has arrived.
  private struct Reader {
    let client: WireConnection
    let loop: VirtualLoop

    init(_ loop: VirtualLoop, _ fields: String..., path: String = RoomStreamTests.path) throws {
      self.loop = loop
      client = try WireConnection(loop.port)
      let lines = fields.map { $0 + "\r\n" }.joined()
      try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n")
    }

    var text: String { String(decoding: client.available(), as: UTF8.self) }

    /// The number of events that have arrived.
    var events: Int { text.ranges(of: "event: rooms\n").count }

    func turn(untilEvents count: Int) -> Bool { loop.turn(within: .seconds(5)) { events >= count } }

    /// The ids of the events that have arrived.
    var ids: [String] {
      text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { $0.dropFirst(4).filter { $0 != "\r" } }
    }
  }

  @Test("sends all rooms at once, and again after each booking, under the tag of the list")
  func changes() throws {
    let loop = try VirtualLoop()
    let tag = try loop.ask(wire("GET", "/rooms.json"))["ETag"] ?? ""
    let reader = try Reader(loop)
    #expect(reader.turn(untilEvents: 1))
    #expect(reader.text.contains("HTTP/1.1 200") && reader.text.contains("Content-Type: text/event-stream"))
    #expect(reader.ids == [String(tag.dropFirst().dropLast())])
    #expect(reader.text.contains(#"data: {"rooms":[{"name":"Ljerka","spots":43"#))
    try Self.book(loop)
    #expect(reader.turn(untilEvents: 2))
    #expect(reader.text.contains(#"data: {"rooms":[{"name":"Ljerka","spots":42"#))
    #expect(try loop.ask(wire("GET", "/devices")).status == 200)
    #expect(try loop.ask(wire("PATCH", "/devices/WWM-0001-12", body: #"{"type":"heating"}"#)).status == 200)
    #expect(reader.events == 2, "a change of another API is not a change of the rooms")
  }

  @Test("sends the rooms after a Last-Event-ID only if they have changed")
  func resumed() throws {
    let loop = try VirtualLoop()
    let first = try Reader(loop)
    #expect(first.turn(untilEvents: 1))
    let id = try #require(first.ids.first)
    let known = try Reader(loop, "Last-Event-ID: \(id)")
    #expect(loop.turn(within: .seconds(5)) { known.text.contains("\r\n\r\n") })
    #expect(known.events == 0)
    try Self.book(loop)
    #expect(known.turn(untilEvents: 1))
    let late = try Reader(loop, "Last-Event-ID: \(id)")
    #expect(late.turn(untilEvents: 1) && late.ids == known.ids)
  }

  @Test(
    "is resumed by the query as by the field, and tells proxies not to buffer it",
    arguments: ["lastEventId", "Last-Event-ID"])
  func resumedByQuery(name: String) throws {
    let loop = try VirtualLoop()
    let first = try Reader(loop)
    #expect(first.turn(untilEvents: 1))
    #expect(first.text.contains("\r\nX-Accel-Buffering: no\r\n"))
    let id = try #require(first.ids.first)
    let known = try Reader(loop, path: "\(Self.path)?\(name)=\(id)")
    #expect(loop.turn(within: .seconds(5)) { known.text.contains("\r\n\r\n") })
    #expect(known.events == 0)
    let field = try Reader(loop, "Last-Event-ID: 0", path: "\(Self.path)?\(name)=\(id)")
    #expect(field.turn(untilEvents: 1), "the field is newer: a page's reader repeats the query of its first request")
    let journal = try Reader(loop, path: "/_mock/journal/stream?\(name)=1")
    #expect(loop.turn(within: .seconds(5)) { journal.text.contains("id: 2\n") })
    #expect(!journal.text.contains("id: 1\n") && journal.text.contains("\r\nX-Accel-Buffering: no\r\n"))
  }

  @Test("is cut by a fault after the event that the rule names, which the journal records")
  func cut() throws {
    let loop = try VirtualLoop(
      #"{"match":{"path":"/rooms/stream"},"when":{"first":1},"effect":{"fault":"truncate","events":2}}"#)
    let reader = try Reader(loop)
    #expect(reader.turn(untilEvents: 1))
    try Self.book(loop)
    #expect(reader.turn(untilEvents: 2))
    #expect(loop.turn(within: .seconds(5)) { loop.lastEntry?.outcome == .event })
    try Self.book(loop)
    let rest = reader.client.rest()
    #expect(rest.end == .finished("") && rest.text.ranges(of: "event: rooms\n").count == 2)
    #expect(!rest.text.hasSuffix("0\r\n\r\n"), "the chunked body has no end")
    let journal = try loop.ask(wire("GET", "/_mock/journal")).text
    #expect(journal.contains("the stream of request 2 ended after 2 events: closed"))
    #expect(journal.contains("truncate"))
    #expect(try Reader(loop).turn(untilEvents: 1), "the rule's window is over")
  }

  /// Opens a stream under a rule's effect behind the second event, and books once it has had the first.
  private static func secondEvent(_ effect: String) throws -> (VirtualLoop, Reader) {
    let loop = try VirtualLoop(
      #"{"match":{"path":"/rooms/stream"},"when":{"first":1},"effect":{\#(effect),"events":2}}"#)
    let reader = try Reader(loop)
    #expect(reader.turn(untilEvents: 1))
    try Self.book(loop)
    return (loop, reader)
  }

  /// Returns the content of a response that may be incomplete, without the framing of its chunks.
  private static func content(_ response: String) throws -> [UInt8] {
    var parser = ResponseParser()
    parser.receive(Array(response.utf8))
    var content: [UInt8] = []
    while true {
      switch try parser.next() {
      case .content(let bytes): content += bytes
      case .interim, .head: continue
      case .needsMore, .end: return content
      }
    }
  }

  @Test("the journal has the number of bytes that were sent before a fault cut it", arguments: ["truncate", "reset"])
  func sentBytes(fault: String) throws {
    let (loop, reader) = try Self.secondEvent(#""fault":"\#(fault)""#)
    #expect(loop.turn(within: .seconds(5)) { loop.lastEntry?.outcome == .event })
    let content = try Self.content(reader.client.rest().text)
    let response = try #require(loop.journal.entry(2)?.response)
    #expect(response.status == 200 && response.bytes == content.count && response.of == content.count)
    #expect(content.count > 200)
  }

  @Test("the journal counts the comments between the events, too, when its client leaves")
  func sentComments() throws {
    let loop = try VirtualLoop()
    let reader = try Reader(loop)
    #expect(loop.turn(within: .seconds(60)) { reader.text.hasSuffix(":\n\n\r\n") })
    let content = try Self.content(reader.text)
    #expect(loop.lastEntry?.response?.bytes == 0, "it is counted at its end")
    reader.client.hangUp()
    #expect(loop.turn(within: .seconds(5)) { loop.lastEntry?.outcome == .event })
    #expect(loop.journal.entry(1)?.response?.bytes == content.count)
  }

  @Test("a reset behind an event arrives as one, after the event")
  func reset() throws {
    let (loop, reader) = try Self.secondEvent(#""fault":"reset""#)
    #expect(loop.turn(within: .seconds(5)) { loop.lastEntry?.outcome == .event })
    // A look at the events before would take the reset away: the system reports it once.
    let rest = reader.client.rest()
    #expect(rest.end == .reset && rest.text.ranges(of: "event: rooms\n").count == 2)
    #expect(try loop.ask(wire("GET", "/_mock/journal")).text.contains("ended after 2 events: reset"))
  }

  @Test("a stall behind an event keeps changes and signs of life back, and then shows the state as it is")
  func stall() throws {
    let (loop, reader) = try Self.secondEvent(#""fault":"stall","for":"40s""#)
    #expect(reader.turn(untilEvents: 2))
    try Self.book(loop)
    try Self.book(loop)
    let silent = reader.text
    #expect(!loop.turn(within: .seconds(39)) { reader.text != silent })
    #expect(reader.turn(untilEvents: 3))
    #expect(reader.text.contains(#"data: {"rooms":[{"name":"Ljerka","spots":40"#))
    try Self.book(loop)
    #expect(reader.turn(untilEvents: 4), "the fault hits once")
  }

  @Test(
    "a stall behind an event ends as the rule says",
    arguments: [("reset", WireConnection.End.reset), ("close", .finished(""))])
  func stallThen(word: String, end: WireConnection.End) throws {
    let (loop, reader) = try Self.secondEvent(#""fault":"stall","for":"3s","then":"\#(word)""#)
    #expect(reader.turn(untilEvents: 2))
    #expect(!loop.turn(within: .seconds(2)) { loop.lastEntry?.outcome == .event })
    #expect(loop.turn(within: .seconds(5)) { loop.lastEntry?.outcome == .event })
    #expect(reader.client.rest().end == end)
  }

  @Test("a stall begins when its event is sent, however long the turn before took")
  func stallAfterLongTurn() throws {
    let loop = try VirtualLoop(
      #"{"match":{"path":"/rooms/stream"},"effect":{"fault":"stall","for":"3s","events":2}}"#)
    let reader = try Reader(loop)
    #expect(reader.turn(untilEvents: 1))
    var silence: Duration?
    loop.loop.addTurnObserver { turn in
      silence = turn.connections.all.compactMap { $0.connection.wakeUp }.first.map { $0 - loop.now }
      return silence != nil
    }
    loop.passWithEachReading(.seconds(1))
    try Self.book(loop)
    #expect(loop.turn { silence != nil })
    #expect(try #require(silence) >= .seconds(3))
  }

  @Test("a stall without an end lasts until the client leaves")
  func endless() throws {
    let (loop, reader) = try Self.secondEvent(#""fault":"stall""#)
    #expect(reader.turn(untilEvents: 2))
    try Self.book(loop)
    #expect(!loop.turn(within: .seconds(300)) { reader.events > 2 })
    reader.client.hangUp()
    #expect(loop.turn(within: .seconds(5)) { loop.lastEntry?.outcome == .event })
    #expect(try loop.ask(wire("GET", "/_mock/journal")).text.contains("ended after 2 events: peer gone"))
  }

  @Test(
    "ends after its first bytes with a fault of the whole response",
    arguments: [
      #"{"fault":"truncate","at":"1/2"}"#, #"{"fault":"bad-chunk"}"#, #"{"status":503}"#, #"{"fault":"reset"}"#,
    ])
  func finite(effect: String) throws {
    let loop = try VirtualLoop(#"{"match":{"path":"/rooms/stream"},"effect":\#(effect)}"#)
    let reader = try Reader(loop, "Connection: close")
    #expect(
      loop.turn(within: .seconds(5)) { loop.lastEntry.map { ![.event, .pending].contains($0.outcome) } ?? false })
    try Self.book(loop)
    #expect(reader.events <= 1)
    let rest = reader.client.rest()
    #expect(rest.end != .silence && rest.text.ranges(of: "event: rooms\n").count <= 1)
  }

  @Test("has events, unlike a list, for which such a fault is undeliverable")
  func undeliverable() throws {
    let loop = try VirtualLoop()
    for fault in ["truncate", "reset", "stall"] {
      let response = try loop.ask(wire("GET", "/rooms.json", "Prefer: fault=\(fault); events=2"))
      #expect(response.status == 200 && response.text.contains("Mina"), "\(fault)")
      #expect(loop.lastEntry?.outcome == .notDeliverable, "\(fault)")
    }
  }

  @Test("has no body for HEAD, and does not exist on the house's own origin")
  func besides() throws {
    let loop = try VirtualLoop()
    let client = try WireConnection(loop.port)
    try client.send("HEAD /rooms/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    var text = ""
    #expect(
      loop.turn(within: .seconds(5)) {
        text = String(decoding: client.available(), as: UTF8.self)
        return text.contains("\r\n\r\n")
      })
    #expect(text.hasSuffix("\r\n\r\n") && text.contains("Content-Type: text/event-stream"))
    #expect(try loop.ask(wire("GET", "/@house/rooms/stream")).status == 404)
  }
}
