import Contract
import Foundation
import LiveTesting
import Platform
import Testing

@testable import Conformance

/// The conformance suite's own parser: it must not accept an invalid response.
@Suite("The judge's response parser", .live)
struct AnswerTests {
  @Test("refuses a number with anything but digits", arguments: ["+20", "-20", " 20", "2 0", "0x2", "2_0", "", "²"])
  func numbers(text: String) {
    #expect(ReceivedResponse.number(text) == nil)
    #expect(ReceivedResponse.number("+" + text, radix: 16) == nil)
    #expect(ReceivedResponse(head: "HTTP/1.1 \(text) OK", asked: "GET /") == nil)
  }

  @Test(
    "refuses a head with a bare CR, a bare LF or NUL",
    arguments: ["OK\rX: 1", "OK\nX: 1", "OK\r\nX: 1\r2", "OK\r\nX: 1\n2", "OK\r\nX: \u{0}"])
  func loneLineEnds(rest: String) {
    #expect(ReceivedResponse(head: "HTTP/1.1 200 \(rest)", asked: "GET /") == nil)
  }

  @Test(
    "derives persistence from the version and the tokens of Connection",
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

  @Test("reports an undeclared status, even if the rest is correct")
  func undeclared() throws {
    for operation in API.all.flatMap(\.operations) {
      let answer = try #require(ReceivedResponse(head: "HTTP/1.1 299 OK", asked: "GET /"))
      let finding = #expect(throws: Finding.self) { try answer.hold(to: operation) }
      guard case .failed(let expected, _)? = finding else { continue }
      #expect(expected.hasPrefix("a declared status ("), "\(operation.id): \(expected)")
    }
  }

  @Test("refuses bytes between a chunk and the next chunk size", arguments: [("\r\n", true), ("X\r\n", false)])
  func chunkEnd(end: String, isSound: Bool) throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    let addresses = SocketAddress.resolve("127.0.0.1", port: listener.port)
    let connection = try #require(Connection(to: addresses, until: .now + Patience.limit))
    let link = try #require(listener.next())
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
  private static let dictionary = [
    "\r\n", "\r\n\r\n", "\r", "\n", ":", " ", "\t", ";", "+", "-", "0", "FFFFFFFFFFFFFFFF", "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n", "\u{0}", "\u{301}", "é", "HTTP/1.1 200 OK\r\n",
  ].map { Array($0.utf8) }

  @Test("refuses a damaged head, or reads the fields that it has")
  func heads() {
    Fuzz("answers' heads", rounds: 5_000).run { random, note in
      var bytes = Self.corpus.randomElement(using: &random) ?? []
      random.mutate(&bytes, dictionary: Self.dictionary)
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

  @Test("sends over the first connection that the server accepts")
  func connectsOnce() throws {
    let listener = try BoundListener()
    let addresses = SocketAddress.resolve("127.0.0.1", port: listener.port)
    let connection = try #require(Connection(to: addresses, until: .now + Patience.limit))
    try connection.send("hello")
    let link = try #require(listener.next())
    #expect(link.receive(), "the first connection that came was given up at once")
    #expect(link.received == Array("hello".utf8))
  }

  @Test("reads damaged responses alike however they are split, without a crash or a hang")
  func answers() throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    let feed = Feed()
    Thread.detachNewThread {
      while let link = listener.next() {
        for piece in feed.take() { link.send(Array(piece)) }
        link.finishWriting()
        link.receive()
      }
    }
    let addresses = SocketAddress.resolve("127.0.0.1", port: listener.port)
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
      random.mutate(&bytes, dictionary: Self.dictionary)
      let whole = read([bytes[...]])
      try #require(whole != "no connection")
      #expect(!whole.contains("silence"), "\(note): \(bytes)")
      #expect(read(random.cut(bytes)) == whole, "\(note): \(bytes)")
    }
  }
}

@Suite("Connecting", .live)
struct ConnectingTests {
  @Test("opens one connection, and sends over it")
  func once() throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    let addresses = SocketAddress.resolve("127.0.0.1", port: listener.port)
    let connection = try #require(Connection(to: addresses, until: .now + Patience.limit))
    try connection.send("hello")
    let link = try #require(listener.next())
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
