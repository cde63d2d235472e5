/// The table in the middle, with the chairs around it and the things upon it.
extension Room {
  /// Where the feet of the table stand.
  var tableBase: Double { height - (isPortrait ? 62 : 34) }

  private var tabletop: Box {
    let half = isPortrait ? 124.0 : 186.0
    return Box(width / 2 - half, tableBase - 104 * scale, half * 2, 32 * scale)
  }

  mutating func drawTable() {
    let style = seed.pick([ChairStyle.shell, .slats, .office, .stool])
    let color = seed.pick([palette.accent, palette.accent, palette.second])
    let top = tabletop
    canvas.fill(
      .ellipse(Box(top.x - 26, tableBase - 16 * scale, top.width + 52, 32 * scale)), .shade, opacity: 0.20)
    let seats = isPortrait ? 2 : seed.integer(in: 2...3)
    for index in 0..<seats {
      let step = top.width * (seats == 2 ? 0.44 : 0.32)
      let x = width / 2 + (Double(index) - Double(seats - 1) / 2) * step
      drawChair(style, at: Point(x, tableBase - 26 * scale), color)
    }
    let wood = palette.wood
    drawLegs(under: top, wood)
    let edge = 9 * scale
    let isRound = seed.chance(55)
    func board(_ drop: Double) -> Shape {
      if isRound { return .ellipse(Box(top.x, top.y + drop, top.width, top.height)) }
      let slant = 30 * scale
      return .polygon([
        Point(top.x + slant, top.y + drop), Point(top.maxX - slant, top.y + drop),
        Point(top.maxX, top.maxY + drop), Point(top.x, top.maxY + drop),
      ])
    }
    canvas.fill(board(edge), wood.darker(0.34))
    if isRound {
      canvas.fill(.rectangle(Box(top.x, top.midY, top.width, edge)), wood.darker(0.34))
    } else {
      canvas.fill(.rectangle(Box(top.x, top.maxY, top.width, edge)), wood.darker(0.34))
    }
    canvas.fill(board(0), from: wood.lighter(0.26), to: wood.lighter(0.10))
    drawThings(on: top)
    if seed.chance(60), style != .stool {
      drawSideChair(at: Point(top.x - 26 * scale, tableBase + 4), facing: 1, color)
      drawSideChair(at: Point(top.maxX + 26 * scale, tableBase + 4), facing: -1, color)
    }
  }

  private mutating func drawLegs(under top: Box, _ wood: Color) {
    let (y, base) = (top.midY, tableBase)
    switch seed.integer(in: 0...2) {
    case 0:
      // One column on a round foot.
      canvas.fill(.ellipse(Box(width / 2 - 62 * scale, base - 12 * scale, 124 * scale, 20 * scale)), palette.metal)
      canvas.fill(
        .line(Point(width / 2, y), Point(width / 2, base - 3), width: 44 * scale, end: 20 * scale), palette.metal)
    case 1:
      // Trestles.
      for side in [-1.0, 1.0] {
        let x = width / 2 + side * top.width * 0.32
        for spread in [-1.0, 1.0] {
          let foot = Point(x + spread * 26 * scale, base)
          canvas.fill(.line(Point(x, y), foot, width: 11 * scale, end: 9 * scale), wood.darker(0.22))
        }
        canvas.fill(.rectangle(Box(x - 19 * scale, base - 30 * scale, 38 * scale, 5 * scale)), wood.darker(0.3))
      }
    default:
      // Four legs, the rear ones in the shade.
      for (offset, lift, shade) in [(0.30, 16.0, 0.48), (0.41, 0.0, 0.24)] {
        for side in [-1.0, 1.0] {
          let x = width / 2 + side * top.width * offset
          let foot = Point(x + side * 7, base - lift * scale)
          canvas.fill(.line(Point(x, y), foot, width: 14 * scale, end: 7 * scale), wood.darker(shade))
        }
      }
    }
  }

  private mutating func drawThings(on top: Box) {
    let y = top.midY
    let china = Color(0xFFFAF0).lit(by: hour.light)
    func shadow(_ x: Double, _ y: Double, _ half: Double) -> Shape {
      .ellipse(Box(x - half, y - half * 0.26, half * 2, half * 0.52))
    }
    if seed.chance(60) {
      let x = width / 2 + seed.number(in: -12...12)
      canvas.fill(shadow(x, y + 1, 20 * scale), .shade, opacity: 0.25)
      drawVase(at: Point(x, y))
    } else {
      let x = width / 2
      canvas.fill(shadow(x, y + 2, 32 * scale), .shade, opacity: 0.25)
      for (dx, color) in [(-12.0, 0xE2574C as UInt32), (12.0, 0xF2A93B), (0.0, 0x8DB750)] {
        canvas.fill(.circle(x + dx * scale, y - 17 * scale, 9 * scale), Color(color).lit(by: hour.light))
      }
      canvas.fill(
        .rectangle(Box(x - 28 * scale, y - 16 * scale, 56 * scale, 18 * scale), upper: 0, lower: 16 * scale), china)
    }
    let places = isPortrait ? [-0.30, 0.30] : [-0.34, -0.18, 0.2, 0.34]
    for place in places where seed.chance(75) {
      let x = width / 2 + top.width * place
      if seed.chance(45), !isPortrait || place > 0 {
        canvas.fill(shadow(x, y + 6, 25 * scale), .shade, opacity: 0.25)
        let grey = Color(0xC9CED8).lit(by: hour.light)
        let lid = [
          Point(x - 17 * scale, y - 20 * scale), Point(x + 17 * scale, y - 20 * scale),
          Point(x + 19 * scale, y + 5), Point(x - 19 * scale, y + 5),
        ]
        canvas.fill(.polygon(lid), grey)
        canvas.fill(.circle(x, y - 8 * scale, 3), grey.lighter(0.8))
        canvas.fill(.rectangle(Box(x - 23 * scale, y + 4, 46 * scale, 4), radius: 2), grey.darker(0.3))
      } else {
        canvas.fill(shadow(x, y + 5, 12 * scale), .shade, opacity: 0.25)
        let cup = seed.pick([china, palette.accent.lighter(0.15), palette.second.lighter(0.15)])
        canvas.fill(.circle(x + 9 * scale, y - 3, 4.5 * scale), cup.darker(0.15))
        canvas.fill(.rectangle(Box(x - 8 * scale, y - 9 * scale, 16 * scale, 15 * scale), upper: 1, lower: 6), cup)
        canvas.fill(
          .ellipse(Box(x - 7 * scale, y - 10.5 * scale, 14 * scale, 4 * scale)), Color(0x5A3626).lit(by: hour.light))
      }
    }
  }

  private mutating func drawVase(at foot: Point) {
    let mouth = Point(foot.x, foot.y - 26 * scale)
    for (dx, dy) in [(-20.0, -28.0), (-8.0, -42.0), (6.0, -36.0), (20.0, -24.0)] {
      let tip = Point(mouth.x + dx * scale, mouth.y + dy * scale)
      canvas.fill(.line(mouth, tip, width: 2), palette.leaf.darker(0.2))
      canvas.fill(.leaf(mouth, Point(tip.x + dx * 0.3, tip.y + 14), width: 6 * scale), palette.leaf)
      canvas.fill(
        .circle(tip.x, tip.y, 7 * scale), dx * dx > 300 ? palette.second.lighter(0.2) : palette.accent.lighter(0.25))
      canvas.fill(.circle(tip.x, tip.y, 2.6 * scale), Color(0xFFE08A).lit(by: hour.light))
    }
    let vase = Box(foot.x - 12 * scale, mouth.y, 24 * scale, 28 * scale)
    canvas.fill(.rectangle(vase, upper: 4 * scale, lower: 11 * scale), palette.trim.darker(0.06))
    canvas.fill(.rectangle(Box(vase.x, vase.midY - 3, vase.width, 5 * scale)), palette.accent, opacity: 0.7)
  }
}
