import LiveTesting
import Testing

@testable import HTTP1

@Suite("Mutated requests")
struct FuzzTests {
  private static let dictionary =
    latin1("\r\n\r\n \t:;,=\"\\%#?/*@[]\0\u{7F}\u{80}\u{FF}0159aAfFxX").map { [$0] }
    + [
      "\r\n\r\n", "\r\n ", "0\r\n", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n",
      "Host: a\r\n", "Expect: 100-continue\r\n", "99999999999999999999", "7FFFFFFFFFFFFFFF", "http://a@b:", "HTTP/1.0",
    ].map(latin1)
  private static let tight = Limits(
    requestLine: 48, head: 96, fields: 4, method: 8, body: 12, chunkLine: 16, chunkOverhead: 24, trailers: 24,
    trailerFields: 2)

  @Test(
    "the parser gives the same result for the same bytes, whatever pieces they arrive in (RFC 9112 2.2)",
    arguments: 1...4 as ClosedRange<UInt64>)
  func splits(seed: UInt64) {
    let vectors = Vector.all.filter { vector in !vector.bytes.isEmpty }
    Fuzz("requests", seed: seed, rounds: 1_000).run { random, note in
      var bytes = vectors.randomElement(using: &random)?.bytes ?? []
      if random.oneIn(2) { bytes += vectors.randomElement(using: &random)?.bytes ?? [] }
      random.mutate(&bytes, dictionary: Self.dictionary)
      let limits = random.oneIn(4) ? Self.tight : .standard
      let whole = Run([bytes[...]], limits: limits).transcripts
      let singles = Run(bytes.indices.map { bytes[$0...$0] }, limits: limits).transcripts
      #expect(singles == whole, "\(note): \"\(escaped(bytes))\"")
      let pieces = random.cut(bytes)
      #expect(
        Run(pieces, limits: limits).transcripts == whole, "\(note): \"\(escaped(bytes))\" in \(pieces.map(\.count))")
    }
  }

  @Test("a body in chunks of any sizes, with trailers, is decoded unchanged (RFC 9112 7.1)")
  func chunks() {
    Fuzz("chunks", rounds: 1_000).run { random, note in
      let body = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      var coded: [UInt8] = []
      for piece in random.cut(body, atMost: 70) { ChunkedEncoder.appendChunk(piece, to: &coded) }
      let hasTrailer = random.oneIn(2)
      if hasTrailer {
        coded += latin1("0\r\nX-Sum: \(body.count)\r\n\r\n")
      } else {
        ChunkedEncoder.appendEnd(to: &coded)
      }
      let bytes = latin1(post("Transfer-Encoding: chunked")) + coded
      var parser = RequestParser()
      var read: [[UInt8]] = []
      for piece in random.cut(bytes) {
        parser.receive(piece)
        while let request = parser.nextRequest() {
          read.append(Array(request.bytes[request.body]))
          #expect(request.trailers.count == (hasTrailer ? 1 : 0), "\(note)")
        }
      }
      #expect(read == [body], "\(note)")
    }
  }
}
