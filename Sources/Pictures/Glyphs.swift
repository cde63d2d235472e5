/// Capitals and digits of five by seven pixels.
enum Glyphs {
  static let height = 7
  /// The width of a glyph and the gap after it.
  static let advance = 6

  /// Returns the seven rows of a character, five bits each, the leftmost the highest.
  static func rows(of character: Character) -> [UInt8] {
    guard let rows = table[Character(character.uppercased().prefix(1).description)] else {
      return [0x1F, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1F]
    }
    return rows
  }

  private static let table: [Character: [UInt8]] = Dictionary(
    uniqueKeysWithValues: drawings.map { drawing in
      let bits = UInt64(drawing.dropFirst(2), radix: 16) ?? 0
      return (drawing.first ?? " ", (0..<7).map { UInt8(truncatingIfNeeded: bits >> (8 * (6 - $0))) })
    })

  private static let drawings = [
    "A 0E11111F111111", "B 1E11111E11111E", "C 0E11101010110E", "D 1E11111111111E", "E 1F10101E10101F",
    "F 1F10101E101010", "G 0E11101711110F", "H 1111111F111111", "I 0E04040404040E", "J 0702020202120C",
    "K 11121418141211", "L 1010101010101F", "M 111B1515111111", "N 11111915131111", "O 0E11111111110E",
    "P 1E11111E101010", "Q 0E11111115120D", "R 1E11111E141211", "S 0F10100E01011E", "T 1F040404040404",
    "U 1111111111110E", "V 11111111110A04", "W 111111151B1111", "X 11110A040A1111", "Y 11110A04040404",
    "Z 1F01020408101F", "0 0E11131519110E", "1 040C040404040E", "2 0E11010204081F", "3 1F02040201110E",
    "4 02060A121F0202", "5 1F101E0101110E", "6 0608101E11110E", "7 1F010204080808", "8 0E11110E11110E",
    "9 0E11110F01020C", "- 0000001F000000", "… 00000000000015", "  00000000000000",
  ]
}
