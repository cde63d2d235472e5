import Testing

@testable import HTTP1
@testable import Primitives

@Suite("The server's end of a connection, without a socket and a clock")
struct ServerConnectionTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000)

  private static func receive(_ text: String, _ connection: inout ServerConnection) {
    connection.receive(Array(text.utf8)[...], isBusy: false)
  }

  /// Returns the path of the next request; `nil` if there is none, or the status of a rejection.
  private static func next(
    _ connection: inout ServerConnection, at now: MonotonicInstant = start, isDeferred: Bool = false
  ) -> String? {
    switch connection.next(at: now, isDeferred: isDeferred) {
    case nil: nil
    case .request?: path(connection.takeRequest())
    case .expectsContinue?: "100 " + path(connection.unfinishedRequest)
    case .contentIsLong?: "long " + path(connection.unfinishedRequest)
    case .rejected(let rejection)?: String(rejection.status)
    }
  }

  private static func path(_ request: borrowing Request) -> String { request.text(request.path) }

  private static func respond(_ connection: inout ServerConnection) {
    _ = connection.beginResponse(to: .http11)
    connection.output.bytes += "HTTP/1.1 204 No Content\r\n\r\n".utf8
    connection.output.releaseAll()
    connection.endResponse()
  }

  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

  @Test("returns each pipelined request after the response to the one before")
  func pipelined() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive(Self.get("/1") + Self.get("/2"), &connection)
    let first = Self.next(&connection)
    let early = Self.next(&connection)
    Self.respond(&connection)
    let second = Self.next(&connection)
    #expect([first, early, second] == ["/1", nil, "/2"])
  }

  @Test("keeps a deferred request, and reads nothing behind it")
  func deferred() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive(Self.get("/1"), &connection)
    let none = Self.next(&connection, isDeferred: true)
    let isReading = connection.actions().wantsToRead
    let later = Self.next(&connection)
    #expect(none == nil && !isReading && later == "/1")
  }

  @Test("reports a client that waits before its content, and discards the content after a final response")
  func expectation() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive("PUT /1 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", &connection)
    let waiting = Self.next(&connection)
    connection.giveUpRequest()
    Self.respond(&connection)
    Self.receive("ok" + Self.get("/2"), &connection)
    let next = Self.next(&connection)
    let action = connection.actions().pending
    #expect(waiting == "100 /1" && next == nil && action == .shutDown)
  }

  @Test("counts the time for a head from its first byte, however slowly the rest arrives")
  func slowHead() {
    let timeouts = Timeouts()
    var connection = ServerConnection(timeouts: timeouts, at: Self.start)
    var now = Self.start
    for byte in "GET /" {
      Self.receive(String(byte), &connection)
      _ = Self.next(&connection, at: now)
      now = now + .seconds(1)
    }
    let timeout = connection.timeout
    #expect(timeout == Self.start + timeouts.head)
    let expiration = connection.expire()
    guard case .request = expiration else {
      Issue.record("expired as \(expiration)")
      return
    }
    let phase = connection.state.phase
    #expect(phase == .mustRespondLast)
  }

  @Test("closes an idle connection without a response, and ends one whose peer accepts nothing")
  func expired() {
    var idle = ServerConnection(timeouts: Timeouts(), at: Self.start)
    var busy = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive(Self.get("/1"), &busy)
    _ = Self.next(&busy)
    Self.respond(&busy)
    let (first, second) = ("\(idle.expire())", "\(busy.expire())")
    let action = idle.actions().pending
    #expect(first == "idle" && action == .shutDown && second == "stalled")
  }

  @Test("makes the response to a request that arrives while it drains the last one")
  func draining() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    connection.drain()
    Self.receive(Self.get("/1") + Self.get("/2"), &connection)
    _ = Self.next(&connection)
    let option = connection.beginResponse(to: .http11)
    connection.endResponse()
    let next = Self.next(&connection)
    #expect(option == .close && next == nil)
  }

  @Test("refuses a request that its peer cut off, and closes quietly between two requests", arguments: ["", "GET /1"])
  func finished(text: String) {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive(text, &connection)
    let mayContinue = connection.finish()
    let next = Self.next(&connection)
    let action = connection.actions().pending
    #expect(mayContinue && next == (text.isEmpty ? nil : "400") && (action == .shutDown) == text.isEmpty)
  }

  @Test("lets no timeout end a complete request that waits for its turn")
  func deferredTimeout() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive(Self.get("/1"), &connection)
    _ = Self.next(&connection, isDeferred: true)
    let timeout = connection.timeout
    #expect(timeout == .distantFuture)
  }

  @Test("gives a peer that accepts nothing the same time, however often its owner goes on")
  func blockedPeer() {
    let timeouts = Timeouts()
    var connection = ServerConnection(timeouts: timeouts, at: Self.start)
    Self.receive(Self.get("/1"), &connection)
    _ = Self.next(&connection)
    _ = connection.beginResponse(to: .http11)
    connection.output.bytes += "HTTP/1.1".utf8
    connection.output.releaseAll()
    connection.awaitOwner(at: Self.start)
    connection.awaitOwner(at: Self.start + .seconds(5))
    let blocked = connection.timeout
    _ = connection.didSend(1, at: Self.start + .seconds(7), isBusy: true)
    connection.awaitOwner(at: Self.start + .seconds(9))
    let later = connection.timeout
    #expect(blocked == Self.start + timeouts.writing && later == Self.start + .seconds(7) + timeouts.writing)
  }

  @Test("gives a peer time to accept the rest of a response, also where another request may follow")
  func restOfResponse() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive(Self.get("/1"), &connection)
    _ = Self.next(&connection)
    Self.respond(&connection)
    let mayGoOn = connection.didSend(1, at: Self.start + .seconds(7), isBusy: false)
    let timeout = connection.timeout
    #expect(!mayGoOn && timeout == Self.start + .seconds(7) + Timeouts().writing)
  }

  @Test("begins no request after it was reset")
  func resetBeforeRequest() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    Self.receive(Self.get("/1"), &connection)
    _ = connection.reset()
    let next = Self.next(&connection)
    #expect(next == nil)
  }

  @Test("resets only as long as the connection is open")
  func reset() {
    var connection = ServerConnection(timeouts: Timeouts(), at: Self.start)
    _ = connection.reset()
    let open = connection.actions().pending
    _ = connection.disconnect()
    let closed = connection.actions().pending
    #expect(open == .reset && closed == .close)
  }
}
