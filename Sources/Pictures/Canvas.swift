/// An opaque image that shapes are laid upon, each with smooth edges.
package struct Canvas: Sendable {
  /// How many lines are cut through each row of pixels. Along a line the coverage is exact.
  private static let linesPerRow = 4

  package let width: Int
  package let height: Int

  /// Three bytes for each pixel, row by row.
  package private(set) var pixels: [UInt8]

  /// The area outside of which nothing is drawn. It must be convex.
  var clip: Shape?

  /// Whether left and right are exchanged.
  var isMirrored = false

  /// The coverage of the row being drawn: what a pixel gets for itself, and where whole pixels begin and end.
  private var partial: [Double]
  private var steps: [Double]

  package init(width: Int, height: Int, color: Color) {
    self.width = width
    self.height = height
    pixels = []
    pixels.reserveCapacity(width * height * 3)
    for _ in 0..<(width * height) {
      pixels.append(color.red)
      pixels.append(color.green)
      pixels.append(color.blue)
    }
    partial = [Double](repeating: 0, count: width + 1)
    steps = partial
  }

  mutating func fill(_ shape: Shape, _ color: Color, opacity: Double = 1) {
    fill(shape, from: color, to: color, opacity: opacity)
  }

  /// Lays a shape whose colour runs from its upper edge to its lower one.
  mutating func fill(_ shape: Shape, from top: Color, to bottom: Color, opacity: Double = 1) {
    let first = max(0, Int(shape.bounds.y.rounded(.down)))
    let last = min(height - 1, Int(shape.bounds.maxY.rounded(.down)))
    guard first <= last, shape.bounds.height > 0 else { return }
    let isFlat = top == bottom
    var spans: [Double] = []
    for row in first...last {
      var touched: ClosedRange<Int>?
      for line in 0..<Canvas.linesPerRow {
        let y = Double(row) + (Double(line) + 0.5) / Double(Canvas.linesPerRow)
        spans.removeAll(keepingCapacity: true)
        shape.appendSpans(at: y, to: &spans)
        cover(spans, at: y, touched: &touched)
      }
      guard let touched else { continue }
      // A gradient takes its steps every fourth row, for rows that are alike compress to almost nothing.
      let progress = (Double(row & ~3) + 2 - shape.bounds.y) / shape.bounds.height
      blend(isFlat ? top : top.mixed(with: bottom, progress).even, opacity: opacity, row: row, columns: touched)
    }
  }

  /// The quotient by 255, to six bits.
  ///
  /// Nobody sees the difference on an edge or in a shadow, and fewer colours repeat themselves more often, which
  /// makes the compressed picture smaller.
  private static func coarse(_ sum: Int) -> UInt8 {
    let value = (sum + 127) / 255
    return UInt8(value & 0xFC | value >> 6)
  }

  private mutating func cover(_ spans: [Double], at y: Double, touched: inout ClosedRange<Int>?) {
    var left = 0.0
    var right = Double(width)
    if let clip {
      var limits: [Double] = []
      clip.appendSpans(at: y, to: &limits)
      guard limits.count == 2 else { return }
      left = max(left, isMirrored ? right - limits[1] : limits[0])
      right = min(right, isMirrored ? right - limits[0] : limits[1])
    }
    for index in stride(from: 0, to: spans.count - 1, by: 2) {
      let (begin, end) = (spans[index], spans[index + 1])
      let from = max(left, isMirrored ? Double(width) - end : begin)
      let to = min(right, isMirrored ? Double(width) - begin : end)
      guard from < to else { continue }
      let (first, last) = (Int(from), Int(to))
      if first == last {
        partial[first] += to - from
      } else {
        partial[first] += Double(first + 1) - from
        partial[last] += to - Double(last)
        steps[first + 1] += 1
        steps[last] -= 1
      }
      touched = min(touched?.lowerBound ?? first, first)...max(touched?.upperBound ?? last, last)
    }
  }

  private mutating func blend(_ color: Color, opacity: Double, row: Int, columns: ClosedRange<Int>) {
    let (red, green, blue) = (Int(color.red), Int(color.green), Int(color.blue))
    // Eight steps of coverage make an edge smooth, and leave few colours along it.
    let scale = 255 * opacity / 8
    let steepness = 8 / Double(Canvas.linesPerRow)
    var running = 0.0
    for column in columns {
      running += steps[column]
      let alpha = Int(((running + partial[column]) * steepness).rounded() * scale + 0.5)
      partial[column] = 0
      steps[column] = 0
      guard alpha > 0, column < width else { continue }
      let index = (row * width + column) * 3
      if alpha >= 255 {
        pixels[index] = color.red
        pixels[index + 1] = color.green
        pixels[index + 2] = color.blue
      } else {
        let rest = 255 - alpha
        pixels[index] = Canvas.coarse(Int(pixels[index]) * rest + red * alpha)
        pixels[index + 1] = Canvas.coarse(Int(pixels[index + 1]) * rest + green * alpha)
        pixels[index + 2] = Canvas.coarse(Int(pixels[index + 2]) * rest + blue * alpha)
      }
    }
  }
}
