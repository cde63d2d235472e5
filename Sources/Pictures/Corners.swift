/// What stands on the floor beside the table: mostly plants, sometimes a lamp.
extension Room {
  mutating func drawCorner(_ x: Double) {
    switch seed.integer(in: 0...5) {
    case 0, 1: drawBroadLeaves(x)
    case 2: drawSwords(x)
    case 3: drawLittleTree(x)
    case 4: drawCactus(x)
    case 5 where min(x, width - x) > 32 * scale: drawFloorLamp(x)
    default: drawSwords(x)
    }
  }

  private var ground: Double { floor + 26 * scale }

  private mutating func drawPot(_ x: Double, width: Double, height: Double) {
    let color = seed.pick([
      palette.accent, palette.second, Color(0xC8704F).lit(by: hour.light),
    ])
    canvas.fill(
      .ellipse(Box(x - width * 0.62, ground - 7 * scale, width * 1.24, 14 * scale)), .shade, opacity: 0.22)
    let pot = [
      Point(x - width / 2, ground - height), Point(x + width / 2, ground - height), Point(x + width * 0.36, ground),
      Point(x - width * 0.36, ground),
    ]
    canvas.fill(.polygon(pot), from: color, to: color.darker(0.15))
    let rim = Box(x - width * 0.55, ground - height - 3 * scale, width * 1.1, 9 * scale)
    canvas.fill(.rectangle(rim, radius: 2), color.lighter(0.14))
  }

  private mutating func drawBroadLeaves(_ x: Double) {
    let s = scale
    let stem = Point(x, ground - 30 * s)
    let tips = [
      (-46.0, -64.0), (44.0, -70.0), (-30.0, -104.0), (30.0, -108.0), (-52.0, -30.0), (52.0, -34.0), (0.0, -126.0),
    ]
    for (index, tip) in tips.enumerated() {
      let end = Point(x + tip.0 * s, stem.y + tip.1 * s)
      let start = Point(x + tip.0 * 0.3 * s, stem.y + tip.1 * 0.36 * s)
      let color = index % 2 == 0 ? palette.leaf : palette.leaf.darker(0.18)
      canvas.fill(.line(stem, start, width: 3 * s), palette.leaf.darker(0.3))
      canvas.fill(.leaf(start, end, width: 21 * s, bend: tip.0 > 0 ? -5 : 5), color)
      canvas.fill(.line(start, end, width: 1.6, end: 0.5), color.lighter(0.35), opacity: 0.7)
    }
    drawPot(x, width: 46 * s, height: 36 * s)
  }

  private mutating func drawSwords(_ x: Double) {
    let s = scale
    for (index, tip) in [(-26.0, 62.0), (24.0, 70.0), (-13.0, 92.0), (13.0, 84.0), (0.0, 108.0)].enumerated() {
      let color = index % 2 == 0 ? palette.leaf : palette.leaf.darker(0.2)
      let stem = Point(x + tip.0 * 0.45 * s, ground - 28 * s)
      let end = Point(x + tip.0 * s, ground - (30 + tip.1) * s)
      canvas.fill(.leaf(stem, end, width: 11 * s), color.lighter(0.3))
      canvas.fill(.leaf(stem, end, width: 7 * s), color)
    }
    drawPot(x, width: 44 * s, height: 34 * s)
  }

  private mutating func drawLittleTree(_ x: Double) {
    let s = scale
    canvas.fill(
      .line(Point(x, ground - 30 * s), Point(x + 3, ground - 104 * s), width: 6 * s, end: 4 * s), palette.wood)
    for (dx, dy, radius, shade) in [
      (0.0, -122.0, 32.0, 0.16), (-20.0, -108.0, 21.0, 0.22), (22.0, -112.0, 21.0, 0.08), (4.0, -136.0, 22.0, 0.0),
      (-12.0, -128.0, 16.0, 0.04),
    ] {
      canvas.fill(.circle(x + dx * s, ground + dy * s, radius * s), palette.leaf.darker(shade))
    }
    for (dx, dy) in [(-18.0, -112.0), (14.0, -124.0), (24.0, -104.0), (-4.0, -142.0), (2.0, -106.0)] {
      canvas.fill(.circle(x + dx * s, ground + dy * s, 4.2 * s), Color(0xF4A340).lit(by: hour.light))
    }
    drawPot(x, width: 48 * s, height: 38 * s)
  }

  private mutating func drawCactus(_ x: Double) {
    let s = scale
    let color = palette.leaf
    func column(_ left: Double, _ top: Double, _ wide: Double, _ tall: Double) -> Shape {
      .rectangle(Box(x + left * s, ground - top * s, wide * s, tall * s), radius: wide / 2 * s)
    }
    canvas.fill(column(-34, 84, 14, 34), color.darker(0.16))
    canvas.fill(column(-34, 64, 34, 14), color.darker(0.16))
    canvas.fill(column(20, 100, 14, 42), color.darker(0.08))
    canvas.fill(column(0, 72, 34, 14), color.darker(0.08))
    canvas.fill(column(-14, 130, 28, 110), color)
    for offset in [-6.0, 0.0, 6.0] {
      canvas.fill(
        .rectangle(Box(x + (offset - 0.8) * s, ground - 120 * s, 1.6 * s, 84 * s)), color.lighter(0.45), opacity: 0.6)
    }
    canvas.fill(.circle(x, ground - 130 * s, 6 * s), palette.accent.lighter(0.2))
    drawPot(x, width: 44 * s, height: 34 * s)
  }

  /// A cat asleep before the table, where no chair hides it.
  mutating func drawCat(_ x: Double) {
    let s = scale
    let fur = seed.pick([Color(0xE79A4E), Color(0x4A4653), Color(0xF3EBDD)]).lit(by: hour.light)
    let y = height - 15 * s
    canvas.fill(.ellipse(Box(x - 36 * s, y - 6 * s, 72 * s, 13 * s)), .shade, opacity: 0.22)
    canvas.fill(.rectangle(Box(x - 30 * s, y - 27 * s, 56 * s, 28 * s), upper: 24 * s, lower: 9 * s), fur)
    canvas.fill(.rectangle(Box(x - 8 * s, y - 7 * s, 42 * s, 8 * s), radius: 4 * s), fur.darker(0.14))
    let head = Point(x - 22 * s, y - 14 * s)
    for side in [-1.0, 1.0] {
      let ear = [
        Point(head.x + side * 12 * s, head.y - 19 * s), Point(head.x + side * 2 * s, head.y - 9 * s),
        Point(head.x + side * 13 * s, head.y - 4 * s),
      ]
      canvas.fill(.polygon(ear), fur.darker(0.08))
    }
    canvas.fill(.ellipse(Box(head.x - 14 * s, head.y - 12 * s, 28 * s, 23 * s)), fur.lighter(0.08))
    for side in [-1.0, 1.0] {
      let eye = Box(head.x + (side * 6 - 3) * s, head.y - 1 * s, 6 * s, 1.8 * s)
      canvas.fill(.rectangle(eye, radius: 0.9), fur.darker(0.75))
    }
    canvas.fill(.circle(head.x, head.y + 4 * s, 1.8 * s), Color(0xD9746C))
  }
}
