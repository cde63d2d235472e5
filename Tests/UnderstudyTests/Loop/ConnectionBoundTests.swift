import Contract
import Foundation
import HTTP1
import Primitives
import Services
import Testing

@testable import Report
@testable import Understudy

@Suite("Limits of a waiting connection")
struct ConnectionBoundTests {
  private static let seeds: Result<SeedData, any Error> = Result { try .embedded() }

  private func connection() throws -> HeldConnection {
    HeldConnection(
      peer: "peer", port: Labels(), application: Application(seeds: try Self.seeds.get()), timeouts: Timeouts())
  }

  @Test("while a response is delayed, the connection reads no more than the read-ahead of later requests")
  func readAhead() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/1", "Prefer: delay=1h").utf8)[...])
    let piece = Array(String(repeating: "G", count: 1 << 10).utf8)[...]
    var taken = 0
    while connection.wantsToRead, taken < 1 << 20 {
      connection.receive(piece)
      taken += piece.count
    }
    #expect(taken == ServerConnection.readAhead)
    connection.resume()
    #expect(connection.output.pending > 0)
  }

  @Test("a peer that accepts no output during a delay is disconnected after the write timeout")
  func vanishes() throws {
    let connection = try connection()
    let requests = wire("GET", "/users/1") + wire("GET", "/users/2", "Prefer: delay=1h")
    connection.receive(Array(requests.utf8)[...])
    #expect(connection.output.pending > 0 && connection.wakeUp != nil)
    #expect(connection.timeout != .distantFuture)
    connection.expire()
    #expect(connection.pendingAction == .close)
    let journal = try #require(connection.application.state.sandboxes[nil]).traffic.journal
    #expect(journal.entries(after: 0, limit: 2).allSatisfy { $0.outcome == .peerGone })
  }

  @Test(
    "a peer that sends FIN during a delay is sent the response, and counts as gone only if it leaves without it",
    arguments: [("1h", false, ExchangeOutcome.sent), ("1h", true, .peerGone), ("0ms", false, .sent)])
  func finishes(delay: String, isLeaving: Bool, outcome: ExchangeOutcome) throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/1", "Prefer: delay=\(delay)").utf8)[...])
    connection.finish()
    connection.resume()
    #expect(connection.output.pending > 0)
    if isLeaving { connection.disconnect() } else { connection.didReceiveResponse() }
    let journal = try #require(connection.application.state.sandboxes[nil]).traffic.journal
    #expect(journal.entries(after: 0, limit: 1).map(\.outcome) == [outcome])
  }

  @Test(
    "a response whose receipt is unknown counts as received some seconds after its last byte was sent",
    arguments: [(isTaken: true, outcome: ExchangeOutcome.sent), (isTaken: false, outcome: .peerGone)])
  func unknownReceipt(isTaken: Bool, outcome: ExchangeOutcome) throws {
    let clock = ManualClock()
    let application = Application(seeds: try Self.seeds.get(), clocks: clock.clocks)
    let connection = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    connection.receive(Array(wire("GET", "/users/1", "Prefer: delay=1h").utf8)[...])
    connection.finish()
    clock.advance(by: .seconds(3_600))
    connection.resume()
    clock.advance(by: .seconds(6))
    connection.resume()
    #expect(connection.awaitsReceipt, "the peer's system takes its time")
    if isTaken {
      connection.didSend(connection.output.pending)
      clock.advance(by: .seconds(4))
      connection.resume()
      #expect(connection.awaitsReceipt)
    }
    clock.advance(by: .seconds(2))
    connection.resume()
    #expect(connection.awaitsReceipt != isTaken)
    connection.disconnect()
    let journal = try #require(application.state.sandboxes[nil]).traffic.journal
    #expect(journal.entries(after: 0, limit: 1).map(\.outcome) == [outcome])
  }

  @Test("a response that was not deliverable as planned stays so if the peer has left, too")
  func undeliverable() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/1", "Prefer: delay=1h, fault=truncate; events=2").utf8)[...])
    connection.finish()
    connection.resume()
    connection.disconnect()
    let journal = try #require(connection.application.state.sandboxes[nil]).traffic.journal
    #expect(journal.entries(after: 0, limit: 1).map(\.outcome) == [.notDeliverable])
  }

  @Test("a peer that does not accept its response in time is disconnected, even without other exchanges")
  func takesNothing() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/1").utf8)[...])
    #expect(connection.output.pending > 0 && connection.state.phase == .idle)
    connection.expire()
    #expect(connection.pendingAction == .close && connection.output.pending == 0)
  }

  @Test("complete requests before FIN are answered after a delay")
  func wholeRequests() throws {
    let connection = try connection()
    let requests = wire("GET", "/users/1", "Prefer: delay=1h") + wire("GET", "/users/2")
    connection.receive(Array(requests.utf8)[...])
    connection.finish()
    connection.resume()
    connection.didReceiveResponse()
    let text = String(decoding: connection.output.bytes, as: UTF8.self)
    #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
    connection.didSend(connection.output.pending)
    #expect(connection.pendingAction == .shutDown)
  }

  @Test("bytes that arrive after the connection was abandoned are dropped")
  func bytesAfterEnd() throws {
    let connection = try connection()
    connection.expire()
    #expect(connection.pendingAction == .shutDown)
    connection.receive(Array(repeating: 0x20, count: 1 << 10)[...])
    var isEmpty = connection.parser.isIdle
    #expect(isEmpty)
    connection.didShutDown()
    connection.receive(Array(repeating: 0x20, count: 1 << 10)[...])
    isEmpty = connection.parser.isIdle
    #expect(isEmpty && connection.state.phase == .lingering)
  }

  @Test("only responses that were not sent completely count as lost")
  func lostResponses() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/1").utf8)[...])
    let first = connection.output.pending
    connection.receive(Array(wire("GET", "/users/2").utf8)[...])
    connection.didSend(first + 1)
    connection.disconnect()
    let journal = try #require(connection.application.state.sandboxes[nil]).traffic.journal
    #expect(journal.entries(after: 0, limit: 9).sorted { $0.id < $1.id }.map(\.outcome) == [.sent, .peerGone])
  }

  @Test("a reader of the journal that accepts nothing is sent no more than the limit")
  func unreadStream() throws {
    let reader = try connection()
    reader.receive(Array(wire("GET", "/_mock/journal/stream").utf8)[...])
    let application = reader.application
    let writer = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    let body = "{\"name\":\"\(String(repeating: "x", count: 4_000))\"}"
    for _ in 0..<300 {
      writer.receive(Array(wire("POST", "/users", body: body).utf8)[...])
      writer.didSend(writer.output.pending)
      var budget = JournalFollower.Budget()
      reader.follow(within: &budget)
    }
    #expect(reader.output.count >= ServerConnection.highWater)
    #expect(reader.output.count < 2 * ServerConnection.highWater)
  }

  @Test("a stream whose sandbox is deleted ends, even if there is a new one of its name, and the next request begins")
  func deletedSandbox() throws {
    let reader = try connection()
    let writer = HeldConnection(peer: "peer", port: Labels(), application: reader.application, timeouts: Timeouts())
    func send(_ request: String) {
      writer.receive(Array(request.utf8)[...])
      writer.didSend(writer.output.pending)
    }
    let body = #"{"name":"s"}"#
    send(wire("POST", "/_mock/sandboxes", body: body))
    reader.receive(Array((wire("GET", "/@s/_mock/journal/stream") + wire("GET", "/users/1")).utf8)[...])
    reader.didSend(reader.output.pending)
    #expect(reader.isStreaming)
    send(wire("DELETE", "/_mock/sandboxes/s"))
    send(wire("POST", "/_mock/sandboxes", body: body))
    var budget = JournalFollower.Budget()
    reader.follow(within: &budget)
    #expect(!reader.isStreaming && reader.wakeUp == nil)
    #expect(String(decoding: reader.output.bytes, as: UTF8.self).contains("Leanne Graham"))
  }

  @Test("a connection that is to be reset begins no request when the network switch releases its response")
  func releasedAfterReset() throws {
    let connection = try connection()
    let state = connection.application.state
    let sandbox = try #require(state.sandboxes[nil])
    try state.switchNetwork(of: sandbox, to: .held)
    connection.receive(Array((wire("GET", "/users/1") + wire("GET", "/users/2")).utf8)[...])
    connection.reset()
    try state.switchNetwork(of: sandbox, to: .online)
    connection.release()
    #expect(connection.pendingAction == .reset && connection.output.count == 0)
    let requests = sandbox.traffic.journal.entries(after: 0, limit: 9).filter { $0.method != nil }
    #expect(requests.map(\.outcome) == [.reset])
  }

  @Test("an idle connection holds no storage")
  func rests() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users").utf8)[...])
    connection.didSend(connection.output.pending)
    #expect(connection.output.bytes.capacity > 0)
    connection.rest()
    #expect(connection.output.bytes.capacity == 0 && connection.isIdle)
  }

  @Test("a peer that has accepted all output waits as long as the plan's delay")
  func mayWait() throws {
    let connection = try connection()
    connection.receive(Array(wire("GET", "/users/2", "Prefer: delay=1h").utf8)[...])
    #expect(connection.timeout == .distantFuture && connection.wakeUp != nil)
  }
}
