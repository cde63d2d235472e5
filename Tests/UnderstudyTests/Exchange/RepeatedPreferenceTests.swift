import Contract
import Faults
import HTTP1
import Testing

@testable import Understudy

@Suite("Preferences that a client repeats")
struct RepeatedPreferenceTests {
  private static func request(_ lines: [String]) throws -> Request {
    try parsed("GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
  }

  @Test("have the plan of the field that was sent, for a read and for a write, in one line or in several")
  func plans() throws {
    let long = "x=" + String(repeating: "y", count: ScenarioState.maximumPreferenceBytes)
    let sent: [[String]] = [
      ["Prefer: delay=1s"], ["Prefer: delay=1s"], ["Prefer: delay=2s"], ["Prefer: fault=reset; phase=after"],
      ["Prefer: fault=reset; phase=after"], ["Prefer: delay=1s", "Prefer: code=503"], ["Prefer: delay=1s, code=503"],
      ["Prefer: delay=1s", "Prefer: code=429"], ["Prefer: delay=1s, \(long)"], ["Prefer: delay=1s, \(long)z"],
      ["Prefer: respond-async"], ["Prefer: respond-async"],
    ]
    let state = ScenarioState(.calm, seed: 1, at: Instant(seconds: 0))
    let stream = Faults.RequestKey(api: "devices", method: "PATCH", path: "/devices/1")
    for (n, lines) in (sent + sent).enumerated() {
      let request = try Self.request(lines)
      for changes in [true, false, true, true] {
        let context = RequestContext(stream: stream, position: .ordinal(n + 1), changes: changes)
        let combined = request.combined(.prefer)
        let text = try #require(combined)
        let preferred = state.preferences(in: request, changes: changes)
        let parsed = PreferenceField(text, changes: changes, seed: 1)
        #expect(preferred.plan(for: context) == parsed.plan(for: context), "\(lines), changes: \(changes)")
        #expect(
          preferred.applied == parsed.applied && preferred.appliedBesidesFault == parsed.appliedBesidesFault
            && preferred.notUnderstood == parsed.notUnderstood)
      }
    }
  }

  @Test("are parsed once")
  func cache() throws {
    let state = ScenarioState(.calm, seed: 1, at: Instant(seconds: 0))
    let request = try Self.request(["Prefer: delay=1s"])
    let (first, second) = (
      state.preferences(in: request, changes: true), state.preferences(in: request, changes: true)
    )
    #expect(first === second)
  }
}
