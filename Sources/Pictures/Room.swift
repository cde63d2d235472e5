/// The drawing of a room, from the back to the front. The name determines its appearance.
struct Room {
  private(set) var canvas: Canvas
  let palette: Palette
  private let name: String
  private var seed: Seed
  private let floor: Int

  init(name: String, orientation: Orientation) {
    self.name = name
    seed = Seed(name)
    palette = seed.pick(Palette.all)
    let (width, height) = orientation.size
    canvas = Canvas(width: width, height: height)
    floor = height * 2 / 3
  }

  mutating func draw() {
    drawFloor()
    drawWindows()
    drawLamps()
    drawPlate()
    drawPlant()
    drawTable()
  }

  private mutating func drawFloor() {
    canvas.fill(Box(0, floor, canvas.width, canvas.height - floor), .floor)
    canvas.fill(Box(0, floor - 8, canvas.width, 8), .frame)
    let board = seed.integer(in: 18...40)
    for y in stride(from: floor + board, to: canvas.height, by: board) {
      canvas.fill(Box(0, y, canvas.width, 2), .seam)
    }
  }

  /// Draws windows of one size side by side, each with its part of the same view.
  private mutating func drawWindows() {
    let count = seed.integer(in: canvas.width > canvas.height ? 1...3 : 1...2)
    let (top, margin) = (canvas.height / 5, 32)
    let (column, height) = ((canvas.width - 2 * margin) / count, floor - top - seed.integer(in: 30...70))
    let sun = (seed.integer(in: margin...canvas.width - margin), top + seed.integer(in: 30...height / 2))
    let hills = (0..<4).map { _ in (seed.integer(in: 0...canvas.width), seed.integer(in: 90...190)) }
    for index in 0..<count {
      let window = Box(margin + index * column + 8, top, column - 16, height)
      let pane = Box(window.x + 7, window.y + 7, window.width - 14, window.height - 14)
      canvas.fill(window, .frame)
      canvas.fill(pane, .sky)
      canvas.fillDisc(at: sun, radius: 22, .sun, within: pane)
      for (x, radius) in hills {
        canvas.fillDisc(at: (x, pane.maxY + radius / 2), radius: radius, .land, within: pane)
      }
      canvas.fill(Box(window.x + window.width / 2 - 2, window.y, 5, window.height), .frame)
      canvas.fill(Box(window.x, window.y + window.height * 2 / 5, window.width, 5), .frame)
    }
  }

  private mutating func drawLamps() {
    let count = seed.integer(in: 2...4)
    let length = canvas.height / 5 + seed.integer(in: 10...50)
    for index in 1...count {
      let x = canvas.width * index / (count + 1)
      canvas.fill(Box(x - 1, 0, 3, length), .seam)
      canvas.fillDisc(at: (x, length + 18), radius: 18, .light, within: Box(0, 0, canvas.width, length + 18))
    }
  }

  /// Draws the name on a plate above the windows, as large as it fits, and truncated if it does not fit in small
  /// letters.
  private mutating func drawPlate() {
    let widest = (canvas.width - 80) / Glyphs.advance
    let text = name.count * 2 > widest ? name.prefix(widest / 2 - 1) + "…" : name[...]
    guard !text.isEmpty else { return }
    let scale = min(5, max(2, widest / text.count))
    let (width, height) = (text.count * Glyphs.advance * scale - scale, Glyphs.height * scale)
    let plate = Box((canvas.width - width) / 2 - 14, canvas.height / 14, width + 28, height + 20)
    canvas.fill(plate, .plate)
    canvas.write(text, at: (plate.x + 14, plate.y + 10), scale: scale, .ink)
  }

  private mutating func drawPlant() {
    let x = seed.chance(50) ? 44 : canvas.width - 44
    for _ in 0..<9 {
      let leaf = (x + seed.integer(in: -26...26), floor - 34 - seed.integer(in: 0...60))
      canvas.fillDisc(at: leaf, radius: seed.integer(in: 12...20), .leaf)
    }
    canvas.fill(Box(x - 20, floor - 26, 40, 44), .chair)
  }

  private mutating func drawTable() {
    let (width, top) = (canvas.width * 7 / 10, floor + 34)
    let table = Box((canvas.width - width) / 2, top, width, 16)
    for x in [table.x + 24, table.maxX - 36] { canvas.fill(Box(x, top, 12, 76), .seam) }
    canvas.fill(table, .table)
    let chairs = seed.integer(in: 3...6)
    let back = seed.integer(in: 44...64)
    for index in 0..<chairs {
      let x = table.x + (2 * index + 1) * width / (2 * chairs) - 18
      canvas.fill(Box(x, top + 20, 36, back), .chair)
      canvas.fill(Box(x + 6, top + 28, 24, back - 22), .frame)
      canvas.fill(Box(x + 3, top + 20 + back, 5, 22), .seam)
      canvas.fill(Box(x + 28, top + 20 + back, 5, 22), .seam)
    }
  }
}
