import Contract
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// Bursts that are no loop, and evidence that comes long before or after what it excuses.
extension CourseTests {
  static let bursts: [Course] = [
    Course(
      "250 widgets read one record at once", at: .shop(isDeclared: false),
      [
        .beside((0..<250).map { (_: Int) -> [Course.Step] in [get("/config.json")] })
      ]),
    Course(
      "a page that begins with twelve reads of one record is opened twenty times in a row",
      at: .shop(isDeclared: false),
      [
        .times(
          20,
          [.beside((0..<12).map { (_: Int) -> [Course.Step] in [get("/config.json")] }), .wait(.milliseconds(20))])
      ]),
  ]

  @Test("gets no worse verdict than the evidence allows", arguments: bursts)
  func evidence(course: Course) throws { try check(course) }

  @Test("a loop that pauses and has late timers is counted once")
  func loopCountedOnce() throws {
    let turns: [Course.Step] = [.times(25, [Self.get("/users/3")]), .wait(.milliseconds(90))]
    let course = Course(
      "a loop with late timers", [.times(30, turns), Self.second(), .times(300, [Self.get("/users/3")])])
    let loop = try #require(course.play()[RequestsInALoop.id])
    #expect(loop.verdict == .fail)
    #expect(loop.sentence.hasPrefix("1 request was sent 200 times or more"), "\(loop.sentence)")
  }
}
