import Faults
import Primitives
import Testing

@testable import Understudy

@Suite("The transmission of a response")
struct TransmissionTests {
  @Test("has the field lines that were released whole, wherever it was cut")
  func fieldLines() {
    let status = "HTTP/1.1 200 OK\r\n"
    let lines = ["A: 1\r\n", "Bcd: 23\r\n", "E: \r\n"]
    let output = Array((status + lines.joined() + "\r\nbody").utf8)
    let layout = MessageLayout(
      start: 0, fields: status.utf8.count, body: output.count - 4, end: output.count)
    for end in 0...output.count {
      var transmission = Transmission(of: layout, at: MonotonicInstant(nanoseconds: 0))
      transmission.end = end
      let whole =
        (0...lines.count).map { lines.prefix($0).joined() }
        .last { status.utf8.count + $0.utf8.count <= end } ?? ""
      #expect(
        String(decoding: output[transmission.sentFieldLines(in: output)], as: UTF8.self) == whole, "cut at \(end)")
    }
  }
}
