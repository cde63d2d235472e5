extension Room {
  mutating func drawWall() {
    let wall = palette.wall
    canvas.fill(.rectangle(Box(0, 0, width, floor)), from: wall.lighter(0.10), to: wall.darker(0.06))
    switch seed.integer(in: 0...4) {
    case 0:
      drawWainscot(height: 74 * scale)
    case 1:
      // Broad stripes, hardly lighter than the wall itself.
      let step = 40 * scale
      for index in stride(from: 0, to: Int(width / step) + 1, by: 2) {
        let stripe = Box(Double(index) * step, 0, step, floor)
        canvas.fill(.rectangle(stripe), palette.trim, opacity: 0.10)
      }
    case 2:
      // A painted sweep of colour that the room sits under.
      canvas.fill(.circle(width * 0.5, floor, width * 0.47), palette.second, opacity: 0.22)
    case 3:
      canvas.fill(.rectangle(Box(0, floor * 0.56, width, floor * 0.44)), wall.darker(0.16))
      canvas.fill(.rectangle(Box(0, floor * 0.56, width, 3)), palette.trim, opacity: 0.5)
    default:
      break
    }
    canvas.fill(.rectangle(Box(0, 0, width, 9 * scale)), palette.trim.darker(0.08))
    canvas.fill(.rectangle(Box(0, 9 * scale, width, 5)), wall.darker(0.25), opacity: 0.35)
    canvas.fill(.rectangle(Box(0, floor - 13 * scale, width, 13 * scale)), palette.trim.darker(0.05))
    canvas.fill(.rectangle(Box(0, floor - 13 * scale, width, 2)), palette.trim.lighter(0.5))
  }

  private mutating func drawWainscot(height: Double) {
    let color = palette.wall.mixed(with: palette.trim, 0.62)
    canvas.fill(.rectangle(Box(0, floor - height, width, height)), color)
    canvas.fill(.rectangle(Box(0, floor - height - 4, width, 6)), palette.trim)
    canvas.fill(.rectangle(Box(0, floor - height + 2, width, 2)), palette.wall.darker(0.3), opacity: 0.4)
    let count = isPortrait ? 5 : 8
    let step = width / Double(count)
    for index in 0..<count {
      let panel = Box(Double(index) * step + 9, floor - height + 15, step - 18, height - 40 * scale)
      canvas.fill(.rectangle(panel), color.darker(0.14))
      canvas.fill(.rectangle(Box(panel.x + 2, panel.y + 2, panel.width - 2, panel.height - 2)), color.lighter(0.12))
    }
  }

  mutating func drawFloor() {
    let area = Box(0, floor, width, height - floor)
    let color = palette.floor
    canvas.fill(.rectangle(area), from: color.darker(0.10), to: color.lighter(0.08))
    let middle = width / 2
    switch seed.integer(in: 0...2) {
    case 0:
      // Boards that run towards the viewer.
      for index in -9...9 {
        let x = Double(index) * 46
        let seam = Shape.line(
          Point(middle + x, floor), Point(middle + x * 2.3, height), width: 1.2, end: 2.6)
        canvas.fill(seam, color.darker(0.4), opacity: 0.45)
      }
    case 1:
      // Boards across the room, the farther the narrower.
      var y = floor
      var depth = 11.0 * scale
      while y < height {
        y += depth
        depth *= 1.28
        canvas.fill(.rectangle(Box(0, y, width, 1.6)), color.darker(0.4), opacity: 0.4)
      }
    default:
      break
    }
    canvas.fill(
      .rectangle(Box(0, floor, width, 16 * scale)), from: color.darker(0.35), to: color.darker(0.1), opacity: 0.35)
  }

  mutating func drawRug() {
    let rug = Box(width * 0.14, tableBase - 34 * scale, width * 0.72, 60 * scale)
    let colors = [palette.accent.lighter(0.25), palette.second.mixed(with: palette.floor, 0.15)]
    let color = seed.pick(colors)
    switch seed.integer(in: 0...2) {
    case 0:
      canvas.fill(.ellipse(rug), color.darker(0.1))
      canvas.fill(.ellipse(rug.inset(7)), color.lighter(0.3))
      canvas.fill(.ellipse(rug.inset(10)), color)
    case 1:
      let slant = 34 * scale
      func stripe(_ from: Double, _ to: Double) -> Shape {
        let (a, b) = (rug.y + rug.height * from, rug.y + rug.height * to)
        return .polygon([
          Point(rug.x + slant * (1 - from), a), Point(rug.maxX - slant * (1 - from), a),
          Point(rug.maxX - slant * (1 - to), b), Point(rug.x + slant * (1 - to), b),
        ])
      }
      canvas.fill(stripe(0, 1), color)
      for begin in [0.10, 0.22, 0.70, 0.84] {
        canvas.fill(stripe(begin, begin + 0.05), color.lighter(0.55))
      }
    default:
      break
    }
  }
}
