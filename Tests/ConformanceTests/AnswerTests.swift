import Contract
import Foundation
import HTTP1
import LiveTesting
import Platform
import Testing

@testable import Conformance

/// The conformance suite must not accept an invalid response.
@Suite("The responses that the suite reads", .live)
struct AnswerTests {
  @Test("refuses a status line without a space after the status, which RFC 9112 section 4 requires")
  func reason() throws {
    #expect(try Self.finding("HTTP/1.1 204\r\n\r\n")?.expected == "a space after the status (RFC 9112 section 4)")
    #expect(try Self.finding("HTTP/1.1 204 \r\n\r\n") == nil)
  }

  @Test("reports an undeclared status, even if the rest is correct")
  func undeclared() throws {
    for operation in API.all.flatMap(\.operations) {
      let head = try ReceivedResponse(Array("HTTP/1.1 299 OK\r\n\r\n".utf8)).head
      let answer = Answer(asked: "GET /", head: head)
      let finding = #expect(throws: EarlyEnd.self) { try answer.hold(to: operation) }
      guard case .failed(let expected, _)? = finding else { continue }
      #expect(expected.hasPrefix("a declared status ("), "\(operation.id): \(expected)")
    }
  }

  @Test("refuses a broken rule of RFC 9112, and quotes the response")
  func chunkEnd() throws {
    let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello"
    #expect(try Self.finding(start + "\r\n0\r\n\r\n") == nil)
    let finding = try #require(try Self.finding(start + "X\r\n0\r\n\r\n"))
    #expect(finding.expected == "a response as RFC 9112 has it to GET /")
    #expect(finding.found.hasPrefix(Rejection.chunkEnd.reason + " after «HTTP/1.1 200 OK"))
  }

  /// Returns the finding about a response; nil if there is none.
  private static func finding(_ response: String) throws -> (expected: String, found: String)? {
    let listener = try BoundListener()
    defer { listener.shut() }
    let addresses = SocketAddress.resolve("127.0.0.1", port: listener.port)
    let connection = try #require(Connection(to: addresses, until: .now + Patience.limit))
    let link = try #require(listener.next())
    link.send(Array(response.utf8))
    link.finishWriting()
    do throws(EarlyEnd) {
      _ = try connection.answer(to: "GET /")
      return nil
    } catch {
      guard case .failed(let expected, let found) = error else { throw error }
      return (expected, found)
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
      do throws(EarlyEnd) {
        let answer = try connection.answer(to: "GET /")
        return "\(answer.status) \(answer.fields) \(answer.body)"
      } catch {
        // The error quotes what had arrived until then. A combining character may follow the mark.
        return String("\(error)".unicodeScalars.prefix { $0 != "«" })
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
