import Testing
import Understudy

@Suite("A clock whose time passes by sleeping")
struct VirtualClockTests {
  @Test("is at the end of a sleep afterwards, and is not turned back by one that ends in the past")
  func sleeps() async throws {
    let clock = VirtualClock()
    try await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
    #expect(clock.now.elapsed == .seconds(5))
    try await clock.sleep(until: clock.now.advanced(by: .seconds(-2)))
    #expect(clock.now.elapsed == .seconds(5))
  }
}
