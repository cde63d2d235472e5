import HTTP1
import Primitives
import Testing

@Suite("The client's side of a connection")
struct ClientConnectionTests {
  private static let request = Array("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)

  private static func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 0) + NanosecondDuration.milliseconds(milliseconds)
  }

  private static func connection(addresses: Int = 1, toHead: Bool = false) -> ClientConnection {
    ClientConnection(
      request, isToHead: toHead, addressCount: addresses, timeout: .seconds(1), at: MonotonicInstant(nanoseconds: 0))
  }

  /// A connection that has sent its request.
  private static func sent() -> ClientConnection {
    var connection = connection()
    _ = connection.next()
    connection.didConnect()
    connection.didSend(request.count)
    return connection
  }

  /// Returns the actions until there is none, as text.
  private static func actions(_ connection: inout ClientConnection) -> [String] {
    var actions: [String] = []
    while let action = connection.next() {
      switch action {
      case .resolve: actions.append("resolve")
      case .connect(let index): actions.append("connect \(index)")
      case .head(let head): actions.append("head \(head.status)")
      case .content(let bytes): actions.append("content \(String(decoding: bytes, as: UTF8.self))")
      case .end: actions.append("end")
      case .fail(let failure): actions.append("\(failure)")
      }
    }
    return actions
  }

  @Test("connects, sends the request in the parts that are accepted, and reads the response")
  func exchange() {
    var connection = Self.connection()
    #expect(Self.actions(&connection) == ["connect 0"])
    #expect(!connection.wantsToSend && !connection.wantsToReceive)
    connection.didConnect()
    #expect(connection.wantsToSend && connection.wantsToReceive && connection.unsent == 0..<Self.request.count)
    connection.didSend(10)
    #expect(connection.unsent == 10..<Self.request.count)
    connection.didSend(Self.request.count - 10)
    #expect(!connection.wantsToSend)
    connection.receive(Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Len".utf8), at: Self.at(1))
    #expect(Self.actions(&connection) == [])
    connection.receive(Array("gth: 5\r\n\r\nhel".utf8), at: Self.at(2))
    #expect(Self.actions(&connection) == ["head 200", "content hel"])
    connection.receive(Array("lo".utf8), at: Self.at(3))
    #expect(Self.actions(&connection) == ["content lo", "end"])
    #expect(connection.deadline == nil && !connection.wantsToReceive)
  }

  @Test("tries each address, and fails if none accepts the connection")
  func addresses() {
    var connection = Self.connection(addresses: 3)
    #expect(Self.actions(&connection) == ["connect 0"])
    connection.didFailToConnect()
    #expect(Self.actions(&connection) == ["connect 1"])
    #expect(
      connection.deadline! > Self.at(333) && connection.deadline! < Self.at(667), "an address gets its part of the time"
    )
    connection.expire(at: Self.at(667))
    #expect(Self.actions(&connection) == ["connect 2"])
    connection.didFailToConnect()
    #expect(Self.actions(&connection) == ["unreachable"])
    #expect(connection.deadline == nil)
  }

  @Test("waits until the addresses are known, counts that time, too, and gives each address an equal part of the rest")
  func resolves() {
    var connection = Self.connection(addresses: 0)
    #expect(Self.actions(&connection) == ["resolve"] && connection.deadline == Self.at(1_000))
    connection.didResolve(addressCount: 2, at: Self.at(600))
    #expect(Self.actions(&connection) == ["connect 0"] && connection.deadline == Self.at(800))
    connection.didResolve(addressCount: 1, at: Self.at(601))
    #expect(Self.actions(&connection) == [])
    connection.expire(at: Self.at(799))
    #expect(Self.actions(&connection) == [])
    connection.expire(at: Self.at(800))
    #expect(Self.actions(&connection) == ["connect 1"] && connection.deadline == Self.at(1_000))
    connection.didConnect()
    #expect(connection.deadline == Self.at(1_000), "the head is to come within the same time")
    var nameless = Self.connection(addresses: 0)
    #expect(Self.actions(&nameless) == ["resolve"])
    nameless.didResolve(addressCount: 0, at: Self.at(1))
    #expect(Self.actions(&nameless) == ["unreachable"])
    var late = Self.connection(addresses: 0)
    #expect(Self.actions(&late) == ["resolve"])
    late.expire(at: Self.at(1_000))
    late.didResolve(addressCount: 1, at: Self.at(1_001))
    #expect(Self.actions(&late) == ["unreachable"])
  }

  @Test("is unreachable if no address decides in time, because nothing was sent")
  func silentAddress() {
    var connection = Self.connection()
    _ = connection.next()
    connection.expire(at: Self.at(999))
    #expect(Self.actions(&connection) == [])
    connection.expire(at: Self.at(1_000))
    #expect(Self.actions(&connection) == ["unreachable"])
  }

  @Test("counts the time until the head from the beginning, whatever arrives before, and then between bytes")
  func timeouts() {
    var connection = Self.sent()
    connection.receive(Array("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n".utf8), at: Self.at(900))
    #expect(Self.actions(&connection) == [] && connection.deadline == Self.at(1_000))
    connection.receive(Array("\r\n".utf8), at: Self.at(950))
    #expect(Self.actions(&connection) == ["head 200"] && connection.deadline == Self.at(1_950))
    for second in 1...9 {
      connection.receive(Array("x".utf8), at: Self.at(Int64(second) * 900))
      #expect(Self.actions(&connection) == ["content x"] && connection.deadline == Self.at(Int64(second) * 900 + 1_000))
    }
    connection.expire(at: Self.at(9_100))
    #expect(Self.actions(&connection) == ["timeout"])
  }

  @Test("reads nothing and counts no time while it is paused")
  func pause() {
    var connection = Self.sent()
    connection.receive(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8), at: Self.at(1))
    #expect(Self.actions(&connection) == ["head 200", "content abc"])
    connection.pause()
    #expect(!connection.wantsToReceive && connection.deadline == nil)
    connection.finish()
    connection.expire(at: Self.at(5_000))
    #expect(Self.actions(&connection) == [])
    connection.resume(at: Self.at(6_000))
    #expect(Self.actions(&connection) == ["end"])
  }

  @Test("reads a response that comes before all of the request was accepted")
  func early() {
    var connection = Self.connection()
    _ = connection.next()
    connection.didConnect()
    connection.didFailToSend()
    #expect(!connection.wantsToSend && Self.actions(&connection) == [])
    connection.receive(Array("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n".utf8), at: Self.at(1))
    connection.finish(isBroken: true)
    #expect(Self.actions(&connection) == ["head 413", "end"])
  }

  @Test(
    "fails if the response is no HTTP, is cut, or switches to another protocol",
    arguments: [
      ("", "malformed(HTTP1.ResponseError.empty)"), ("SSH-2.0\r\n", "malformed(HTTP1.ResponseError.statusLine)"),
      ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "malformed(HTTP1.ResponseError.statusLine)"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "malformed(HTTP1.ResponseError.cut)"),
      ("HTTP/1.1 200 OK\r\n\r\nhello", "malformed(HTTP1.ResponseError.cut)"),
    ])
  func malformed(bytes: String, failure: String) {
    var connection = Self.sent()
    connection.receive(Array(bytes.utf8), at: Self.at(1))
    connection.finish(isBroken: true)
    #expect(Self.actions(&connection).last == failure)
    #expect(Self.actions(&connection) == [], "it has ended")
  }

  @Test("reads no content after a response to HEAD")
  func head() {
    var connection = Self.connection(toHead: true)
    _ = connection.next()
    connection.didConnect()
    connection.receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".utf8), at: Self.at(1))
    #expect(Self.actions(&connection) == ["head 200", "end"])
  }
}
