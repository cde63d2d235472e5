import Faults
import Testing

@Suite("A preference that cannot be applied")
struct PreferenceErrorTests {
  /// A field, and the error reported for it.
  static let slips: [(field: String, words: String)] = [
    ("fault=rest", "fault=rest (did you mean fault=reset?)"),
    ("Fault=RESET", "Fault=RESET (did you mean fault=reset?)"),
    (
      "fault=explode",
      "fault=explode (expected one of reset, empty, hang, stall, truncate, garbage, corrupt, drift, stale, reset-bare, "
        + "bad-chunk, wrong-type, captive-portal)"
    ),
    ("delay=5", #"delay=5 (expected a duration with its unit from 0ms to 1h, as in "250ms", found "5")"#),
    ("code=9999", "code=9999 (expected an integer from 200 to 599, found 9999)"),
    ("code", #"code (expected an integer from 200 to 599, found "")"#),
    (
      "code=503; retry-after=2",
      "code=503; retry-after=2 (retry-after: expected a duration with its unit from 0ms to 24h, as in \"250ms\", "
        + "found \"2\")"
    ),
    ("status=503; retry_after=2s", "status=503; retry_after=2s (retry_after: did you mean retryAfter?)"),
    ("status=503; retry=2s", "status=503; retry=2s (retry: expected one of phase, retryAfter)"),
    ("delay=1s; forever=yes", "delay=1s; forever=yes (forever: expected phase)"),
    ("status=503; code=502", "status=503; code=502 (code is another word for status, which is given)"),
    ("fault=reset; delay=1s", "fault=reset; delay=1s (delay is a preference of its own, after a comma)"),
    ("delay=1s; fault=reset", "delay=1s; fault=reset (fault is a preference of its own, after a comma)"),
    (
      "code=503; retryAfter=1s; Retry-After=2s",
      "code=503; retryAfter=1s; Retry-After=2s (retry-after is another word for retryAfter, which is given)"
    ),
    ("fault=reset; phase=afterwards", "fault=reset; phase=afterwards (phase: expected before or after)"),
    ("fault=reset; phas=after", "fault=reset; phas=after (phas: did you mean phase?)"),
    ("phase=later", "phase=later (a parameter follows its preference and a semicolon, as in fault=reset; phase=after)"),
    ("statsu=503", "statsu=503 (did you mean status?)"), ("latecny=5s", "latecny=5s (did you mean latency?)"),
    ("DEALY=5s", "DEALY=5s (did you mean delay?)"), ("reset", "reset (did you mean fault=reset?)"),
    ("offline=true", "offline=true (only the rule of a scenario has it)"),
    (
      "fault=truncate; at=1/2",
      "fault=truncate; at=1/2 (malformed; a value with other characters than a token's is quoted, as in at=\"1/2\")"
    ),
    (
      "fault=\"",
      "fault=\" (malformed; a value with other characters than a token's is quoted, as in at=\"1/2\")"
    ),
    ("dealy=1/2", "dealy=1/2 (malformed; a value with other characters than a token's is quoted, as in at=\"1/2\")"),
    (
      "fault=rest, statsu=503, latecny=5s",
      "fault=rest (did you mean fault=reset?), statsu=503 (did you mean status?), latecny=5s (did you mean latency?)"
    ),
    (
      "fault=rest, statsu=503, latecny=5s, dealy=5s, codes=1",
      "fault=rest (did you mean fault=reset?), statsu=503 (did you mean status?), latecny=5s (did you mean latency?) "
        + "and 2 more"
    ),
    (
      "fault=rest, statsu=503, latecny=5s, dealy=5s",
      "fault=rest (did you mean fault=reset?), statsu=503 (did you mean status?), latecny=5s (did you mean latency?) "
        + "and 1 more"
    ),
    ("fault=\"reset\u{E9}\"", "fault=\"reset?\" (did you mean fault=reset?)"),
    (String(repeating: "a", count: 4_097), "a field of 4097 bytes (at most 4096 are read)"),
    (
      "fault=\(String(repeating: "a", count: 4_000))",
      "fault=\(String(repeating: "a", count: 51))... (expected one of reset, empty, hang, stall, truncate, garbage, "
        + "corrupt, drift, stale, reset-bare, bad-chunk, wrong-type, captive-portal)"
    ),
  ]

  @Test("has no effect and is reported with the reason", arguments: slips)
  func reports(field: String, words: String) throws {
    let preferred = try #require(Preferred(field, for: .patch(1), seed: 1))
    #expect(preferred.plan == nil && preferred.applied == nil)
    #expect(preferred.notUnderstood == words)
  }

  @Test(
    "is reported if it repeats an earlier one by its other word",
    arguments: [
      ("latency=1s, delay=100ms", "latency=1s", "delay=100ms (delay is another word for latency, which is given)"),
      ("code=503, status=500", "code=503", "status=500 (status is another word for code, which is given)"),
    ])
  func reportsRepetition(field: String, applied: String, words: String) throws {
    let preferred = try #require(Preferred(field, for: .patch(1), seed: 1))
    #expect(preferred.applied == applied && preferred.notUnderstood == words)
    let same = try #require(Preferred("delay=1s, delay=2s", for: .patch(1), seed: 1))
    #expect(same.applied == "delay=1s" && same.notUnderstood == nil, "RFC 7240 section 2: only the first counts")
  }

  @Test(
    "is ignored without a report if another specification defines it",
    arguments: [
      "return=minimal", "respond-async", "wait=10", "handling=lenient", "Return=Representation; foo=bar",
      "depth-noroot", "odata.maxpagesize=5", "timezone=Europe/Berlin", "", ",", "x y z",
    ])
  func ignoresOthers(field: String) {
    #expect(Preferred(field, for: .patch(1), seed: 1) == nil)
  }

  @Test(
    "is reported if it asks for the phase `after` of a request that changes nothing",
    arguments: [
      "fault=reset; phase=after", "delay=1s; phase=after", "code=503; phase=after",
    ])
  func reportsPhase(field: String) throws {
    let preferred = try #require(Preferred(field, for: .list(1), seed: 1))
    #expect(preferred.plan == nil)
    #expect(preferred.notUnderstood == "\(field) (expected phase=before: the request changes no state)")
  }

  @Test("leaves the other preferences in effect")
  func leavesOthers() throws {
    let preferred = try #require(Preferred("delay=5, code=503", for: .patch(1), seed: 1))
    #expect(preferred.applied == "code=503")
    #expect(preferred.notUnderstood?.hasPrefix("delay=5 (") == true)
  }

  @Test("invalidates the others if it is a parameter after a comma, since they mean something else without it")
  func takesOthers() throws {
    let preferred = try #require(Preferred("fault=reset, phase=after", for: .patch(1), seed: 1))
    #expect(preferred.plan == nil && preferred.applied == nil)
    #expect(preferred.notUnderstood?.hasPrefix("phase=after (a parameter follows") == true)
  }

  @Test("is reported if the fault has no such parameter, and the fault is applied without it")
  func reportsUnused() throws {
    let preferred = try #require(Preferred("fault=reset; at=\"1/2\"", for: .patch(1), seed: 1))
    #expect(preferred.plan?.description == "reset before commit")
    #expect(preferred.notUnderstood == "fault=reset; at=\"1/2\" (fault=reset takes no at)")
  }

  @Test("is reported in at most 250 bytes of printable ASCII, whatever its length and characters")
  func isBounded() throws {
    let field = (0..<100).map { "code=\($0)\u{1F6AA}; at=\"\u{301}\u{7F}\"" }.joined(separator: ", ")
    let words = try #require(
      Preferred("code=\u{7F}, fault=\"\u{301}\", " + field, for: .patch(1), seed: 1)?.notUnderstood)
    #expect(words.utf8.count <= 250)
    #expect(words.utf8.allSatisfy { (0x20...0x7E).contains($0) })
  }
}
