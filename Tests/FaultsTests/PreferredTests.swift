import JSON
import Testing

@testable import Faults

@Suite("The Prefer field")
struct PreferredTests {
  static let honoured: [(field: String, applied: String, words: String)] = [
    ("code=503", "code=503", "status 503 before commit"),
    ("code=503; retry-after=2s", "code=503", "status 503, retry after 2s before commit"),
    ("delay=200ms", "delay=200ms", "latency 200ms"),
    ("delay=\"1.5s\"; phase=after", "delay=1.5s", "latency 1.5s after commit"),
    ("fault=reset; phase=after", "fault=reset", "reset after commit"),
    ("Fault=reset;PHASE=after", "fault=reset", "reset after commit"),
    ("fault=stall; at=\"1/3\"; for=2s; then=close", "fault=stall", "stall at 1/3 for 2s, then close before commit"),
    ("fault=stale; versions=2", "fault=stale", "stale by 2 before commit"),
    ("fault=drift", "fault=drift", "drift"), ("fault=drift; phase=after", "fault=drift", "drift after commit"),
    ("code=503, delay=200ms", "code=503, delay=200ms", "latency 200ms; status 503 before commit"),
    ("fault=truncate, code=500", "fault=truncate", "truncate at 1/2 before commit"),
    ("respond-async, wait=10, delay=1ms", "delay=1ms", "latency 1ms"),
    ("fault=reset; at=\"1/2\", colour=\"a, b; c\", code=1", "fault=reset", "reset before commit"),
    (" , delay = 1ms ,, foo=\"x\\\"y, code=500\"", "delay=1ms", "latency 1ms"),
    ("delay=1ms, delay=2ms", "delay=1ms", "latency 1ms"),
    ("fault=truncate; at=1/2, delay=1ms", "delay=1ms", "latency 1ms"),
  ]

  @Test("is applied where it is valid, and the applied part is reported", arguments: honoured)
  func honours(field: String, applied: String, words: String) throws {
    let preferred = try #require(Preferred(field, for: .patch(3), seed: 1))
    let plan = try #require(preferred.plan)
    #expect(preferred.applied == applied)
    #expect(plan.description == words)
    #expect(plan.position == .ordinal(3))
    #expect(plan.rules.isEmpty)
  }

  @Test(
    "is ignored where not all of it is valid",
    arguments: [
      "", ",", "respond-async", "code", "code=abc", "code=99", "code=600", "delay=200", "delay=2h", "fault=latency",
      "fault=rest", "fault=reset; phase=during", "fault=stall; at=\"3/2\"", "fault=hang; then=close", "phase=after",
      "code=503=4", "code=\"503", "fault=reset; =", "delay=200, delay=1ms", "offline=true",
    ])
  func ignores(field: String) {
    let preferred = Preferred(field, for: .patch(1), seed: 1)
    #expect(preferred?.plan == nil && preferred?.applied == nil)
  }

  @Test("draws its damage from the seed like a rule, and always as now")
  func draws() throws {
    let draws = try (1...3).map { try #require(Preferred("fault=drift", for: .patch($0), seed: 1)?.plan).fault?.draw }
    #expect(Set(draws).count == 3)
    #expect(draws[0] == 0xCA8C_AB89_88F3_3D67)
    #expect(Preferred("fault=drift", for: .patch(1), seed: 1)?.plan?.fault?.draw == draws[0])
  }
}
