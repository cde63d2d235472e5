/// The hour at which a room is seen. It decides what shines through the window and what shines inside.
enum Hour: Sendable {
  case morning
  case noon
  case evening
  case night

  /// The colour of the light in the room, which takes its share from every colour in there.
  var light: Color {
    switch self {
    case .morning: Color(0xFFF6F0)
    case .noon: Color(0xFFFFFF)
    case .evening: Color(0xFFE6CC)
    case .night: Color(0xB3B3E2)
    }
  }

  var lampsAreLit: Bool { self == .evening || self == .night }
}

/// The colours of one room.
package struct Palette: Sendable {
  package private(set) var wall: Color
  package private(set) var trim: Color
  package private(set) var floor: Color
  package private(set) var wood: Color
  package private(set) var accent: Color
  package private(set) var second: Color
  package private(set) var leaf: Color
  package private(set) var metal: Color

  private init(
    wall: UInt32, trim: UInt32, floor: UInt32, wood: UInt32, accent: UInt32, second: UInt32, leaf: UInt32,
    metal: UInt32 = 0x2E2F3E
  ) {
    self.wall = Color(wall)
    self.trim = Color(trim)
    self.floor = Color(floor)
    self.wood = Color(wood)
    self.accent = Color(accent)
    self.second = Color(second)
    self.leaf = Color(leaf)
    self.metal = Color(metal)
  }

  /// The same colours under the light of an hour.
  func lit(at hour: Hour) -> Palette {
    let colors: [WritableKeyPath<Palette, Color>] = [
      \.wall, \.trim, \.floor, \.wood, \.accent, \.second, \.leaf, \.metal,
    ]
    return colors.reduce(into: self) { palette, color in
      palette[keyPath: color] = palette[keyPath: color].lit(by: hour.light)
    }
  }

  /// The schemes to choose from.
  static let all: [Palette] = [
    Palette(
      wall: 0xB9CBB2, trim: 0xF6F0E2, floor: 0xD09A6A, wood: 0x8E5A3C, accent: 0xE2725B, second: 0x2F5D62,
      leaf: 0x4E8A5B),
    Palette(
      wall: 0xF0C8B8, trim: 0xFFF4EA, floor: 0xB07C62, wood: 0x7A4A3A, accent: 0x2F6F7E, second: 0xF2B84B,
      leaf: 0x5E8F6A),
    Palette(
      wall: 0x3E5A82, trim: 0xE8ECEF, floor: 0xC48E60, wood: 0x9C6440, accent: 0xF0A04B, second: 0xDDE4E8,
      leaf: 0x5FA37C),
    Palette(
      wall: 0xEDC25A, trim: 0xFFF6DF, floor: 0x8A6250, wood: 0x5E3D33, accent: 0x2B6477, second: 0xF7EEDA,
      leaf: 0x3F7F5F),
    Palette(
      wall: 0x36857F, trim: 0xF3E9D8, floor: 0xDDAE7C, wood: 0xA8683F, accent: 0xF2C14E, second: 0xF78154,
      leaf: 0x8CC084),
    Palette(
      wall: 0xC9BDE0, trim: 0xFAF5FF, floor: 0xC09676, wood: 0x80574A, accent: 0x5E4D92, second: 0xF6A99E,
      leaf: 0x5D9978),
    Palette(
      wall: 0xEAE3D6, trim: 0xFFFFFF, floor: 0xA89482, wood: 0xB98354, accent: 0xC8553D, second: 0x4F8585,
      leaf: 0x6B9A5B),
    Palette(
      wall: 0xD58464, trim: 0xFBE9D2, floor: 0x7B5345, wood: 0xE0A96D, accent: 0x24505C, second: 0xF5D9B0,
      leaf: 0x476F55),
    Palette(
      wall: 0xAED0E6, trim: 0xFFFFFF, floor: 0xDDBB90, wood: 0xB27B4B, accent: 0xE4572E, second: 0x2C3A66,
      leaf: 0x4F9467),
    Palette(
      wall: 0x4A6E58, trim: 0xF2E8CF, floor: 0xC99A66, wood: 0x7D4E31, accent: 0xECAF7C, second: 0xF7E8CA,
      leaf: 0x93B86E),
    Palette(
      wall: 0x7C4668, trim: 0xF6E7E4, floor: 0xC9A080, wood: 0x5C3548, accent: 0xF4AC5E, second: 0x9DC7CE,
      leaf: 0x79AE85),
    Palette(
      wall: 0xB2E0D0, trim: 0xFFFDF5, floor: 0x9B7A68, wood: 0x6B4C42, accent: 0xF26B5E, second: 0xFFD166,
      leaf: 0x3E8E6E),
  ]
}
