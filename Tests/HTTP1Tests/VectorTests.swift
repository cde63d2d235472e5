import Testing

@testable import HTTP1

/// Every vector is parsed whole, byte by byte, cut in two at every position, and followed by another request.
@Suite("The parser's table of requests")
struct VectorTests {
  private static let follower = latin1("GET /next HTTP/1.1\r\nHost: n\r\n\r\n")

  @Test("has the expected result for request lines, however the bytes are cut", arguments: Vector.requestLines)
  func requestLine(_ vector: Vector) { check(vector) }

  @Test("has the expected result for targets, however the bytes are cut", arguments: Vector.targets)
  func target(_ vector: Vector) { check(vector) }

  @Test("has the expected result for field lines, however the bytes are cut", arguments: Vector.fieldLines)
  func fieldLine(_ vector: Vector) { check(vector) }

  @Test("has the expected result for Host, however the bytes are cut", arguments: Vector.hosts)
  func host(_ vector: Vector) { check(vector) }

  @Test(
    "has the expected result for content lengths and transfer codings, however the bytes are cut",
    arguments: Vector.framing)
  func framing(_ vector: Vector) { check(vector) }

  @Test("has the expected result for chunks, however the bytes are cut", arguments: Vector.chunks)
  func chunks(_ vector: Vector) { check(vector) }

  @Test("has the expected result for trailers, however the bytes are cut", arguments: Vector.trailers)
  func trailers(_ vector: Vector) { check(vector) }

  @Test(
    "has the expected result for persistence and expectations, however the bytes are cut", arguments: Vector.connections
  )
  func connection(_ vector: Vector) { check(vector) }

  @Test("has the expected result at each limit, however the bytes are cut", arguments: Vector.limits)
  func limit(_ vector: Vector) { check(vector) }

  @Test("contains every rejection")
  func coverage() {
    var reached: Set<Rejection> = []
    for vector in Vector.all {
      for case .no(let rejection) in vector.outcomes { reached.insert(rejection) }
    }
    #expect(Set(Rejection.allCases).subtracting(reached) == [])
    #expect(Vector.all.count >= 150)
  }

  private func check(_ vector: Vector) {
    let bytes = vector.bytes
    let whole = Run([bytes[...]], limits: vector.limits)
    #expect(whole.outcomes == vector.outcomes, "whole: \(escaped(bytes))")

    let single = Run(bytes.indices.map { index in bytes[index...index] }, limits: vector.limits)
    #expect(single.transcripts == whole.transcripts, "byte by byte: \(escaped(bytes))")

    for cut in bytes.indices.dropFirst() {
      let halves = Run([bytes[..<cut], bytes[cut...]], limits: vector.limits)
      #expect(halves.transcripts == whole.transcripts, "cut at \(cut): \(escaped(bytes))")
    }
    checkFollowed(vector, whole)
  }

  private func checkFollowed(_ vector: Vector, _ whole: Run) {
    // The next request would be read as the rest of an incomplete one.
    guard let last = vector.outcomes.last, last != .no(.truncated) else { return }
    let bytes = vector.bytes + Self.follower
    let next: [Outcome] = last.persists ? [.yes("GET", "/next", host: "n")] : []
    for cut in [bytes.count, vector.bytes.count, vector.bytes.count - 1, vector.bytes.count + 1] {
      let run = Run([bytes[..<cut], bytes[cut...]], limits: vector.limits)
      #expect(run.outcomes == vector.outcomes + next, "followed, cut at \(cut): \(escaped(bytes))")
    }
  }
}

extension Vector {
  static var all: [Vector] {
    requestLines + targets + fieldLines + hosts + framing + chunks + trailers + connections + limits
  }
}
