import Foundation
import Testing
import Understudy
import UnderstudyInMemory

@testable import UnderstudyClient

@Suite("A virtual clock")
struct VirtualClockTests {
  @Test("is advanced by its sleeps, which take no time")
  func sleeping() async throws {
    let clock = VirtualClock()
    let start = clock.now
    try await clock.sleep(for: .seconds(3_600))
    try await clock.sleep(until: start.advanced(by: .seconds(60)))
    #expect(start.duration(to: clock.now) == .seconds(3_600), "time does not run back")
    #expect(ClientClock(clock).elapsed() == .seconds(3_600))
    #expect(ClientClock(clock, from: Date(timeIntervalSince1970: 5)).date().timeIntervalSince1970 == 3_605)
  }

  @Test("advanced by hand, it ends the sleeps that are due, and no others")
  func byHand() async throws {
    let clock = VirtualClock(advancesBySleeping: false)
    let short = Task { try await clock.sleep(for: .seconds(1)) }
    let long = Task { try await clock.sleep(for: .seconds(10)) }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    try await short.value
    clock.advance(by: .milliseconds(8_999))
    long.cancel()
    await #expect(throws: CancellationError.self) { try await long.value }
    try await clock.sleep(until: clock.now)
  }
}
