import Contract
import Dispatch
import HTTP1
import JSON
import Platform
import Services
import Testing

@testable import Primitives
@testable import Understudy

/// The lines are compared as wholes, because programs read them.
@Suite("The request log")
struct RequestLogTests {
  /// Returns the lines about some exchanges of each kind.
  private static func lines(_ format: MockServer.Options.LogFormat) throws -> String {
    let log = RequestLog(format)
    let server = try DurableServer(on: MemoryDisk(seed: 1), log: log)
    server.ask(wire("GET", "/users/2?a=%C3%A4", "Authorization: Bearer secret"))
    let slow = server.connect(wire("GET", "/users/none", "Prefer: delay=1s"))
    // Its status line is not sent.
    server.ask(wire("POST", "/book", "Prefer: fault=reset-bare", body: "{\"name\":\"Ljerka\"}"))
    server.ask(wire("GET", "/_mock/clock"))
    server.ask(wire("GET", "/@unknown/users/2"))
    server.ask(wire("PATCH", "/devices/x", "X : y"))
    server.ask("\u{1B}[31m\r\n\r\n")
    server.ask(wire("OPTIONS", "/users/2"))
    server.connect(wire("GET", "/users/2", "Prefer: delay=1s")).disconnect()
    server.pass(seconds: 1)
    slow.resume()
    return String(decoding: log.lines, as: UTF8.self)
  }

  @Test("has a line of text about each exchange, without a status if no status line was sent")
  func text() throws {
    #expect(
      try Self.lines(.text) == """
        2023-11-14T22:13:20.000Z default GET /users/2?a=%C3%A4 200 496 B 0.0 ms
        2023-11-14T22:13:20.000Z default POST /book - 0 B 0.0 ms planned: reset-bare before commit
        2023-11-14T22:13:20.000Z default GET /_mock/clock 200 65 B 0.0 ms
        2023-11-14T22:13:20.000Z - GET /@unknown/users/2 404 246 B 0.0 ms
        2023-11-14T22:13:20.000Z default PATCH /devices/x 400 193 B 0.0 ms refused: There is white space \
        between a field name and its colon. (RFC 9112 5.1)
        2023-11-14T22:13:20.000Z - - - 400 186 B 0.0 ms refused: The method contains a byte that a method \
        must not contain. (RFC 9112 3.1)
        2023-11-14T22:13:20.000Z default OPTIONS /users/2 204 0 B 0.0 ms
        2023-11-14T22:13:20.000Z default GET /users/2 - 0 B 0.0 ms planned: latency 1s
        2023-11-14T22:13:21.000Z default GET /users/none 404 2 B 1000.0 ms planned: latency 1s

        """)
  }

  @Test("has an object about each exchange, without a status if no status line was sent")
  func json() throws {
    #expect(
      try Self.lines(.json) == """
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"default","id":1,"method":"GET",\
        "target":"/users/2?a=%C3%A4","status":200,"bytes":496,"milliseconds":0.0}
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"default","id":3,"method":"POST","target":"/book",\
        "status":null,"bytes":0,"milliseconds":0.0,"planned":"reset-bare before commit"}
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"default","id":0,"method":"GET","target":"/_mock/clock",\
        "status":200,"bytes":65,"milliseconds":0.0}
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"-","id":0,"method":"GET","target":"/@unknown/users/2",\
        "status":404,"bytes":246,"milliseconds":0.0}
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"default","id":4,"method":"PATCH","target":"/devices/x",\
        "status":400,"bytes":193,"milliseconds":0.0,"refused":"There is white space between a field name \
        and its colon. (RFC 9112 5.1)"}
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"-","id":0,"method":"-","target":"-","status":400,\
        "bytes":186,"milliseconds":0.0,"refused":"The method contains a byte that a method must not \
        contain. (RFC 9112 3.1)"}
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"default","id":5,"method":"OPTIONS","target":"/users/2",\
        "status":204,"bytes":0,"milliseconds":0.0}
        {"at":"2023-11-14T22:13:20.000Z","sandbox":"default","id":6,"method":"GET","target":"/users/2",\
        "status":null,"bytes":0,"milliseconds":0.0,"planned":"latency 1s"}
        {"at":"2023-11-14T22:13:21.000Z","sandbox":"default","id":2,"method":"GET","target":"/users/none",\
        "status":404,"bytes":2,"milliseconds":1000.0,"planned":"latency 1s"}

        """)
  }

  @Test("has the line of a stream at its end, with its bytes and its whole time")
  func stream() throws {
    let log = RequestLog(.text)
    let server = try DurableServer(on: MemoryDisk(seed: 1), log: log)
    let reader = server.connect(wire("GET", "/rooms/stream", host: "booking.localhost"))
    #expect(reader.isStreaming && log.lines.isEmpty)
    var budget = JournalFollower.Budget()
    reader.follow(within: &budget)
    let sent = try #require(server.responses([reader]).first?.body.count)
    server.pass(seconds: 7)
    reader.disconnect()
    let line = String(decoding: log.lines, as: UTF8.self)
    let bytes = line.split(separator: " ").dropFirst(5).first.flatMap { Int($0) } ?? 0
    #expect(bytes > 100 && bytes <= sent && line.hasSuffix(" B 7000.0 ms\n"), "\(line)")
    #expect(line.hasPrefix("2023-11-14T22:13:27.000Z default GET /rooms/stream 200 "), "\(line)")
  }

  @Test("says nothing if it is off")
  func off() throws { #expect(try Self.lines(.off).isEmpty) }

  @Test("is written on another thread, so that a slow reader delays no turn, and completely before the end")
  func slowReader() throws {
    let (reader, written, isTimely) = (DispatchSemaphore(value: 0), Locked<[UInt8]>([]), Locked(true))
    let log = RequestLog(.text) { lines in
      if reader.wait(timeout: .now() + 60) == .timedOut { isTimely.withLock { $0 = false } }
      written.withLock { $0 += lines }
    }
    let server = try DurableServer(on: MemoryDisk(seed: 1), log: log)
    for user in 1...3 {
      server.ask(wire("GET", "/users/\(user)"))
      log.flush()
    }
    #expect(written.withLock { $0.isEmpty }, "the reader has not read yet")
    for _ in 1...3 { reader.signal() }
    log.finish()
    let text = written.withLock { String(decoding: $0, as: UTF8.self) }
    #expect((1...3).allSatisfy { text.contains(" GET /users/\($0) 200 ") } && isTimely.withLock { $0 })
  }

  @Test("keeps all lines of a turn while no others wait, however many they are")
  func longTurn() {
    var queue = RequestLog.Queue()
    let lines = Array(String(repeating: "line\n", count: RequestLog.Queue.maximumBytes).utf8)
    for _ in 1...2 {
      queue.add(lines)
      #expect(queue.next(in: .text) == lines)
    }
  }

  @Test("has the server's notices between its lines, written by one thread, so that none is written into another")
  func notices() throws {
    let written = Locked<[[UInt8]]>([])
    for format in [.text, .off] as [MockServer.Options.LogFormat] {
      let log = RequestLog(format) { lines in written.withLock { $0.append(lines) } }
      let application = Application(seeds: try SeedData.embedded(), requestLog: log)
      let client = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
      client.receive(Array(wire("GET", "/users/1").utf8)[...])
      application.state.notify("the disk is full")
      client.receive(Array(wire("GET", "/users/2").utf8)[...])
      log.finish()
      let lines = String(decoding: written.withLock { $0.joined() }, as: UTF8.self).split(separator: "\n")
      let texts = lines.map { $0.split(separator: " GET ").last ?? "" }.map { $0.prefix(8) }
      #expect(texts == (format == .off ? ["the disk"] : ["/users/1", "the disk", "/users/2"]), "\(lines)")
      written.withLock { $0 = [] }
    }
  }

  @Test("does not drop a notice with the lines for which a slow reader has no room")
  func noticeInFlood() {
    var queue = RequestLog.Queue()
    let lines = Array(String(repeating: "line\n", count: 100_000).utf8)
    let notice = Array("the disk is full\n".utf8)
    for _ in 0..<3 { queue.add(lines) }
    queue.add(notice, upTo: RequestLog.Queue.maximumBytesWithNotices)
    let text = "understudy: 100000 lines were dropped, because the reader of this log was slow\n"
    #expect(queue.next(in: .text) == lines + lines + notice + Array(text.utf8))
  }

  @Test("drops the lines that a slow reader has no room for, and tells their number")
  func dropped() throws {
    var queue = RequestLog.Queue()
    let lines = Array(String(repeating: "line\n", count: 100_000).utf8)
    queue.add(lines)
    queue.add(lines)
    queue.add(lines)
    let text = "understudy: 100000 lines were dropped, because the reader of this log was slow\n"
    #expect(queue.next(in: .text) == lines + lines + Array(text.utf8))
    #expect(queue.next(in: .text) == nil)
    for _ in 0..<3 { queue.add(lines) }
    let last = try #require(queue.next(in: .json)?.split(separator: UInt8(ascii: "\n")).last)
    #expect(try JSONValue(parsing: last)["dropped"]?.int == 100_000)
  }
}
