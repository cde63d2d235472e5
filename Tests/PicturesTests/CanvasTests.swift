import Testing

@testable import Pictures

@Suite("A canvas")
struct CanvasTests {
  @Test("draws those pixels of a disc that are within the clip")
  func clippedDisc() {
    let clip = Box(1, 0, 10, 9)
    var canvas = Canvas(width: 20, height: 20)
    canvas.fillDisc(at: (10, 10), radius: 8, .sun, within: clip)
    for y in 0..<canvas.height {
      for x in 0..<canvas.width {
        let isInClip = (clip.x..<clip.maxX).contains(x) && (clip.y..<clip.maxY).contains(y)
        let isInDisc = (x - 10) * (x - 10) + (y - 10) * (y - 10) < 8 * 8
        #expect(canvas.pixels[y * canvas.width + x] == (isInClip && isInDisc ? Ink.sun : .wall).rawValue, "\(x), \(y)")
      }
    }
  }
}
