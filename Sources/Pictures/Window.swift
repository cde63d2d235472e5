enum WindowStyle: Sendable {
  case grid
  case panes
  case arch
  case round
}

extension Room {
  mutating func drawWindow(_ box: Box, _ style: WindowStyle) {
    let frame = 8.0 * scale
    let color = palette.trim
    canvas.fill(
      opening(Box(box.x + 4, box.y + 6, box.width, box.height), style), palette.wall.darker(0.5), opacity: 0.3)
    canvas.fill(opening(box, style), color)
    let glass = box.inset(frame)
    canvas.fill(opening(box.inset(frame - 2), style), color.darker(0.25))
    canvas.clip = opening(glass, style)
    drawView(glass)
    drawReflection(glass)
    canvas.clip = opening(box, style)
    drawBars(glass, style)
    canvas.clip = nil
    if style != .round {
      let sill = Box(box.x - 12, box.maxY - 3, box.width + 24, 11 * scale)
      canvas.fill(.rectangle(Box(sill.x + 6, sill.maxY, sill.width - 12, 7)), palette.wall.darker(0.5), opacity: 0.3)
      canvas.fill(.rectangle(sill, radius: 3), from: color.lighter(0.4), to: color.darker(0.12))
    }
    if style == .panes {
      drawCurtains(box)
    }
  }

  private func opening(_ box: Box, _ style: WindowStyle) -> Shape {
    switch style {
    case .grid, .panes: .rectangle(box, radius: 3)
    case .arch: .rectangle(box, upper: box.width / 2, lower: 2)
    case .round: .ellipse(box)
    }
  }

  private mutating func drawReflection(_ glass: Box) {
    let lean = glass.height * 0.45
    for (offset, width) in [(0.12, 0.12), (0.29, 0.04)] {
      let x = glass.x + glass.width * offset
      let band = min(glass.width * width, 40)
      let streak = Shape.polygon([
        Point(x + lean, glass.y), Point(x + lean + band, glass.y), Point(x + band, glass.maxY), Point(x, glass.maxY),
      ])
      canvas.fill(streak, Color(0xFFFFFF), opacity: hour == .night ? 0.06 : 0.14)
    }
  }

  private mutating func drawBars(_ glass: Box, _ style: WindowStyle) {
    let bar = 5.0 * scale
    let color = palette.trim
    let columns = max(2, Int((glass.width / 105).rounded()))
    for index in 1..<columns {
      let x = glass.x + glass.width * Double(index) / Double(columns)
      canvas.fill(.rectangle(Box(x - bar / 2, glass.y, bar, glass.height)), color)
      canvas.fill(.rectangle(Box(x + bar / 2 - 1.5, glass.y, 1.5, glass.height)), color.darker(0.25))
    }
    guard style != .panes else { return }
    let rows = style == .grid && glass.height > 220 ? 3 : 2
    for index in 1..<rows {
      let share = style == .arch ? 0.42 : Double(index) / Double(rows)
      let y = glass.y + glass.height * share
      canvas.fill(.rectangle(Box(glass.x, y - bar / 2, glass.width, bar)), color)
      canvas.fill(.rectangle(Box(glass.x, y + bar / 2 - 1.5, glass.width, 1.5)), color.darker(0.25))
    }
  }

  private mutating func drawCurtains(_ box: Box) {
    let cloth = palette.accent.mixed(with: palette.trim, 0.35)
    let rail = Box(box.x - 26, box.y - 12, box.width + 52, 5)
    let length = box.height + 34
    let drop = 32.0 * scale
    for isRight in [false, true] {
      let edge = isRight ? rail.maxX - 4 - drop : rail.x + 4
      canvas.fill(.rectangle(Box(edge, rail.midY, drop, length), upper: 0, lower: 5), cloth)
      for fold in [0.22, 0.50, 0.78] {
        let x = edge + drop * fold
        canvas.fill(
          .line(Point(x, rail.maxY), Point(x, rail.midY + length - 3), width: 1.5, end: 4), cloth.darker(0.22))
      }
    }
    canvas.fill(.rectangle(rail, radius: 2.5), palette.metal)
    canvas.fill(.circle(rail.x, rail.midY, 5), palette.metal)
    canvas.fill(.circle(rail.maxX, rail.midY, 5), palette.metal)
  }

  /// The bright shape that a window throws on the floor.
  mutating func drawLight(from window: Box) {
    let (color, opacity) =
      switch hour {
      case .morning: (Color(0xFFF1D6), 0.24)
      case .noon: (Color(0xFFFBE8), 0.26)
      case .evening: (Color(0xFFB870), 0.30)
      case .night: (Color(0x9FB4F0), 0.13)
      }
    let slant = hour == .evening ? 120.0 : 60
    let (near, far) = (floor + 8 * scale, height - 14 * scale)
    let columns = max(2, Int((window.width / 105).rounded()))
    let pane = window.width / Double(columns)
    for index in 0..<columns {
      let x = window.x + pane * Double(index)
      let patch = Shape.polygon([
        Point(x + slant * 0.2 + 3, near), Point(x + slant * 0.2 + pane - 3, near),
        Point(x + slant + pane * 1.12 - 5, far), Point(x + slant + 5, far),
      ])
      canvas.fill(patch, color, opacity: opacity)
    }
  }
}
