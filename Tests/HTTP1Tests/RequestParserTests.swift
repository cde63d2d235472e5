import Testing

@testable import HTTP1

@Suite("The request parser")
struct RequestParserTests {
  /// Returns the parser's phase; an expectation cannot use a noncopyable value.
  private func waits(_ parser: borrowing RequestParser) -> RequestParser.Phase { parser.phase }

  private func continues(_ pieces: String...) -> Int {
    Run(pieces.map { piece in latin1(piece)[...] }, limits: .standard).continues
  }

  @Test("a client that waits for 100 Continue gets it once (RFC 9110 10.1.1)")
  func continueOnce() {
    let head = post("Expect: 100-continue", "Content-Length: 5")
    #expect(continues(head, "he", "llo") == 1)
    #expect(continues(head, "", "", "hello") == 1)
    #expect(continues(post("Expect: 100-continue", "Transfer-Encoding: chunked"), "0\r\n\r\n") == 1)
  }

  @Test("a client that does not wait for 100 Continue gets none (RFC 9110 10.1.1)")
  func continueNever() {
    #expect(continues(post("Expect: 100-continue", "Content-Length: 5", body: "h"), "ello") == 0)
    #expect(continues(post("Expect: 100-continue", "Transfer-Encoding: chunked", body: "0"), "\r\n\r\n") == 0)
    #expect(continues(post("Expect: 100-continue", "Content-Length: 0")) == 0)
    #expect(continues(post("Expect: 100-continue")) == 0)
    #expect(continues("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", "hello") == 0)
    #expect(continues(post("Content-Length: 5"), "hello") == 0)
  }

  @Test("the phase names the part of a request that is missing (RFC 9112 9.5)")
  func phases() {
    var parser = RequestParser()
    #expect(waits(parser) == .idle)
    parser.receive(latin1("P"))
    #expect(waits(parser) == .head)
    parser.receive(latin1(String(post("Content-Length: 1").dropFirst())))
    guard case .needsMore = parser.next() else {
      Issue.record("the body is missing")
      return
    }
    #expect(waits(parser) == .body)
    parser.receive(latin1("x"))
    guard case .some = parser.nextRequest() else {
      Issue.record("the body has arrived")
      return
    }
    #expect(waits(parser) == .idle)
    parser.receive(latin1("\r\n"))
    guard case .needsMore = parser.next() else {
      Issue.record("an empty line is not a request")
      return
    }
    #expect(waits(parser) == .idle)
    let rejection = parser.finish()
    #expect(rejection == nil)
    #expect(waits(parser) == .ended)
  }

  @Test("the phase is `head` while pipelined bytes are unread (RFC 9112 9.3.2)")
  func pipelinedPhase() {
    var parser = RequestParser()
    parser.receive(latin1(get() + "G"))
    _ = parser.nextRequest()
    #expect(waits(parser) == .head)
    #expect(waits(parser) != .idle)
  }

  @Test("after a rejection the parser reads nothing more")
  func dead() {
    var parser = RequestParser()
    parser.receive(latin1("\n"))
    guard case .rejected(.bareLineFeed) = parser.next() else {
      Issue.record("a bare LF is refused")
      return
    }
    for _ in 0..<3 {
      parser.receive(latin1(get()))
      guard case .needsMore = parser.next() else {
        Issue.record("there is no request after a rejection")
        return
      }
    }
    #expect(waits(parser) == .ended)
    let rejection = parser.finish()
    #expect(rejection == nil)
  }

  @Test("after its buffer is released, the parser reads further requests")
  func release() {
    var parser = RequestParser()
    for _ in 0..<3 {
      parser.receive(latin1(get()))
      guard let request = parser.nextRequest() else {
        Issue.record("the request has arrived")
        return
      }
      parser.releaseBuffer()
      #expect(request.text(request.path) == "/")
    }
    parser.receive(latin1("GET"))
    parser.releaseBuffer()
    parser.receive(latin1(String(get().dropFirst(3))))
    guard case .some = parser.nextRequest() else {
      Issue.record("the incomplete request was released")
      return
    }
  }

  @Test("a stored request does not change when the parser receives more bytes")
  func kept() {
    var parser = RequestParser()
    /// One of the requests that are kept while more bytes arrive.
    final class Kept {
      let request: Request

      init(_ request: consuming Request) { self.request = request }
    }
    var kept: [Kept] = []
    let all = latin1(chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\nX: y\r\n\r\n") + get("X: z"))
    for byte in all + all + all {
      parser.receive([byte])
      if let request = parser.nextRequest() { kept.append(Kept(request)) }
    }
    let first = Outcome.yes("POST", body: "hello", trailers: ["X: y"])
    #expect(kept.map { Outcome($0.request) } == [first, .yes(), first, .yes(), first, .yes()])
  }

  @Test("the buffer stays small however many requests are pipelined (RFC 9112 9.3.2)")
  func boundedPipeline() {
    var parser = RequestParser()
    let piece = latin1(String(get().dropFirst(9)) + String(get().prefix(9)))
    parser.receive(latin1(String(get().prefix(9))))
    var largest = 0
    for _ in 0..<500 {
      parser.receive(piece)
      while let request = parser.nextRequest() { largest = max(largest, request.bytes.count) }
    }
    #expect(largest < 4 * piece.count)
  }

  @Test("the framing of many small chunks is not stored (RFC 9112 7.1)")
  func boundedChunks() {
    var parser = RequestParser(limits: Limits(chunkOverhead: 1 << 20))
    parser.receive(latin1(chunked("")))
    for _ in 0..<500 {
      parser.receive(latin1("1;" + String(repeating: "x", count: 100) + "\r\nx\r\n"))
      _ = parser.next()
    }
    parser.receive(latin1("0\r\n\r\n"))
    guard let request = parser.nextRequest() else {
      Issue.record("the last chunk has arrived")
      return
    }
    #expect(request.body.count == 500)
    #expect(request.bytes.count < 1000)
  }

  @Test("a field section that a client repeats has the same meaning as in a first request")
  func repeatedSections() {
    let lines = [
      "GET / HTTP/1.1", "POST /longer?q HTTP/1.1", "GET http://b/c HTTP/1.1", "OPTIONS * HTTP/1.1", "GET / HTTP/1.0",
      "CONNECT a:1 HTTP/1.1",
    ]
    let sections = [
      "Host: a\r\n\r\n", "Host: b\r\n\r\n", "Host: a\r\nX: y\r\n\r\n", "Connection: keep-alive\r\n\r\n",
      "Host: a\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
      "host: a\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    ]
    let heads = lines.flatMap { line in sections.map { latin1(line + "\r\n" + $0) } }
    for second in heads {
      let alone = Run([second[...]], limits: .standard)
      for first in heads where Run([first[...]], limits: .standard).outcomes.first?.persists == true {
        for pieces in [[first[...], second[...]], [(first + second)[...]]] {
          let both = Run(pieces, limits: .standard)
          #expect(both.outcomes.dropFirst().elementsEqual(alone.outcomes), "\(escaped(first + second))")
          #expect(
            both.transcripts.dropFirst().dropLast().elementsEqual(alone.transcripts.dropLast()),
            "\(escaped(first + second))")
        }
      }
    }
  }

  @Test("every rejection has a status, a sentence as its reason, and a section of an RFC")
  func rejections() {
    for rejection in Rejection.allCases {
      #expect([400, 413, 414, 417, 421, 431, 501, 505].contains(rejection.status), "\(rejection)")
      #expect(rejection.reason.hasSuffix("."))
      #expect(rejection.section.hasPrefix("RFC "))
    }
    #expect(Set(Rejection.allCases.map(\.reason)).count == Rejection.allCases.count)
  }
}
