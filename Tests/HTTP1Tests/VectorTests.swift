import Testing

@testable import HTTP1

/// Every vector is parsed whole, byte by byte, cut in two at every position, and followed by another request.
@Suite("Requests, however they are cut")
struct VectorTests {
  private static let follower = latin1("GET /next HTTP/1.1\r\nHost: n\r\n\r\n")

  @Test("request line", arguments: Vector.requestLines)
  func requestLine(_ vector: Vector) { check(vector) }

  @Test("target", arguments: Vector.targets)
  func target(_ vector: Vector) { check(vector) }

  @Test("field lines", arguments: Vector.fieldLines)
  func fieldLine(_ vector: Vector) { check(vector) }

  @Test("host", arguments: Vector.hosts)
  func host(_ vector: Vector) { check(vector) }

  @Test("content length and transfer coding", arguments: Vector.framing)
  func framing(_ vector: Vector) { check(vector) }

  @Test("chunks", arguments: Vector.chunks)
  func chunks(_ vector: Vector) { check(vector) }

  @Test("trailers", arguments: Vector.trailers)
  func trailers(_ vector: Vector) { check(vector) }

  @Test("persistence and expectations", arguments: Vector.connections)
  func connection(_ vector: Vector) { check(vector) }

  @Test("limits", arguments: Vector.limits)
  func limit(_ vector: Vector) { check(vector) }

  @Test("every rejection is reached by a vector")
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
    // An incomplete request would read the next request as its own rest.
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
