struct Point: Sendable {
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

struct Box: Sendable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  var midX: Double { x + width / 2 }
  var midY: Double { y + height / 2 }
  var maxX: Double { x + width }
  var maxY: Double { y + height }

  func inset(_ amount: Double) -> Box {
    Box(x + amount, y + amount, width - 2 * amount, height - 2 * amount)
  }
}

/// An area, known by the stretches that a horizontal line cuts out of it.
///
/// Only the operations that IEEE 754 rounds exactly take part, no sine or cosine, so that every machine draws the same.
package struct Shape: Sendable {
  private enum Kind {
    case ellipse
    /// A rectangle with its own radius for the upper corners and for the lower ones.
    case rectangle(upper: Double, lower: Double)
    case polygon([Point])
  }

  private let kind: Kind
  let bounds: Box

  static func ellipse(_ bounds: Box) -> Shape { Shape(kind: .ellipse, bounds: bounds) }

  static func circle(_ x: Double, _ y: Double, _ radius: Double) -> Shape {
    .ellipse(Box(x - radius, y - radius, 2 * radius, 2 * radius))
  }

  static func rectangle(_ bounds: Box, radius: Double = 0) -> Shape {
    .rectangle(bounds, upper: radius, lower: radius)
  }

  static func rectangle(_ bounds: Box, upper: Double, lower: Double) -> Shape {
    let limit = min(bounds.width / 2, bounds.height)
    return Shape(kind: .rectangle(upper: min(upper, limit), lower: min(lower, limit)), bounds: bounds)
  }

  static func polygon(_ points: [Point]) -> Shape {
    let xs = points.map(\.x)
    let ys = points.map(\.y)
    let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
    let bounds = Box(left, top, (xs.max() ?? 0) - left, (ys.max() ?? 0) - top)
    return Shape(kind: .polygon(points), bounds: bounds)
  }

  /// A stroke that may grow thinner or wider on its way.
  static func line(_ from: Point, _ to: Point, width: Double, end: Double? = nil) -> Shape {
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    let length = max((dx * dx + dy * dy).squareRoot(), 0.001)
    let (nx, ny) = (-dy / length / 2, dx / length / 2)
    let last = end ?? width
    return .polygon([
      Point(from.x + nx * width, from.y + ny * width), Point(to.x + nx * last, to.y + ny * last),
      Point(to.x - nx * last, to.y - ny * last), Point(from.x - nx * width, from.y - ny * width),
    ])
  }

  /// A leaf between its stem and its tip, bent over to the side by `bend` and `width` wide.
  static func leaf(_ stem: Point, _ tip: Point, width: Double, bend: Double = 0) -> Shape {
    let (dx, dy) = (tip.x - stem.x, tip.y - stem.y)
    let length = max((dx * dx + dy * dy).squareRoot(), 0.001)
    let (nx, ny) = (-dy / length, dx / length)
    func control(_ offset: Double) -> Point {
      Point(stem.x + dx * 0.45 + nx * offset, stem.y + dy * 0.45 + ny * offset)
    }
    return .polygon(curve(stem, control(bend + width), tip) + curve(tip, control(bend - width), stem))
  }

  /// The points of a quadratic Bézier curve, without the last one.
  static func curve(_ from: Point, _ control: Point, _ to: Point) -> [Point] {
    (0..<14).map { step in
      let t = Double(step) / 14
      let u = 1 - t
      return Point(
        u * u * from.x + 2 * u * t * control.x + t * t * to.x,
        u * u * from.y + 2 * u * t * control.y + t * t * to.y)
    }
  }

  /// Appends the begin and the end of each stretch at the height `y`.
  func appendSpans(at y: Double, to spans: inout [Double]) {
    switch kind {
    case .ellipse:
      let offset = (y - bounds.midY) / (bounds.height / 2)
      guard offset * offset < 1 else { return }
      let half = bounds.width / 2 * (1 - offset * offset).squareRoot()
      spans.append(bounds.midX - half)
      spans.append(bounds.midX + half)
    case .rectangle(let upper, let lower):
      guard y >= bounds.y, y < bounds.maxY else { return }
      var cut = 0.0
      if y < bounds.y + upper {
        let rise = bounds.y + upper - y
        cut = upper - (upper * upper - rise * rise).squareRoot()
      } else if y > bounds.maxY - lower {
        let drop = y - bounds.maxY + lower
        cut = lower - (lower * lower - drop * drop).squareRoot()
      }
      spans.append(bounds.x + cut)
      spans.append(bounds.maxX - cut)
    case .polygon(let points):
      let first = spans.count
      var from = points.count - 1
      for to in points.indices {
        let (a, b) = (points[from], points[to])
        if (a.y <= y) != (b.y <= y) {
          spans.append(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
        }
        from = to
      }
      spans[first...].sort()
    }
  }
}
