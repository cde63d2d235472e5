import Contract
import HTTP1
import LiveTesting
import Platform
import Services
import Testing

@testable import Primitives
@testable import Understudy

/// Drives `Connection` without a socket, with a peer's actions in any order.
@Suite("A connection without a socket")
struct ConnectionTests {
  /// A connection, the bytes that a peer will send, and those that it received.
  private struct Drive {
    let connection: HeldConnection
    var outgoing: [UInt8]
    /// The number of complete valid requests at the beginning of `outgoing`.
    let goodRequests: Int
    var sent = 0
    var isShutDown = false
    var hasFinished = false
    var incoming: [UInt8] = []

    /// Does the loop's work after each event; `capacity` is the capacity of the socket.
    mutating func flush(_ capacity: Int) {
      var room = capacity
      while connection.output.pending > 0, room > 0 {
        let count = min(room, connection.output.pending)
        incoming += connection.output.bytes[connection.output.sent..<connection.output.sent + count]
        room -= count
        connection.didSend(count)
      }
      guard connection.output.pending == 0, connection.pendingAction == .shutDown, !isShutDown else { return }
      isShutDown = true
      connection.didShutDown()
    }

    mutating func receive(_ count: Int) {
      guard connection.wantsToRead else { return }
      let end = min(outgoing.count, sent + count)
      if end == sent { return finish() }
      connection.receive(outgoing[sent..<end])
      sent = end
    }

    mutating func finish() {
      guard connection.wantsToRead, !hasFinished else { return }
      hasFinished = true
      connection.finish()
    }
  }

  private static let application: Result<SeedData, any Error> = Result { try SeedData.embedded() }

  private func application() throws -> Application { Application(seeds: try Self.application.get()) }

  @Test("holds no more output for a client that reads slowly than for one that never reads")
  func readsSlowly() throws {
    let connection = HeldConnection(peer: "peer", port: Labels(), application: try application(), timeouts: Timeouts())
    let request = Array(wire("GET", "/users").utf8)[...]
    connection.receive(request)
    let response = connection.output.pending
    var heaviest = 0
    for _ in 0..<2_000 {
      if connection.wantsToRead { connection.receive(request) }
      heaviest = max(heaviest, connection.output.bytes.count)
      // As long as it gets more requests, one response is always unsent.
      if connection.output.pending > response {
        connection.didSend(response)
      } else if !connection.wantsToRead {
        connection.didSend(connection.output.pending)
      }
    }
    #expect(heaviest <= ServerConnection.highWater + 2 * response)
  }

  private static let good = [
    wire("GET", "/users/1"), wire("GET", "/users"), wire("HEAD", "/devices"), wire("POST", "/book", body: "{}"),
    "\r\n" + wire("GET", "/users/2"), wire("OPTIONS", "*"),
    wire("POST", "/book", "Expect: 100-continue", body: "{\"name\":null}"),
    wire("POST", "/book", "Transfer-Encoding: chunked") + "2\r\n{}\r\n0\r\n\r\n",
  ]
  private static let last = [
    "", "\r\n", "\r", "GET", "GET / HTTP/1.1\r\nHost", wire("POST", "/book", "Content-Length: 9") + "{", "bad\r\n\r\n",
    wire("GET", "/", "Connection: close"), wire("GET", "/", version: "1.0"), "\u{0}\u{1}", wire("GET", "/", "X : y"),
    wire("POST", "/book", "Content-Length: x"), wire("CONNECT", "a:1"),
  ]

  private func drive(_ random: inout SplitMix64, _ application: Application) -> Drive {
    let count = Int.random(in: 0...30, using: &random)
    var text = ""
    for _ in 0..<count { text += Self.good.randomElement(using: &random) ?? "" }
    text += Self.last.randomElement(using: &random) ?? ""
    let connection = HeldConnection(peer: "?", port: Labels(), application: application, timeouts: Timeouts())
    return Drive(connection: connection, outgoing: Array(text.utf8), goodRequests: count)
  }

  @Test("sends responses in order, whatever the order of events", arguments: 1...UInt64(WholeProof.rounds(2, of: 8)))
  func anyEvents(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let application = try application()
    for round in 0..<WholeProof.rounds(150, of: 500) {
      let before = application.state.sandboxes[nil]?.traffic.journal.lastID ?? 0
      var drive = drive(&random, application)
      for _ in 0..<60 where drive.connection.pendingAction != .close { step(&drive, &random) }
      let text = String(decoding: drive.incoming, as: UTF8.self)
      // A closed connection may end within the last line.
      let ids = text.split(separator: "\r\n").dropLast().filter { $0.hasPrefix("Understudy-Request: ") }
      #expect(
        ids == ids.indices.map { "Understudy-Request: \(before + 1 + $0)" }, "seed \(seed), round \(round)")
    }
  }

  private func step(_ drive: inout Drive, _ random: inout SplitMix64) {
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<16: drive.receive(Int.random(in: 1...200, using: &random))
    case 16..<20: drive.receive(4_000)
    case 20..<34: drive.flush(Int.random(in: 0...20_000, using: &random))
    case 34: drive.finish()
    case 35, 36: drive.connection.expire()
    case 37: drive.connection.drain()
    case 38 where Int.random(in: 0..<4, using: &random) == 0: drive.connection.disconnect()
    default: drive.flush(1)
    }
  }

  @Test(
    "answers each valid request once, however the bytes are cut, and then ends", arguments: [1, 7, 64, 4_000])
  func allAnswered(size: Int) throws {
    var random = SplitMix64(seed: UInt64(size))
    let application = try application()
    for round in 0..<WholeProof.rounds(50, of: 150) {
      var drive = drive(&random, application)
      for _ in 0..<20_000 {
        if drive.connection.pendingAction == .close { break }
        drive.receive(Int.random(in: 1...size, using: &random))
        drive.flush(Int.random(in: 0...5_000, using: &random))
      }
      #expect(drive.connection.pendingAction == .close, "size \(size), round \(round): it ends")
      let text = String(decoding: drive.incoming, as: UTF8.self)
      let answers = text.split(separator: "HTTP/1.1 ").count { !$0.hasPrefix("100") }
      #expect((drive.goodRequests...drive.goodRequests + 1).contains(answers), "size \(size), round \(round)")
    }
  }

  @Test("answers all requests before FIN, even if the peer has yet to read earlier responses")
  func finishWhileHeld() throws {
    let application = try application()
    let connection = HeldConnection(peer: "?", port: Labels(), application: application, timeouts: Timeouts())
    let count = 200
    connection.receive(Array(String(repeating: wire("GET", "/users"), count: count).utf8)[...])
    #expect(!connection.wantsToRead, "the mark is reached")
    connection.didSend(connection.output.pending - 1)
    connection.finish()
    var drive = Drive(connection: connection, outgoing: [], goodRequests: count)
    drive.flush(.max)
    #expect(connection.pendingAction == .close)
    #expect(application.state.sandboxes[nil]?.traffic.journal.lastID == count)
    #expect(!String(decoding: drive.incoming, as: UTF8.self).contains("HTTP/1.1 400"))
  }

  @Test("stores a limited number of requests for a peer that reads slowly")
  func hoards() throws {
    let application = try application()
    let connection = HeldConnection(peer: "?", port: Labels(), application: application, timeouts: Timeouts())
    let requests = Array(String(repeating: wire("GET", "/users"), count: 200).utf8)
    var received = 0
    for _ in 0..<1_000 {
      if connection.wantsToRead {
        connection.receive(requests[...])
        received += 200
      }
      connection.didSend(min(1_000, connection.output.pending))
    }
    let answered = application.state.sandboxes[nil]?.traffic.journal.lastID ?? 0
    #expect(received - answered <= 200, "no more requests wait than arrived at once")
  }

  @Test("measures the head's timeout from the first byte, and the idle timeout from the last response")
  func timeouts() throws {
    let now = Locked(MonotonicInstant(nanoseconds: 0))
    let clocks = Clocks(tick: { now.withLock { $0 } }, instant: { Instant(seconds: 0) })
    let application = Application(seeds: try Self.application.get(), clocks: clocks)
    let connection = HeldConnection(peer: "?", port: Labels(), application: application, timeouts: Timeouts())
    func second(_ second: Int64) { now.withLock { $0 = MonotonicInstant(nanoseconds: second * 1_000_000_000) } }
    #expect(connection.timeout.nanoseconds == 75_000_000_000)
    second(1)
    connection.receive(Array("GET /users/1 HTTP/1.1\r\n".utf8)[...])
    #expect(connection.timeout.nanoseconds == 21_000_000_000)
    second(20)
    connection.receive(Array("Host: a\r\n".utf8)[...])
    #expect(connection.timeout.nanoseconds == 21_000_000_000, "a slow peer gets no more time")
    connection.receive(Array("\r\nGET".utf8)[...])
    #expect(connection.timeout.nanoseconds == 40_000_000_000, "the next head has its own timeout")
    connection.didSend(connection.output.pending)
    #expect(connection.timeout.nanoseconds == 40_000_000_000)
    connection.receive(Array(" /users/1 HTTP/1.1\r\nHost: a\r\n\r\n\r".utf8)[...])
    connection.receive(Array("\n".utf8)[...])
    connection.didSend(connection.output.pending)
    second(50)
    connection.receive(Array("GET".utf8)[...])
    #expect(connection.timeout.nanoseconds == 70_000_000_000, "an empty line before it does not start its timeout")
  }
}
