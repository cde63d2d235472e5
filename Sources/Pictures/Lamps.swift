/// The lamps, of which those over the table hang in front of everything.
extension Room {
  private var glow: Color { Color(0xFFE2A0) }

  private mutating func drawGlow(_ center: Point, _ radius: Double) {
    guard hour.lampsAreLit else { return }
    for (growth, opacity) in [(1.0, 0.07), (0.66, 0.09), (0.38, 0.13)] {
      canvas.fill(.circle(center.x, center.y, radius * growth), glow, opacity: opacity)
    }
  }

  mutating func drawPendants() {
    let count = isPortrait ? seed.integer(in: 1...2) : seed.integer(in: 1...3)
    let style = seed.integer(in: 0...3)
    let color = seed.pick([palette.accent, palette.second, palette.metal])
    let drop = (isPortrait ? 128.0 : 66) + seed.number(in: -6...10)
    for index in 0..<count {
      let offset = Double(index) - Double(count - 1) / 2
      let x = width / 2 + offset * (isPortrait ? 110 : 118)
      // The middle one of three hangs a little lower.
      let y = drop + (count == 3 && index == 1 ? 8 : 0)
      drawGlow(Point(x, y + 12 * scale), 90 * scale)
      if hour.lampsAreLit {
        let cone = [
          Point(x - 30 * scale, y + 10), Point(x + 30 * scale, y + 10), Point(x + 70 * scale, tableBase - 88 * scale),
          Point(x - 70 * scale, tableBase - 88 * scale),
        ]
        canvas.fill(.polygon(cone), glow, opacity: 0.07)
      }
      canvas.fill(.rectangle(Box(x - 1.2, 0, 2.4, y - 20 * scale)), palette.metal)
      drawPendant(style, Point(x, y), color)
    }
  }

  private mutating func drawPendant(_ style: Int, _ point: Point, _ color: Color) {
    let s = scale
    let (x, y) = (point.x, point.y)
    let bulb = hour.lampsAreLit ? Color(0xFFF1C4) : Color(0xFFF8E6)
    canvas.fill(.rectangle(Box(x - 5 * s, y - 30 * s, 10 * s, 12 * s), radius: 2), palette.metal)
    switch style {
    case 0:
      canvas.fill(.ellipse(Box(x - 33 * s, y + 2 * s, 66 * s, 13 * s)), bulb)
      canvas.fill(.rectangle(Box(x - 34 * s, y - 24 * s, 68 * s, 33 * s), upper: 33 * s, lower: 0), color)
      canvas.fill(
        .rectangle(Box(x - 24 * s, y - 17 * s, 13 * s, 20 * s), upper: 6 * s, lower: 6 * s), color.lighter(0.4),
        opacity: 0.6)
    case 1:
      canvas.fill(.circle(x, y, 22 * s), bulb)
      canvas.fill(.circle(x - 6 * s, y - 7 * s, 6 * s), Color(0xFFFFFF), opacity: 0.8)
    case 2:
      canvas.fill(.circle(x, y + 10 * s, 8 * s), bulb)
      let shade = [
        Point(x - 8 * s, y - 20 * s), Point(x + 8 * s, y - 20 * s), Point(x + 36 * s, y + 10 * s),
        Point(x - 36 * s, y + 10 * s),
      ]
      canvas.fill(.polygon(shade), color)
      canvas.fill(.rectangle(Box(x - 36 * s, y + 8 * s, 72 * s, 4 * s), radius: 2), color.darker(0.25))
    default:
      // A paper lantern with its hoops.
      let lantern = Box(x - 34 * s, y - 22 * s, 68 * s, 48 * s)
      canvas.fill(.ellipse(lantern), bulb.mixed(with: color, 0.12))
      canvas.clip = .ellipse(lantern)
      for index in 1..<6 {
        canvas.fill(.rectangle(Box(lantern.x, lantern.y + Double(index) * 8 * s, 68 * s, 1.4)), color, opacity: 0.4)
      }
      canvas.clip = nil
    }
  }

  mutating func drawFloorLamp(_ x: Double) {
    let s = scale
    let base = floor + 18 * s
    let top = base - 168 * s
    drawGlow(Point(x, top + 12 * s), 96 * s)
    canvas.fill(.ellipse(Box(x - 22 * s, base - 5 * s, 44 * s, 11 * s)), palette.metal)
    canvas.fill(.rectangle(Box(x - 2 * s, top, 4 * s, base - top)), palette.metal)
    let shade = [
      Point(x - 17 * s, top - 18 * s), Point(x + 17 * s, top - 18 * s), Point(x + 29 * s, top + 26 * s),
      Point(x - 29 * s, top + 26 * s),
    ]
    let cloth = hour.lampsAreLit ? Color(0xFFE7B4) : palette.trim
    canvas.fill(.polygon(shade), from: cloth.lighter(0.2), to: cloth.mixed(with: palette.accent, 0.25))
  }
}
