/// What one sees through a window.
extension Room {
  mutating func drawView(_ box: Box) {
    // Two windows of a room look at the same land, so each of them draws from a copy of the same choices.
    let resume = seed
    seed = viewSeed
    defer { seed = resume }
    let (top, bottom) = sky
    canvas.fill(.rectangle(box), from: top, to: bottom)
    drawLuminary(box)
    if hour == .night {
      drawStars(box)
    } else {
      drawClouds(box)
    }
    let horizon = box.y + box.height * seed.number(in: 0.62...0.72)
    switch seed.integer(in: 0...3) {
    case 0: drawSea(box, horizon)
    case 1: drawHills(box, horizon)
    case 2: drawCity(box, horizon)
    default: drawMountains(box, horizon)
    }
  }

  private var sky: (Color, Color) {
    switch hour {
    case .morning: (Color(0x8CC7E8), Color(0xFBE3CF))
    case .noon: (Color(0x5FB3E6), Color(0xCFEBF7))
    case .evening: (Color(0xD9678C), Color(0xFFCF87))
    case .night: (Color(0x141B45), Color(0x48528F))
    }
  }

  /// How far things sink into the colour of the sky with the distance.
  private func distant(_ color: UInt32, _ haze: Double) -> Color {
    Color(color).lit(by: hour == .night ? Color(0x5A628F) : hour.light).mixed(with: sky.1, haze)
  }

  private mutating func drawLuminary(_ box: Box) {
    let x = box.x + box.width * seed.number(in: 0.56...0.80)
    let radius = min(box.width, box.height) * seed.number(in: 0.10...0.13)
    let share = hour == .evening ? 0.50 : hour == .morning ? 0.40 : 0.24
    let y = box.y + box.height * share
    let color = hour == .night ? Color(0xF7F1D5) : hour == .evening ? Color(0xFFF0B8) : Color(0xFFF6CC)
    for (growth, opacity) in [(2.6, 0.12), (1.9, 0.14), (1.4, 0.20)] {
      canvas.fill(.circle(x, y, radius * growth), color, opacity: hour == .night ? opacity / 2 : opacity)
    }
    canvas.fill(.circle(x, y, radius), color)
    guard hour == .night else { return }
    for (dx, dy, size) in [(-0.3, -0.2, 0.24), (0.25, 0.3, 0.18), (0.3, -0.35, 0.13)] {
      canvas.fill(.circle(x + radius * dx, y + radius * dy, radius * size), Color(0xDDD5B8))
    }
  }

  private mutating func drawStars(_ box: Box) {
    for _ in 0..<Int(box.width * box.height / 1500) {
      let (x, y) = (seed.number(in: 0...1), seed.number(in: 0...0.6))
      let radius = seed.number(in: 0.6...1.6)
      canvas.fill(.circle(box.x + box.width * x, box.y + box.height * y, radius), Color(0xFFFBE6), opacity: 0.85)
    }
  }

  private mutating func drawClouds(_ box: Box) {
    let color = Color(0xFFFFFF).mixed(with: sky.1, hour == .evening ? 0.55 : 0.1)
    for _ in 0..<max(2, Int(box.width / 110)) {
      let length = seed.number(in: 44...84) * scale
      let x = box.x + (box.width + length) * seed.number(in: 0...1) - length
      let y = box.y + box.height * seed.number(in: 0.08...0.42)
      let thick = length * 0.2
      canvas.fill(.rectangle(Box(x, y, length, thick), radius: thick / 2), color)
      canvas.fill(.circle(x + length * 0.38, y + thick * 0.2, thick * 0.85), color)
      canvas.fill(.circle(x + length * 0.62, y + thick * 0.3, thick * 0.6), color)
    }
  }

  private mutating func drawSea(_ box: Box, _ horizon: Double) {
    let sea = Box(box.x, horizon, box.width, box.maxY - horizon)
    canvas.fill(.rectangle(sea), from: distant(0x3E9CB8, 0.35), to: distant(0x1F6F96, 0.05))
    for _ in 0..<Int(box.width / 14) {
      let depth = seed.number(in: 0.08...0.95)
      let length = 8 + 22 * depth
      let x = box.x + box.width * seed.number(in: 0...1)
      let wave = Box(x, horizon + sea.height * depth, length, 1.5 + depth)
      canvas.fill(.rectangle(wave, radius: 1), sky.1, opacity: 0.5)
    }
    let x = box.x + box.width * seed.number(in: 0.2...0.45)
    let (y, size) = (horizon + sea.height * 0.22, 15 * scale)
    let sail = distant(0xFFFFFF, 0.1)
    canvas.fill(.polygon([Point(x, y - size * 2), Point(x, y - 3), Point(x + size, y - 3)]), sail)
    canvas.fill(.polygon([Point(x - 2, y - size * 1.7), Point(x - 2, y - 3), Point(x - size * 0.7, y - 3)]), sail)
    let hull = [
      Point(x - size, y), Point(x + size * 1.1, y), Point(x + size * 0.7, y + 6), Point(x - size * 0.6, y + 6),
    ]
    canvas.fill(.polygon(hull), distant(0xB4463C, 0.1))
  }

  private mutating func drawHills(_ box: Box, _ horizon: Double) {
    for (layer, haze) in [0.6, 0.32, 0.08].enumerated() {
      let color = distant(layer == 0 ? 0x6FA287 : 0x4C8A5A, haze)
      let y = horizon + (box.maxY - horizon) * 0.24 * Double(layer)
      let span = max(box.width, 180) * seed.number(in: 0.5...0.7)
      var x = box.x - span * seed.number(in: 0.3...0.9)
      while x < box.maxX {
        canvas.fill(.ellipse(Box(x, y - 12, span * 1.5, 200 * scale)), color)
        if layer > 0 {
          drawTree(Point(x + span * 0.75, y - 6), distant(0x2F6548, haze))
        }
        x += span
      }
    }
  }

  private mutating func drawTree(_ foot: Point, _ color: Color) {
    for (offset, size) in [(-13.0, 0.8), (0.0, 1.15), (12.0, 0.9)] {
      let (x, rise) = (foot.x + offset * scale, 30 * size * scale)
      let crown = [Point(x, foot.y - rise), Point(x + rise * 0.28, foot.y + 3), Point(x - rise * 0.28, foot.y + 3)]
      canvas.fill(.polygon(crown), color)
    }
  }

  private mutating func drawCity(_ box: Box, _ horizon: Double) {
    for (haze, rise) in [(0.55, 0.42), (0.12, 0.24)] {
      let color = distant(0x4E5F80, haze)
      var x = box.x - seed.number(in: 0...20)
      while x < box.maxX {
        let wide = seed.number(in: 22...44) * scale
        let top = horizon - box.height * rise * seed.number(in: 0.15...1) + (haze < 0.5 ? 14 : 0)
        canvas.fill(.rectangle(Box(x, top, wide, box.maxY - top)), color)
        if seed.chance(25) {
          canvas.fill(.polygon([Point(x, top), Point(x + wide / 2, top - 14), Point(x + wide, top)]), color)
        }
        if haze < 0.5 {
          drawWindows(of: Box(x, top, wide, box.maxY - top))
        }
        x += wide + (seed.chance(30) ? 5 : 0)
      }
    }
  }

  private mutating func drawWindows(of house: Box) {
    let color = hour.lampsAreLit ? Color(0xFFD98A) : sky.1
    for row in 0..<Int(house.height / 12) {
      for column in 0..<Int((house.width - 6) / 9) where seed.chance(hour.lampsAreLit ? 45 : 75) {
        let pane = Box(house.x + 6 + Double(column) * 9, house.y + 8 + Double(row) * 12, 4, 6)
        canvas.fill(.rectangle(pane), color, opacity: hour.lampsAreLit ? 0.9 : 0.4)
      }
    }
  }

  private mutating func drawMountains(_ box: Box, _ horizon: Double) {
    for (haze, rise) in [(0.5, 0.36), (0.22, 0.22)] {
      var x = box.x - box.width * 0.2
      while x < box.maxX {
        let wide = max(box.width, 160) * seed.number(in: 0.34...0.6)
        let peak = Point(
          x + wide * seed.number(in: 0.42...0.58), horizon - box.height * rise * seed.number(in: 0.7...1))
        let (left, right) = (Point(x - 10, horizon + 20), Point(x + wide + 10, horizon + 20))
        func along(_ end: Point, _ share: Double) -> Point {
          Point(peak.x + (end.x - peak.x) * share, peak.y + (end.y - peak.y) * share)
        }
        canvas.fill(.polygon([peak, right, left]), distant(0x5A6C93, haze))
        canvas.fill(.polygon([peak, right, Point(peak.x + wide * 0.06, horizon + 20)]), distant(0x435479, haze))
        let snow = [
          peak, along(right, 0.26), along(Point(peak.x + wide * 0.2, right.y), 0.18),
          along(Point(peak.x, right.y), 0.3), along(Point(peak.x - wide * 0.2, left.y), 0.19), along(left, 0.28),
        ]
        canvas.fill(.polygon(snow), distant(0xFFFFFF, haze / 2))
        x += wide * 0.72
      }
    }
    canvas.fill(.rectangle(Box(box.x, horizon + 6, box.width, box.maxY - horizon)), distant(0x4C8062, 0.18))
    canvas.fill(
      .ellipse(Box(box.x - 30, horizon + 22, box.width + 60, 200)), from: distant(0x5E9A68, 0.05),
      to: distant(0x3E7850, 0))
  }
}
