import JSON

/// Bytes that are no HTTP, as from a port on which something else listens.
package struct Garbage: FateEffect {
  static let kind = Effect.Kind.garbage

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .garbage(self) }
  var fate: Fate { .ending(.garbage) }
}

extension Garbage {
  /// 64 bytes, none of which starts a line of HTTP: the high bit is set in all of them.
  package static func bytes(_ draw: UInt64) -> [UInt8] {
    (0..<8 as Range<UInt64>).flatMap { word in
      let mixed = Dice.spread(draw, word)
      return (0..<8).map { UInt8(truncatingIfNeeded: mixed >> ($0 * 8)) | 0x80 }
    }
  }
}
