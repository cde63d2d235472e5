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

  @Test("ends a sleep that is cancelled, and no other one")
  func cancellation() async throws {
    let clock = VirtualClock(advancesBySleeping: false)
    let end = clock.now.advanced(by: .seconds(1))
    let first = Task { try await clock.sleep(until: end) }
    await clock.waitForSleepers(1)
    let second = Task { try await clock.sleep(until: end) }
    await clock.waitForSleepers(2)
    second.cancel()
    clock.advance(by: .seconds(1))
    try await first.value
    await #expect(throws: CancellationError.self) { try await second.value }
  }
}
