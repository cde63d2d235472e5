/// An upright rectangle of pixels.
struct Box {
  let x: Int
  let y: Int
  let width: Int
  let height: Int

  init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  var maxX: Int { x + width }
  var maxY: Int { y + height }
}

/// An image with one ink per pixel, initially that of the wall. Drawing is clipped to it.
struct Canvas: Sendable {
  let width: Int
  let height: Int
  /// The inks row by row, as indices of the palette.
  private(set) var pixels: [UInt8]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    pixels = Array(repeating: Ink.wall.rawValue, count: width * height)
  }

  mutating func fill(_ box: Box, _ ink: Ink) {
    let columns = Self.range(box.x, box.maxX, below: width)
    for y in Self.range(box.y, box.maxY, below: height) {
      for x in columns { pixels[y * width + x] = ink.rawValue }
    }
  }

  /// - Parameter clip: The area outside of which nothing is drawn.
  mutating func fillDisc(at center: (x: Int, y: Int), radius: Int, _ ink: Ink, within clip: Box? = nil) {
    let clip = clip ?? Box(0, 0, width, height)
    let columns = Self.range(max(clip.x, center.x - radius), min(clip.maxX, center.x + radius), below: width)
    for y in Self.range(max(clip.y, center.y - radius), min(clip.maxY, center.y + radius), below: height) {
      for x in columns {
        let (dx, dy) = (x - center.x, y - center.y)
        if dx * dx + dy * dy < radius * radius { pixels[y * width + x] = ink.rawValue }
      }
    }
  }

  private static func range(_ start: Int, _ end: Int, below limit: Int) -> Range<Int> {
    let first = max(0, start)
    return first..<max(first, min(limit, end))
  }

  /// Writes capitals and digits; other characters become a box.
  mutating func write(_ text: Substring, at start: (x: Int, y: Int), scale: Int, _ ink: Ink) {
    for (index, character) in text.enumerated() {
      let left = start.x + index * Glyphs.advance * scale
      for (row, bits) in Glyphs.rows(of: character).enumerated() {
        for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
          fill(Box(left + column * scale, start.y + row * scale, scale, scale), ink)
        }
      }
    }
  }
}
