/// What hangs on the wall, and the door in it.
extension Room {
  /// One kind for all the boxes, except that a second clock would only tell another time.
  mutating func drawOrnaments(_ boxes: [Box]) {
    guard let first = boxes.first else { return }
    let kind = seed.pick(first.width > 140 ? [0, 1, 1, 4] : [0, 2, 3])
    drawOrnament(first, kind)
    for box in boxes.dropFirst() {
      drawOrnament(box, kind == 2 ? 0 : kind)
    }
  }

  private mutating func drawOrnament(_ box: Box, _ kind: Int) {
    switch kind {
    case 0: drawPicture(box)
    case 1: drawScreen(box)
    case 2: drawClock(box)
    case 3: drawShelf(box)
    default:
      drawPicture(Box(box.x - 8, box.y + 4, 80, 98))
      drawPicture(Box(box.maxX - 72, box.y + 4, 80, 98))
    }
  }

  private mutating func drawShadow(_ box: Box) {
    canvas.fill(.rectangle(Box(box.x + 4, box.y + 6, box.width, box.height), radius: 2), .shade, opacity: 0.2)
  }

  private mutating func drawPicture(_ box: Box) {
    drawShadow(box)
    canvas.fill(.rectangle(box), seed.pick([palette.wood, palette.metal, palette.trim]))
    canvas.fill(.rectangle(box.inset(5)), Color(0xFBF6EA).lit(by: hour.light))
    let art = box.inset(12)
    let clip = canvas.clip
    canvas.clip = .rectangle(art)
    let colors = [palette.accent, palette.second, palette.leaf]
    switch seed.integer(in: 0...3) {
    case 0:
      canvas.fill(.rectangle(art), palette.second.lighter(0.45))
      canvas.fill(.circle(art.midX, art.y + art.height * 0.38, art.width * 0.24), palette.accent)
      canvas.fill(.circle(art.x + art.width * 0.2, art.maxY + 8, art.width * 0.6), palette.leaf)
      canvas.fill(.circle(art.maxX, art.maxY + 16, art.width * 0.6), palette.leaf.darker(0.25))
    case 1:
      let step = art.width / 3
      for index in 0..<12 {
        let (x, y) = (art.x + Double(index % 3) * step, art.y + Double(index / 3) * step)
        canvas.fill(.rectangle(Box(x, y, step, step)), seed.pick(colors).lighter(0.35))
        canvas.fill(
          .circle(x + (seed.chance(50) ? 0 : step), y + (seed.chance(50) ? 0 : step), step), seed.pick(colors))
      }
    case 2:
      canvas.fill(.rectangle(art), palette.accent.lighter(0.55))
      for (growth, color) in [(0.62, palette.accent), (0.46, palette.trim), (0.30, palette.second)] {
        canvas.fill(.circle(art.midX, art.maxY, art.width * growth), color)
      }
    default:
      canvas.fill(.rectangle(art), palette.trim.mixed(with: palette.leaf, 0.15))
      let foot = Point(art.midX, art.maxY)
      canvas.fill(.line(foot, Point(art.midX, art.y + 12), width: 2), palette.leaf.darker(0.2))
      for index in 0..<5 {
        let y = art.y + art.height * (0.26 + 0.15 * Double(index))
        for side in [-1.0, 1.0] {
          let tip = Point(art.midX + side * art.width * 0.36, y - 10)
          canvas.fill(.leaf(Point(art.midX, y), tip, width: 7), palette.leaf)
        }
      }
    }
    canvas.clip = clip
  }

  private mutating func drawScreen(_ box: Box) {
    drawShadow(box)
    canvas.fill(.rectangle(box, radius: 5), palette.metal)
    let panel = box.inset(5)
    canvas.fill(.rectangle(panel, radius: 2), from: palette.second.darker(0.25), to: palette.second.darker(0.05))
    let heights = [0.28, 0.5, 0.38, 0.7]
    for (index, share) in heights.enumerated() {
      let rise = (panel.height - 40) * share
      let bar = Box(panel.x + 18 + Double(index) * 18, panel.maxY - 14 - rise, 11, rise)
      canvas.fill(.rectangle(bar, upper: 3, lower: 0), index == 3 ? palette.accent : palette.trim, opacity: 0.92)
    }
    for index in 0..<3 {
      let line = Box(panel.midX + 18, panel.y + 34 + Double(index) * 15, index == 2 ? 28 : 46, 5)
      canvas.fill(.rectangle(line, radius: 2.5), palette.trim, opacity: 0.75)
    }
    canvas.fill(.rectangle(Box(panel.x + 18, panel.y + 12, 58, 7), radius: 3.5), palette.trim, opacity: 0.9)
  }

  private mutating func drawClock(_ box: Box) {
    let (x, y, radius) = (box.midX, box.y + box.height * 0.42, min(box.width, box.height) * 0.42)
    canvas.fill(.circle(x + 4, y + 6, radius), .shade, opacity: 0.2)
    canvas.fill(.circle(x, y, radius), palette.accent)
    canvas.fill(.circle(x, y, radius - 5), Color(0xFFFAF0).lit(by: hour.light))
    for (dx, dy) in [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)] {
      canvas.fill(.circle(x + dx * radius * 0.7, y + dy * radius * 0.7, 2.2), palette.metal)
    }
    let (hours, minutes) = seed.pick([
      (Point(-0.36, -0.22), Point(0.34, -0.52)), (Point(0.4, -0.1), Point(0.02, -0.62)),
      (Point(0.2, 0.38), Point(0.6, -0.16)), (Point(-0.3, 0.3), Point(-0.5, -0.38)),
    ])
    let middle = Point(x, y)
    canvas.fill(.line(middle, Point(x + hours.x * radius, y + hours.y * radius), width: 4.5), palette.metal)
    canvas.fill(.line(middle, Point(x + minutes.x * radius, y + minutes.y * radius), width: 3), palette.metal)
    canvas.fill(.circle(x, y, 4), palette.accent.darker(0.2))
  }

  private mutating func drawShelf(_ box: Box) {
    let colors = [palette.accent, palette.second, palette.leaf, palette.trim, palette.accent.darker(0.3)]
    for board in 0..<2 {
      let y = box.y + box.height * (board == 0 ? 0.42 : 0.98)
      var x = box.x + 8
      let limit = box.maxX - (board == 0 ? 36 : 14)
      while x < limit {
        let (thick, tall) = (seed.number(in: 7...12), seed.number(in: 26...40))
        canvas.fill(.rectangle(Box(x, y - tall, thick, tall), radius: 1), seed.pick(colors))
        canvas.fill(.rectangle(Box(x, y - tall * 0.8, thick, 3)), palette.trim, opacity: 0.45)
        x += thick + 1
      }
      if board == 0 {
        let foot = Point(box.maxX - 18, y - 13)
        for tip in [Point(-13, -17), Point(-4, -24), Point(6, -23), Point(14, -14)] {
          canvas.fill(.leaf(foot, Point(foot.x + tip.x, foot.y + tip.y), width: 6), palette.leaf)
        }
        canvas.fill(.rectangle(Box(foot.x - 9, y - 15, 18, 15), upper: 1, lower: 5), palette.trim.darker(0.08))
      }
      canvas.fill(.rectangle(Box(box.x + 3, y + 6, box.width - 2, 6)), .shade, opacity: 0.2)
      canvas.fill(.rectangle(Box(box.x - 3, y, box.width + 6, 7), radius: 1.5), palette.wood)
    }
  }

  mutating func drawDoor(_ box: Box) {
    let color = seed.pick([palette.wood, palette.accent, palette.second])
    canvas.fill(.rectangle(Box(box.x - 9, box.y - 9, box.width + 18, box.height + 9)), palette.trim)
    canvas.fill(.rectangle(box), color.darker(0.35))
    let leaf = Box(box.x + 2, box.y + 2, box.width - 4, box.height - 2)
    canvas.fill(.rectangle(leaf), from: color.lighter(0.06), to: color.darker(0.08))
    if seed.chance(50) {
      let glass = Box(leaf.x + 18, leaf.y + 20, leaf.width - 36, 84)
      canvas.fill(.rectangle(glass, radius: 2), color.darker(0.3))
      let light = hour.lampsAreLit ? Color(0xFFDFA0) : Color(0xDCEFF2)
      canvas.fill(.rectangle(glass.inset(3), radius: 1), from: light, to: light.darker(0.15))
      canvas.fill(.rectangle(Box(glass.midX - 2, glass.y, 4, glass.height)), color.darker(0.1))
      canvas.fill(.rectangle(Box(glass.x, glass.midY - 2, glass.width, 4)), color.darker(0.1))
    } else {
      for (y, tall) in [(16.0, 76.0), (106.0, 66.0)] {
        let panel = Box(leaf.x + 14, leaf.y + y, leaf.width - 28, tall)
        canvas.fill(.rectangle(panel), color.darker(0.28))
        canvas.fill(.rectangle(Box(panel.x + 2.5, panel.y + 2.5, panel.width - 2.5, panel.height - 2.5)), color)
      }
    }
    canvas.fill(.rectangle(Box(leaf.x + 7, leaf.midY + 4, 17, 4.5), radius: 2.2), Color(0xF2D48A).lit(by: hour.light))
    canvas.fill(.circle(leaf.x + 9, leaf.midY + 6, 5), Color(0xF2D48A).lit(by: hour.light))
  }
}
