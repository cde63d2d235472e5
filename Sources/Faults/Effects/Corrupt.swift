import JSON

/// JSON that is cut or garbled, in a message that is otherwise in order.
package struct Corrupt: FateEffect {
  static let kind = Effect.Kind.corrupt

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .corrupt(self) }
  var fate: Fate { .damage(.corrupt) }
}

extension Corrupt {
  /// The body cut short, with a control byte in it, or with a comma too many: whatever it was, no strict parser reads
  /// it.
  ///
  /// Nil when there is nothing to spoil.
  package static func corrupted(_ body: [UInt8], draw: UInt64) -> [UInt8]? {
    guard let last = body.lastIndex(where: { !" \t\r\n".utf8.contains($0) }) else { return nil }
    let first = body.first { !" \t\r\n".utf8.contains($0) }
    let isBracketed = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    let place = Int(clamping: Dice.spread(draw, 1).multipliedFullWidth(by: UInt64(last + 1)).high)
    var output = body
    switch isBracketed ? Dice.spread(draw, 0) % 3 : 1 {
    // No part of an object or array is whole without its last bracket.
    case 0: return Array(body[..<max(place, 1)])
    // RFC 8259 allows no raw control character, neither within a string nor without.
    case 1: output[place] = 0x01
    default: output.insert(UInt8(ascii: ","), at: last)
    }
    return output
  }
}
