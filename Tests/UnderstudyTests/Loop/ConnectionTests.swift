import Contract
import HTTP1
import LiveTesting
import Platform
import Services
import Testing

@testable import Primitives
@testable import Understudy

/// The simulation drives connections with a peer's actions in any order; these are their bounds and timeouts.
@Suite("A connection without a socket")
struct ConnectionTests {
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

  @Test("answers all requests before FIN, even if the peer has yet to read earlier responses")
  func finishWhileHeld() throws {
    let application = try application()
    let connection = HeldConnection(peer: "?", port: Labels(), application: application, timeouts: Timeouts())
    let count = 200
    connection.receive(Array(String(repeating: wire("GET", "/users"), count: count).utf8)[...])
    #expect(!connection.wantsToRead, "the mark is reached")
    connection.didSend(connection.output.pending - 1)
    connection.finish()
    var text = ""
    while connection.output.pending > 0 {
      let (bytes, range) = connection.output.next(atMost: 64 << 10)
      text += String(decoding: bytes[range], as: UTF8.self)
      connection.didSend(range.count)
    }
    #expect(connection.pendingAction == .shutDown)
    connection.didShutDown()
    #expect(connection.pendingAction == .close)
    #expect(application.state.sandboxes[nil]?.traffic.journal.lastID == count)
    #expect(!text.contains("HTTP/1.1 400"))
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
