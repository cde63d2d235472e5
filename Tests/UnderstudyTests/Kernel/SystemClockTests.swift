import Contract
import HTTP1
import Primitives
import Services
import Testing

@testable import Understudy

@Suite("The machine's clocks")
struct SystemClockTests {
  @Test("saturate before 1678 and after 2262")
  func saturates() {
    #expect(SystemClock.nanoseconds(seconds: 1, and: 5) == 1_000_000_005)
    #expect(SystemClock.nanoseconds(seconds: 9_300_000_000, and: 0) == .max)
    #expect(SystemClock.nanoseconds(seconds: 9_223_372_036, and: 999_999_999) == .max)
    #expect(SystemClock.nanoseconds(seconds: -9_300_000_000, and: 0) == .min)
  }

  @Test("serve at the last instant that there is", arguments: [Int64.max, .min])
  func served(nanoseconds: Int64) throws {
    let clocks = Clocks(tick: SystemClock.tick, instant: { Instant(nanoseconds: nanoseconds) })
    let application = Application(seeds: try .embedded(), clocks: clocks, requestLog: RequestLog(.json))
    let connection = HeldConnection(peer: "peer", port: Labels(), application: application, timeouts: Timeouts())
    connection.receive(Array(wire("GET", "/devices").utf8)[...])
    #expect(connection.output.bytes.starts(with: "HTTP/1.1 200 ".utf8))
  }
}
