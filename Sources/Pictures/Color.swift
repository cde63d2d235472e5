/// A colour of eight bits for each of red, green and blue.
package struct Color: Sendable, Equatable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  /// The colour in the notation of the web, such as 0xE2725B.
  package init(_ value: UInt32) {
    red = UInt8(truncatingIfNeeded: value >> 16)
    green = UInt8(truncatingIfNeeded: value >> 8)
    blue = UInt8(truncatingIfNeeded: value)
  }

  /// The colour that lies `fraction` of the way to another one.
  package func mixed(with other: Color, _ fraction: Double) -> Color {
    var result = self
    result.red = Color.between(red, other.red, fraction)
    result.green = Color.between(green, other.green, fraction)
    result.blue = Color.between(blue, other.blue, fraction)
    return result
  }

  /// The colour to seven bits, so that the steps of a gradient are few and long enough to compress.
  var even: Color {
    var result = self
    result.red &= 0xFE
    result.green &= 0xFE
    result.blue &= 0xFE
    return result
  }

  func lighter(_ fraction: Double) -> Color { mixed(with: Color(0xFFF8EC), fraction) }

  /// What shadows are laid on with.
  static let shade = Color(0x1B1A33)

  /// Shadows turn towards blue instead of grey, for grey would look like dirt on warm walls.
  func darker(_ fraction: Double) -> Color { mixed(with: .shade, fraction) }

  /// What is left of the colour under a coloured light.
  func lit(by light: Color) -> Color {
    var result = self
    result.red = UInt8(Int(red) * Int(light.red) / 255)
    result.green = UInt8(Int(green) * Int(light.green) / 255)
    result.blue = UInt8(Int(blue) * Int(light.blue) / 255)
    return result
  }

  private static func between(_ from: UInt8, _ to: UInt8, _ fraction: Double) -> UInt8 {
    UInt8((Double(from) + (Double(to) - Double(from)) * min(max(fraction, 0), 1)).rounded())
  }
}
