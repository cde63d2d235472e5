import Foundation
import LiveTesting
import Platform
import Testing

@testable import Conformance

/// Servers that do not stop sending must neither fill the judge's memory nor pass for silent ones.
@Suite("A response without an end", .live)
struct EndlessTests {
  /// The beginning of a response, the part that follows it endlessly, and the expectation in the report.
  struct Endless: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: String
    let piece: String
    let expected: String

    init(_ name: String, _ start: String, _ piece: String, _ expected: String) {
      testDescription = name
      self.start = start
      self.piece = piece
      self.expected = expected
    }
  }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let page = String(repeating: "a", count: 64 << 10)
  private static let body = "a body of at most 8 MiB"
  private static let `protocol` = "a response as RFC 9112 has it to GET /"

  static let all = [
    Endless("chunks", chunked, "10000\r\n\(page)\r\n", body),
    Endless("one chunk", chunked + "7FFFFFFFFFFFFFFF\r\n", page, body),
    Endless("a chunk's size", chunked + "1;", page, `protocol`),
    Endless("trailers", chunked + "0\r\n", "X: aaaaaaaaaaaaaaaa\r\n", `protocol`),
    Endless("a body without a length", "HTTP/1.1 200 OK\r\n\r\n", page, body),
    Endless("a long body", "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", page, body),
    Endless("a head", "HTTP/1.1 200 OK\r\n", "X: aaaaaaaaaaaaaaaa\r\n", `protocol`),
    Endless("interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n", "a final answer to GET /"),
  ]

  @Test("is read up to a bound, which the finding names", arguments: all)
  func bounds(endless: Endless) throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    listener.serve { link in
      link.send(Array(endless.start.utf8))
      // Twice the maximum that the judge reads; the judge closes the connection earlier.
      let piece = Array(String(repeating: endless.piece, count: max(1, (64 << 10) / endless.piece.utf8.count)).utf8)
      for _ in 0..<((16 << 20) / piece.count) { link.send(piece) }
    }
    let connection = try #require(
      Connection(to: SocketAddress.resolve("127.0.0.1", port: listener.port), until: .now + Patience.limit))
    guard case .failed(let expected, _)? = finding({ () throws(EarlyEnd) in try connection.finalAnswer(to: "GET /") })
    else {
      Issue.record("the answer was taken")
      return
    }
    #expect(expected == endless.expected)
    #expect(connection.received.count <= 9 << 20)
  }

  @Test("is reported as endless when it is read to its end")
  func end() throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    listener.serve { link in
      let piece = [UInt8](repeating: 0x61, count: 64 << 10)
      for _ in 0..<256 { link.send(piece) }
    }
    let connection = try #require(
      Connection(to: SocketAddress.resolve("127.0.0.1", port: listener.port), until: .now + Patience.limit))
    #expect(connection.end() == .endless)
  }

  @Test("is distinguished from silence at the time limit", arguments: [true, false])
  func kept(isSending: Bool) async throws {
    let listener = try BoundListener()
    defer { listener.shut() }
    let sent = AsyncStream<Void>.makeStream()
    Thread.detachNewThread {
      var links: [Link] = []
      while let link = listener.next() {
        if isSending { link.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nand so on".utf8)) }
        links.append(link)
        sent.continuation.yield()
      }
    }
    var iterator = sent.stream.makeAsyncIterator()
    var time = Duration.milliseconds(50)
    var deadline = Deadline.now
    var opened: Connection?
    // On a busy machine the time may be up before the connection is established.
    while opened == nil, time < Patience.limit {
      time *= 2
      deadline = .now + time
      opened = Connection(to: SocketAddress.resolve("127.0.0.1", port: listener.port), until: deadline)
      await iterator.next()
    }
    let connection = try #require(opened)
    try await Task.sleep(until: deadline, clock: .continuous)
    guard case .failed(_, let found)? = finding({ () throws(EarlyEnd) in try connection.answer(to: "GET /") }) else {
      Issue.record("the answer was taken")
      return
    }
    #expect(found.hasPrefix(isSending ? "a server that was still sending at" : "silence until"), "\(found)")
  }

  @Test("is distinguished from silence if its last bytes were read just before the time limit")
  func lastMoment() async throws {
    var time = Duration.milliseconds(100)
    // On a busy machine the time may be up before the bytes are sent and read.
    while time < Patience.limit {
      time *= 2
      let listener = try BoundListener()
      defer { listener.shut() }
      let deadline = Deadline.now + time
      let addresses = SocketAddress.resolve("127.0.0.1", port: listener.port)
      guard let connection = Connection(to: addresses, until: deadline) else { continue }
      let link = try #require(listener.next())
      try await Task.sleep(until: deadline - time / 20, clock: .continuous)
      link.send([0x61])
      guard (try? connection.wait(for: "a byte")) != nil, Deadline.now < deadline else { continue }
      let finding = #expect(throws: EarlyEnd.self) { try connection.wait(for: "more") }
      guard case .failed(_, let found)? = finding else { break }
      #expect(found == "a server that was still sending at the time limit after «a»")
      return
    }
    Issue.record("no byte was read in time")
  }

  @Test("is not assumed if FIN came in time but is read after the deadline")
  func lateFinish() throws {
    let listener = try BoundListener()
    let socket = try #require(
      try? ClientSocket.connected(
        toFirstOf: SocketAddress.resolve("127.0.0.1", port: listener.port), until: .now + Patience.limit))
    let link = try #require(listener.next())
    #expect(socket.receive(until: .now - .seconds(1)) == .silence)
    link.send([0x61])
    link.finishWriting()
    #expect(socket.receive(until: .now + Patience.limit) == .bytes([0x61]))
    #expect(socket.receive(until: .now + Patience.limit) == .finished)
    #expect(socket.receive(until: .now - .seconds(1)) == .finished)
    listener.shut()
  }

  @Test("counts as still being sent if bytes came in the last tenth of the time")
  func lastTenth() {
    let began = Deadline.now
    func isSending(_ arrival: Duration) -> Bool {
      Connection.isSending(began: began, arrival: began + arrival, end: began + .seconds(10))
    }
    #expect(isSending(.milliseconds(9_100)) && isSending(.seconds(10)))
    #expect(!isSending(.milliseconds(8_900)) && !isSending(.zero))
  }

  private func finding(_ read: () throws(EarlyEnd) -> Answer) -> EarlyEnd? {
    do throws(EarlyEnd) {
      _ = try read()
      return nil
    } catch {
      return error
    }
  }
}
