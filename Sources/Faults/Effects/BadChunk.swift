import JSON

/// The reply comes in a chunked coding that breaks in the middle.
package struct BadChunk: FateEffect {
  static let kind = Effect.Kind.badChunk

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .badChunk(self) }
  var fate: Fate { .ending(.badChunk) }
}

extension BadChunk {
  /// The first half of the body in a sound chunk, and then one that no reader may accept (RFC 9112 section 7.1).
  ///
  /// The connection has to end after it: what follows would be anyone's guess.
  package static func coded(_ body: [UInt8], draw: UInt64) -> [UInt8] {
    let half = body.count / 2
    var output: [UInt8] = []
    if half > 0 {
      output += Array("\(String(half, radix: 16))\r\n".utf8) + body[..<half] + Array("\r\n".utf8)
    }
    let rest = body[half...]
    let size = String(max(rest.count, 1), radix: 16)
    switch Dice.spread(draw, 0) % 3 {
    case 0: output += Array("zz\r\n".utf8) + rest
    // Seventeen digits overflow 64 bits, whatever they are followed by.
    case 1: output += Array("fffffffffffffffff\r\n".utf8) + rest
    // The line break that closes a chunk is missing.
    default: output += Array("\(size)\r\n".utf8) + (rest.isEmpty ? [0x20] : Array(rest)) + Array("!!".utf8)
    }
    return output
  }
}
