import Pictures
import Testing

@Suite struct RoomPictureTests {
  static let golden: [(String, Orientation, UInt32)] = [
    ("Ljerka", .landscape, 0x93F3_CC65),
    ("Mostafa", .landscape, 0x35B1_936D),
    ("Helmold", .landscape, 0xB24F_631F),
    ("Painter", .portrait, 0x4D5A_96F2),
    ("Septima", .landscape, 0x414D_7F04),
    ("Alexis", .landscape, 0xFC0A_A033),
    ("Yana", .portrait, 0x1501_D449),
    ("Mina", .landscape, 0x7763_54A4),
  ]

  @Test(arguments: golden)
  func `The picture of each office room is the same on every machine, and has ten thousand bytes at most`(
    name: String, orientation: Orientation, sum: UInt32
  ) throws {
    let bytes = RoomPicture(name: name, orientation: orientation).png()
    #expect(bytes.count < 10_000)
    // The checksum is of the pixels and not of the file, so that it does not depend on the compression.
    #expect(try Checksum.crc32(DecodedPNG(bytes).content) == sum)
  }

  @Test func `The same name gives the same bytes`() {
    #expect(RoomPicture(name: "Mina").png() == RoomPicture(name: "Mina").png())
  }

  @Test func `Different names give different pictures`() {
    let names = ["Mina", "mina", "Mina ", "Nina", "Aula", "Loft"]
    #expect(Set(names.map { RoomPicture(name: $0).png() }).count == names.count)
  }

  @Test(arguments: ["", "🦊", "東京", "e\u{301}", "\u{0}", String(repeating: "Große Halle ", count: 17)])
  func `Any name has a picture`(name: String) throws {
    let image = try DecodedPNG(RoomPicture(name: name).png())
    #expect(image.scanlines.count == 427 * (1 + 640))
  }

  @Test func `A picture is landscape by default, and portrait on request`() throws {
    let landscape = try DecodedPNG(RoomPicture(name: "Yana").png())
    #expect((landscape.width, landscape.height) == (640, 427))
    let portrait = try DecodedPNG(RoomPicture(name: "Yana", orientation: .portrait).png())
    #expect((portrait.width, portrait.height) == (427, 640))
  }
}

/// A decoded PNG; decoding verifies it.
private struct DecodedPNG {
  struct Malformed: Error {}

  var width = 0
  var height = 0

  /// The inflated data: each line follows its filter type.
  var scanlines: [UInt8] = []
  var colors: [UInt8] = []

  /// The drawing: the lines, and the colours that they refer to.
  var content: [UInt8] { colors + scanlines }

  init(_ bytes: [UInt8]) throws {
    guard bytes.starts(with: PNG.signature) else { throw Malformed() }
    var position = PNG.signature.count
    var types: [String] = []
    while position < bytes.count {
      let length = DecodedPNG.number(bytes[position..<(position + 4)])
      let body = bytes[(position + 4)..<(position + 8 + length)]
      let sum = DecodedPNG.number(bytes[(position + 8 + length)..<(position + 12 + length)])
      guard Int(Checksum.crc32(body)) == sum else { throw Malformed() }
      types.append(String(decoding: body.prefix(4), as: UTF8.self))
      let data = Array(body.dropFirst(4))
      if types.last == "IHDR" {
        width = DecodedPNG.number(data[0..<4])
        height = DecodedPNG.number(data[4..<8])
        guard Array(data[8...]) == [8, 3, 0, 0, 0] else { throw Malformed() }
      } else if types.last == "PLTE" {
        colors = data
      } else if types.last == "IDAT" {
        scanlines = try Inflater.inflate(Array(data.dropFirst(2).dropLast(4)))
        guard Int(Checksum.adler32(scanlines)) == DecodedPNG.number(data.suffix(4)) else { throw Malformed() }
      }
      position += 12 + length
    }
    guard colors.count % 3 == 0, scanlines.allSatisfy({ Int($0) < colors.count / 3 }) else { throw Malformed() }
    guard types == ["IHDR", "PLTE", "IDAT", "IEND"] else { throw Malformed() }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}
