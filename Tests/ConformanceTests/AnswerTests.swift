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
