enum ChairStyle: Sendable {
  case shell
  case slats
  case office
  case stool
}

extension Room {
  /// A chair that looks at us across the table.
  mutating func drawChair(_ style: ChairStyle, at foot: Point, _ color: Color) {
    let s = scale
    let seat = foot.y - 50 * s
    let legs = style == .office ? palette.metal : palette.wood.darker(0.25)
    if style == .office {
      canvas.fill(.rectangle(Box(foot.x - 3 * s, seat, 6 * s, 44 * s)), legs)
      for side in [-1.0, 1.0] {
        canvas.fill(
          .line(Point(foot.x, foot.y - 10 * s), Point(foot.x + side * 22 * s, foot.y), width: 6 * s, end: 4 * s), legs)
        canvas.fill(.circle(foot.x + side * 22 * s, foot.y, 4 * s), legs)
      }
    } else {
      for side in [-1.0, 1.0] {
        let top = Point(foot.x + side * 16 * s, seat)
        canvas.fill(.line(top, Point(foot.x + side * 23 * s, foot.y), width: 7 * s, end: 4 * s), legs)
      }
    }
    canvas.fill(.rectangle(Box(foot.x - 26 * s, seat - 4 * s, 52 * s, 11 * s), radius: 5 * s), color.darker(0.18))
    switch style {
    case .shell:
      canvas.fill(.rectangle(Box(foot.x - 30 * s, seat - 78 * s, 60 * s, 80 * s), upper: 27 * s, lower: 14 * s), color)
      canvas.fill(
        .rectangle(Box(foot.x - 23 * s, seat - 70 * s, 46 * s, 66 * s), upper: 21 * s, lower: 10 * s),
        color.lighter(0.13))
    case .slats:
      for side in [-1.0, 1.0] {
        canvas.fill(
          .line(Point(foot.x + side * 21 * s, seat), Point(foot.x + side * 25 * s, seat - 80 * s), width: 7 * s), color)
      }
      for rise in [74.0, 54.0, 34.0] {
        canvas.fill(
          .rectangle(Box(foot.x - 26 * s, seat - rise * s, 52 * s, 12 * s), radius: 4 * s),
          rise > 70 ? color.lighter(0.12) : color)
      }
    case .office:
      canvas.fill(.rectangle(Box(foot.x - 27 * s, seat - 84 * s, 54 * s, 74 * s), radius: 13 * s), palette.metal)
      canvas.fill(.rectangle(Box(foot.x - 23 * s, seat - 80 * s, 46 * s, 66 * s), radius: 10 * s), color)
      canvas.fill(.rectangle(Box(foot.x - 23 * s, seat - 48 * s, 46 * s, 3 * s)), color.darker(0.2))
    case .stool:
      canvas.fill(.rectangle(Box(foot.x - 30 * s, seat - 58 * s, 60 * s, 34 * s), upper: 17 * s, lower: 17 * s), color)
      canvas.fill(.rectangle(Box(foot.x - 3 * s, seat - 26 * s, 6 * s, 26 * s)), color.darker(0.25))
    }
  }

  /// A chair at the end of the table, seen from its side.
  mutating func drawSideChair(at foot: Point, facing: Double, _ color: Color) {
    let s = scale
    let f = facing * s
    let seat = foot.y - 52 * s
    let legs = palette.wood.darker(0.3)
    canvas.fill(.ellipse(Box(foot.x - 34 * s, foot.y - 7 * s, 68 * s, 14 * s)), .shade, opacity: 0.18)
    canvas.fill(.line(Point(foot.x - 14 * f, seat), Point(foot.x - 24 * f, foot.y), width: 8 * s, end: 4.5 * s), legs)
    canvas.fill(.line(Point(foot.x + 14 * f, seat), Point(foot.x + 22 * f, foot.y), width: 8 * s, end: 4.5 * s), legs)
    let (hip, head) = (Point(foot.x - 20 * f, seat), Point(foot.x - 34 * f, seat - 74 * s))
    canvas.fill(.line(hip, head, width: 13 * s, end: 9 * s), color)
    canvas.fill(.circle(hip.x, hip.y, 6.5 * s), color)
    canvas.fill(.circle(head.x, head.y, 4.6 * s), color)
    canvas.fill(.rectangle(Box(foot.x - 26 * s, seat - 7 * s, 52 * s, 13 * s), radius: 6.5 * s), color)
    canvas.fill(.rectangle(Box(foot.x - 22 * s, seat - 6 * s, 44 * s, 4 * s), radius: 2 * s), color.lighter(0.25))
  }
}
