import Testing

@testable import Pictures

@Suite("A canvas")
struct CanvasTests {
  @Test("draws those pixels of a disc that are within the clip")
  func clippedDisc() {
    let clip = Box(6, 7, 6, 5)
    var canvas = Canvas(width: 20, height: 20)
    canvas.fillDisc(at: (10, 10), radius: 8, .sun, within: clip)
    for y in 0..<canvas.height {
      for x in 0..<canvas.width {
        let isWithin = (clip.x..<clip.maxX).contains(x) && (clip.y..<clip.maxY).contains(y)
        #expect(canvas.pixels[y * canvas.width + x] == (isWithin ? Ink.sun : Ink.wall).rawValue, "\(x), \(y)")
      }
    }
  }
}
