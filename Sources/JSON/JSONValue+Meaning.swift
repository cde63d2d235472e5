import Primitives

extension JSONValue {
  /// The text that all JSON texts of the same meaning share: members are sorted, and equal numbers have the same digits.
  package var meaning: [UInt8] { inOrder.bytes() }

  private var inOrder: JSONValue {
    switch self {
    case .null, .bool, .string: self
    case .number(let number): .number(number.normalized)
    case .array(let elements): .array(elements.map(\.inOrder))
    case .object(let object):
      .object(
        Object(
          object.members.map { Member($0.name, $0.value.inOrder) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }))
    }
  }
}

extension JSONValue.Number {
  /// The same number as digits and an exponent: `1`, `1.0` and `10e-1` are all `1e0`.
  ///
  /// It compares decimals, because two long ids may be the same double.
  fileprivate var normalized: JSONValue.Number {
    let parts = text.utf8.split(maxSplits: 1) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
    let sides = parts[0].drop { $0 == UInt8(ascii: "-") }
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let fraction = sides.count > 1 ? Array(sides[1]) : []
    var digits = (Array(sides[0]) + fraction).drop { $0 == Byte.zero }
    guard !digits.isEmpty else { return JSONValue.Number(text: "0") }
    guard let given = parts.count > 1 ? Int32(String(decoding: parts[1], as: UTF8.self)) : 0 else { return self }
    var exponent = Int(given) - fraction.count
    while digits.last == Byte.zero {
      digits.removeLast()
      exponent += 1
    }
    let sign = text.hasPrefix("-") ? "-" : ""
    return JSONValue.Number(text: "\(sign)\(String(decoding: digits, as: UTF8.self))e\(exponent)")
  }
}
