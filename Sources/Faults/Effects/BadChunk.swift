extension Effect.Kind {
  package static let badChunk = Effect.Kind(
    plain: "bad-chunk", needs: .chunks,
    Page(
      "A chunked coding that breaks in the middle, as from a proxy that crashed.",
      wire: "`Transfer-Encoding: chunked`, the first half of the body in a valid chunk, then an invalid chunk (RFC "
        + "9112 section 7.1), and FIN.",
      limit:
        "Not deliverable with HTTP/1.0, which has no chunked coding, and without a body: for HEAD, with 204 and 304, "
        + "and if the body is empty.",
      example: #"{"fault": "bad-chunk"}"#)
  ) { .ending(.badChunk) }
}

extension TransportFault {
  package static let badChunk: TransportFault = TransportFault(
    .badChunk, first: .whole, last: .close, coding: .chunks { BadChunk.coded($0, draw: $1) })
}

/// The bytes of a broken chunked coding.
package enum BadChunk {
  /// Returns the first half of the body in a valid chunk, followed by an invalid one (RFC 9112 section 7.1).
  ///
  /// The connection must be closed afterwards, because the following bytes would be ambiguous.
  package static func coded(_ body: [UInt8], draw: UInt64) -> [UInt8] {
    let half = body.count / 2
    var output: [UInt8] = []
    if half > 0 {
      output += Array("\(String(half, radix: 16))\r\n".utf8) + body[..<half] + Array("\r\n".utf8)
    }
    let rest = body[half...]
    let size = String(max(rest.count, 1), radix: 16)
    switch SeededHash.spread(draw, 0) % 3 {
    case 0: output += Array("zz\r\n".utf8) + rest
    // Seventeen digits overflow 64 bits, whatever follows.
    case 1: output += Array("fffffffffffffffff\r\n".utf8) + rest
    // The line break after the chunk is missing.
    default: output += Array("\(size)\r\n".utf8) + (rest.isEmpty ? [0x20] : Array(rest)) + Array("!!".utf8)
    }
    return output
  }
}
