import Contract
import Testing

@testable import Understudy

@Suite("What a connection may keep waiting")
struct ConnectionBoundTests {
  private static let seeds: Result<SeedData, any Error> = Result { try .embedded() }

  private func connection() throws -> Connection {
    Connection(
      peer: "peer", port: Labels(), backend: Backend(seeds: try Self.seeds.get()), timeouts: Timeouts())
  }

  @Test("while a response is waited for, no more than the read-ahead and one reading is taken of what comes behind it")
  func readAhead() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/1", "Prefer: delay=1h").utf8)[...])
    let piece = Array(String(repeating: "G", count: 1 << 10).utf8)[...]
    var taken = 0
    while connection.wantsToRead, taken < 1 << 20 {
      connection.receive(piece)
      taken += piece.count
    }
    #expect(taken == Connection.readAhead)
    connection.wakeUp = nil
    connection.resume()
    #expect(connection.output.pending > 0)
  }

  @Test("a peer that takes nothing and vanishes while a plan sleeps is given up after the time for writing")
  func vanishes() throws {
    let connection = try connection()
    let requests = wire("GET", "/users/1") + wire("GET", "/users/2", "Prefer: delay=1h")
    connection.receive(Array(requests.utf8)[...])
    #expect(connection.output.pending > 0 && connection.wakeUp != nil)
    #expect(connection.timeout != .distantFuture)
    connection.expire()
    #expect(connection.wish == .close)
    let journal = try #require(connection.backend.sandboxes[nil]).journal
    #expect(journal.entries(after: 0, limit: 2).allSatisfy { $0.outcome == .peerGone })
  }

  @Test("a connection that rests holds no storage")
  func rests() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users").utf8)[...])
    connection.didSend(connection.output.pending)
    #expect(connection.output.bytes.capacity > 0)
    connection.rest()
    #expect(connection.output.bytes.capacity == 0 && connection.isIdle)
  }

  @Test("a peer that has taken all may be kept waiting as long as the plan has it")
  func mayWait() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/2", "Prefer: delay=1h").utf8)[...])
    #expect(connection.timeout == .distantFuture && connection.wakeUp != nil)
  }
}
