import Contract
import Foundation
import Fuzzing
import LiveTesting
import Loopback
import Testing

@testable import Conformance

/// The conformance suite's own parser: it must not accept an invalid response.
@Suite("Reading answers", .live)
struct AnswerTests {
  @Test("a number has digits alone", arguments: ["+20", "-20", " 20", "2 0", "0x2", "2_0", "", "²"])
  func numbers(text: String) {
    #expect(ReceivedResponse.number(text) == nil)
    #expect(ReceivedResponse.number("+" + text, radix: 16) == nil)
    #expect(ReceivedResponse(head: "HTTP/1.1 \(text) OK", asked: "GET /") == nil)
  }

  @Test(
    "a head in which a client could see another line is refused",
    arguments: ["OK\rX: 1", "OK\nX: 1", "OK\r\nX: 1\r2", "OK\r\nX: 1\n2", "OK\r\nX: \u{0}"])
  func loneLineEnds(rest: String) {
    #expect(ReceivedResponse(head: "HTTP/1.1 200 \(rest)", asked: "GET /") == nil)
  }

  @Test(
    "a connection is kept as its version and its tokens say, whatever stands beside them",
    arguments: [
      ("1.1", nil, true), ("1.1", "close", false), ("1.1", "x, Close", false), ("1.1", "close,upgrade", false),
      ("1.1", "closed", true), ("1.0", nil, false), ("1.0", "Keep-Alive", true), ("1.0", "x , keep-alive", true),
      ("1.0", "keep-alive, close", false),
    ] as [(String, String?, Bool)])
  func keeps(version: String, option: String?, isKept: Bool) throws {
    let field = option.map { "\r\nConnection: \($0)" } ?? ""
    let answer = try #require(ReceivedResponse(head: "HTTP/\(version) 200 OK\(field)", asked: "GET /"))
    #expect(answer.keepsConnection == isKept)
  }

  @Test("an undeclared status is reported as such, even if the rest is correct")
  func undeclared() throws {
    for operation in API.all.flatMap(\.operations) {
      let answer = try #require(ReceivedResponse(head: "HTTP/1.1 299 OK", asked: "GET /"))
      let finding = #expect(throws: Finding.self) { try answer.hold(to: operation) }
      guard case .failed(let expected, _)? = finding else { continue }
      #expect(expected.hasPrefix("a declared status ("), "\(operation.id): \(expected)")
    }
  }

  @Test("bytes between a chunk and the next one's size are refused", arguments: [("\r\n", true), ("X\r\n", false)])
  func chunkEnd(end: String, isSound: Bool) throws {
    let door = try BoundListener()
    defer { door.shut() }
    let addresses = SocketAddress.resolve("127.0.0.1", port: door.port)
    let connection = try #require(Connection(to: addresses, until: .now + Patience.limit))
    let link = try #require(door.next())
    link.send(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\(end)0\r\n\r\n".utf8))
    link.finishWriting()
    do throws(Finding) {
      #expect(try connection.answer(to: "GET /").text == "hello" && isSound)
    } catch {
      guard case .failed(let expected, _) = error else { throw error }
      #expect(expected == "CRLF after a chunk" && !isSound)
    }
  }

  private static let corpus = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello", "HTTP/1.1 204 No Content\r\nX:\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0A;x=y\r\n0123456789\r\n0\r\nA: b\r\n\r\n",
    "HTTP/1.0 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nuntil the end",
    "HTTP/1.1 100 Continue\r\n\r\n",
  ].map { Array($0.utf8) }
  private static let telling = [
    "\r\n", "\r\n\r\n", "\r", "\n", ":", " ", "\t", ";", "+", "-", "0", "FFFFFFFFFFFFFFFF", "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n", "\u{0}", "\u{301}", "é", "HTTP/1.1 200 OK\r\n",
  ].map { Array($0.utf8) }

  @Test("a damaged head is refused, or read as the fields that it holds")
  func heads() {
    Fuzz("answers' heads", rounds: 5_000).run { random, note in
      var bytes = Self.corpus.randomElement(using: &random) ?? []
      random.mutate(&bytes, telling: Self.telling)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let answer = ReceivedResponse(head: text, asked: "GET /") else { return }
      #expect((0...999).contains(answer.status), "\(note): \(text.debugDescription)")
      for field in answer.fields {
        #expect(!field.name.isEmpty && !field.name.contains(" ") && !field.name.contains("\r\n"), "\(note)")
        #expect(field.value.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A }, "\(note)")
        #expect(
          field.value.isEmpty || answer[field.name]?.contains(field.value) == true, "\(note): \(text.debugDescription)")
      }
      #expect(!answer.evidence.contains("\n"), "\(note)")
    }
  }

  @Test("a connection is made once, and what is sent goes over the one that the server sees")
  func connectsOnce() throws {
    let door = try BoundListener()
    let addresses = SocketAddress.resolve("127.0.0.1", port: door.port)
    let connection = try #require(Connection(to: addresses, until: .now + Patience.limit))
    try connection.send("hello")
    let link = try #require(door.next())
    #expect(link.receive(), "the first connection that came was given up at once")
    #expect(link.received == Array("hello".utf8))
  }

  @Test("damaged answers are read the same however they are cut, and none crashes or hangs the reader")
  func answers() throws {
    let door = try BoundListener()
    defer { door.shut() }
    let feed = Feed()
    Thread.detachNewThread {
      while let link = door.next() {
        for piece in feed.take() { link.send(Array(piece)) }
        link.finishWriting()
        link.receive()
      }
    }
    let addresses = SocketAddress.resolve("127.0.0.1", port: door.port)
    func read(_ pieces: [ArraySlice<UInt8>]) -> String {
      feed.give(pieces)
      guard let connection = Connection(to: addresses, until: .now + Patience.limit) else { return "no connection" }
      do throws(Finding) {
        let answer = try connection.answer(to: "GET /")
        return "\(answer.status) \(answer.fields) \(answer.body)"
      } catch {
        return "\(error)"
      }
    }
    try Fuzz("answers", rounds: 200).run { random, note in
      var bytes = Self.corpus.randomElement(using: &random) ?? []
      random.mutate(&bytes, telling: Self.telling)
      let whole = read([bytes[...]])
      try #require(whole != "no connection")
      #expect(!whole.contains("silence"), "\(note): \(bytes)")
      #expect(read(random.cut(bytes)) == whole, "\(note): \(bytes)")
    }
  }
}

@Suite("Connecting", .live)
struct ConnectingTests {
  @Test("is done once, and what is sent comes in the connection that was made first")
  func once() throws {
    let door = try BoundListener()
    defer { door.shut() }
    let addresses = SocketAddress.resolve("127.0.0.1", port: door.port)
    let connection = try #require(Connection(to: addresses, until: .now + Patience.limit))
    try connection.send("hello")
    let link = try #require(door.next())
    #expect(link.receive() && link.received == Array("hello".utf8))
  }
}

/// The bytes for the next connection.
private final class Feed: @unchecked Sendable {
  private let lock = NSLock()
  private var pieces: [ArraySlice<UInt8>] = []

  func give(_ pieces: [ArraySlice<UInt8>]) { lock.withLock { self.pieces = pieces } }
  func take() -> [ArraySlice<UInt8>] { lock.withLock { pieces } }
}
