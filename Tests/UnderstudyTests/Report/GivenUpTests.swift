import Contract
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

@Suite("Verdicts about clients that gave up")
struct GivenUpTests {
  @Test(
    "a client that reads or repeats a write after giving it up has followed it up, even before the server applies it"
  )
  func earlyLook() {
    func finding(_ method: String, _ target: String, value: UInt64 = 1, after wait: Duration) -> Verdict? {
      var traffic = Traffic()
      traffic.lost("PATCH", "/devices/A") { seen in
        seen.intent = Intent(.sets, record: seen.pathHash, meaning: seen.pathHash.mixed(with: 1))
        seen.end = seen.arrival + .seconds(6)
      }
      traffic.wait(wait)
      traffic.answered(200, method, target) { seen in
        if method == "PATCH" {
          seen.intent = Intent(.sets, record: seen.pathHash, meaning: seen.pathHash.mixed(with: value))
        }
      }
      traffic.wait(.seconds(60))
      return traffic.findings()[LostReplyFollowedUp.id]?.verdict
    }
    #expect(finding("PATCH", "/devices/A", after: .milliseconds(300)) == .pass)
    #expect(finding("PATCH", "/devices/A", value: 2, after: .seconds(4)) == .pass)
    #expect(
      finding("PATCH", "/devices/A", value: 2, after: .milliseconds(300)) == .fail, "the second write is concurrent")
    #expect(finding("GET", "/devices", after: .seconds(4)) == .pass)
    #expect(finding("GET", "/devices", after: .milliseconds(300)) == .fail, "the read is concurrent")
    #expect(finding("PATCH", "/devices/B", after: .seconds(4)) == .fail)
    #expect(finding("GET", "/activities", after: .seconds(4)) == .fail)
  }

  @Test("a client's equal write does not follow up the write that another client lost", arguments: [7, 8] as [UInt64])
  func otherClient(second: UInt64) {
    var traffic = Traffic()
    func set(_ seen: inout Observation) {
      seen.intent = Intent(.sets, record: seen.pathHash, meaning: seen.pathHash.mixed(with: 1))
    }
    traffic.lost("PATCH", "/devices/A", client: 7, set)
    traffic.wait(.seconds(1))
    traffic.answered(200, "PATCH", "/devices/A", client: second, set)
    traffic.wait(.seconds(60))
    #expect(traffic.findings()[LostReplyFollowedUp.id]?.verdict == (second == 7 ? .pass : .fail))
  }

  @Test("a lost write that is repeated too late is a warning, even after other requests that came too late")
  func lateRepetition() {
    var traffic = Traffic()
    func set(_ seen: inout Observation) {
      seen.intent = Intent(.sets, record: seen.pathHash, meaning: seen.pathHash.mixed(with: 1))
    }
    traffic.lost("PATCH", "/devices/A", set)
    traffic.wait(.seconds(31))
    traffic.answered(200, "GET", "/activities")
    #expect(traffic.findings()[LostReplyFollowedUp.id]?.verdict == .fail)
    traffic.wait(.seconds(1))
    traffic.answered(200, "PATCH", "/devices/A", set)
    #expect(traffic.findings()[LostReplyFollowedUp.id]?.verdict == .warn)
  }

  @Test("equal writes of two clients are not attempts of one request")
  func identities() {
    func identity(of client: UInt64) -> UInt64 {
      var seen = Observation.answered
      (seen.client, seen.isWrite) = (client, true)
      seen.intent = Intent(.sets, record: 1, meaning: 2)
      seen.identify()
      return seen.identity
    }
    #expect(identity(of: 7) == identity(of: 7) && identity(of: 7) != identity(of: 8))
  }

  @Test(
    "the waits and tags of a client are not judged after it gave up a slow response, since the time is unknown"
  )
  func givenUp() {
    var traffic = Traffic()
    for number in 1...30 {
      for _ in 1...2 {
        traffic.exchange("GET", "/devices/\(number)", took: .seconds(4)) { seen in
          seen.status = nil
          seen.outcome = .peerGone
          seen.planned.change { $0.delayBefore = NanosecondDuration(.seconds(4)) }
        }
        traffic.wait(.milliseconds(1))
      }
      traffic.answered(200, "GET", "/devices/\(number)")
    }
    #expect(traffic.findings()[BackoffGrows.id]?.verdict == .notExercised)
    #expect(traffic.findings()[RetryAfterHonoured.id]?.verdict == .notExercised)
  }

  @Test("a write that is repeated long after a slow attempt is not a duplicate", arguments: [300, 5_000])
  func turnedAgain(milliseconds: Int) {
    var traffic = Traffic()
    func apply(_ version: Int) -> (inout Observation) -> Void {
      { seen in
        seen.isApplied = true
        seen.versions = version..<version + 1
      }
    }
    traffic.exchange("POST", "/book", took: .zero) { seen in
      apply(0)(&seen)
      (seen.outcome, seen.status) = (.peerGone, nil)
      seen.end = seen.arrival + .seconds(5)
    }
    traffic.wait(.seconds(4))
    traffic.exchange("POST", "/book", took: .milliseconds(milliseconds))
    traffic.wait(.seconds(12))
    traffic.answered(200, "POST", "/book", apply(1))
    #expect(traffic.complaints().isEmpty)
  }

  @Test("an attempt that ends late belongs to the same request as the later attempts", arguments: [false, true])
  func absorbed(isDoubled: Bool) {
    var traffic = Traffic()
    traffic.exchange("POST", "/book", took: .zero) { seen in
      seen.isApplied = true
      seen.versions = 0..<1
      (seen.outcome, seen.status) = (.peerGone, nil)
      seen.end = seen.arrival + .seconds(5)
    }
    traffic.wait(.seconds(4))
    traffic.answered(503, "POST", "/book")
    traffic.wait(.seconds(3))
    traffic.answered(200, "POST", "/book") { seen in
      guard isDoubled else { return }
      seen.isApplied = true
      seen.versions = 1..<2
    }
    traffic.wait(.seconds(20))
    traffic.answered(200, "POST", "/book") { seen in
      seen.isApplied = true
      seen.versions = 2..<3
    }
    #expect(traffic.complaints() == (isDoubled ? [NoDuplicateEffect.id: .fail] : [:]))
  }

  @Test("waits of a person are not mistaken for the first waits of a client")
  func people() {
    var traffic = Traffic()
    var hash = SplitMix64(seed: 3)
    for number in 1...40 {
      let target = "/devices/\(number)"
      for bound in number % 4 == 0 ? [30_000, 30_000] : [250, 500, 1_000] {
        traffic.answered(503, "GET", target)
        let wait = Int.random(in: bound == 30_000 ? 11_000...19_000 : 0...bound, using: &hash)
        traffic.wait(.milliseconds(wait))
      }
      traffic.answered(200, "GET", target)
    }
    #expect(traffic.complaints().isEmpty)
    #expect(traffic.findings()[BackoffGrows.id]?.verdict == .pass)
  }

  @Test("the first waits and the later ones are compared only when there are enough of each")
  func comparedWaits() throws {
    var traffic = Traffic()
    var sentences: [String] = []
    for number in 1...40 {
      for wait in [50 + 10 * number, 300 + 20 * number] {
        traffic.answered(503, "GET", "/devices/\(number)")
        traffic.wait(.milliseconds(wait))
      }
      traffic.answered(200, "GET", "/devices/\(number)")
      if [2, 40].contains(number) {
        sentences.append(try #require(traffic.findings()[BackoffGrows.id]?.sentence))
      }
    }
    #expect(
      sentences == [
        "4 retries waited 60 ms to 340 ms, as waits do that grow and are drawn at random.",
        "First waits were 255 ms on average and later ones 710 ms, over 80 retries.",
      ])
  }

  @Test("an ignored Retry-After names a request that certainly came early, not an earlier one that may be another's")
  func certainlyEarly() throws {
    var traffic = Traffic()
    traffic.answered(503, "GET", "/activities", client: 8, retryAfter: .seconds(30)) { $0.isNamed = false }
    traffic.wait(.milliseconds(300))
    traffic.answered(200, "GET", "/activities", client: 8) { $0.isNamed = false }
    traffic.answered(503, retryAfter: .seconds(5))
    traffic.wait(.seconds(2))
    traffic.answered(200)
    let finding = try #require(traffic.findings()[RetryAfterHonoured.id])
    #expect(finding.verdict == .fail && finding.sentence.hasPrefix("1 request came before"), "\(finding.sentence)")
    #expect(finding.sentence.contains("/devices") && finding.sentence.contains("asked for 5 s"), "\(finding.sentence)")
    #expect(finding.evidence == [3, 4])
  }

  @Test("equal waits are no mistake of the client if Retry-After asked for them", arguments: [true, false])
  func askedWaits(isAsked: Bool) {
    var traffic = Traffic()
    for _ in 1...5 {
      traffic.answered(503, retryAfter: isAsked ? .seconds(1) : nil)
      traffic.wait(.seconds(1))
    }
    traffic.answered(200)
    #expect(traffic.findings()[BackoffGrows.id]?.verdict == (isAsked ? .notExercised : .fail))
  }

  @Test("a request that the transport repeats without success on several connections has to be followed up once")
  func repeatedInVain() {
    func verdict(_ isFollowed: Bool) -> Verdict? {
      var traffic = Traffic()
      traffic.lost("PATCH", "/devices/A")
      for _ in 0..<3 { traffic.lost("PATCH", "/devices/A") { $0.replayOf = 1 } }
      if isFollowed { traffic.answered(200, "GET", "/devices") }
      return traffic.findings()[LostReplyFollowedUp.id]?.verdict
    }
    #expect(verdict(true) == .pass)
    #expect(verdict(false) == .fail)
  }

  /// Returns the verdict about a lost write after which its client reads with these waits and statuses.
  private func verdict(
    _ looks: [(after: Duration, status: Int)], offline: ClosedRange<Duration>? = nil, end: Duration = .seconds(1),
    isFinal: Bool = true
  ) -> Verdict? {
    var traffic = Traffic()
    traffic.outage = offline
    traffic.lost("PATCH", "/devices/A")
    for look in looks {
      traffic.wait(look.after)
      traffic.answered(look.status, "GET", "/devices")
    }
    traffic.wait(end)
    return traffic.findings(isFinal: isFinal)[LostReplyFollowedUp.id]?.verdict
  }

  @Test("a client whose read fails has thirty seconds for the next one")
  func vainLooks() {
    #expect(verdict([(.seconds(25), 503), (.seconds(25), 503), (.seconds(25), 200)]) == .pass)
    #expect(verdict([(.seconds(25), 503), (.seconds(31), 200)]) == .fail)
    #expect(verdict([(.seconds(31), 503), (.seconds(1), 200)]) == .fail)
  }

  @Test(
    "a lost write is not judged if its client's reads fail until the run's end, and fails if the client never reads"
  )
  func vainToTheEnd() {
    #expect(verdict([(.seconds(2), 503)]) == .notExercised)
    #expect(verdict([(.seconds(2), 503)], end: .seconds(31)) == .fail)
    #expect(verdict([]) == .fail)
    #expect(verdict([], isFinal: false) == .notExercised)
  }

  @Test("a missing follow-up is a warning if a reset cut the client's time short")
  func cutByReset() {
    var traffic = Traffic()
    traffic.lost("PATCH", "/devices/A")
    traffic.answered(200, "PATCH", "/devices/B") { seen in
      seen.planned = Plan(
        seen.planned.position, Fault(.damage(.captivePortal), phase: .before, rule: "wifi", changes: true))
    }
    traffic.wait(.seconds(5))
    func verdict(_ id: String) -> Verdict? { traffic.findings(isFinal: false, isReset: true)[id]?.verdict }
    #expect(verdict(LostReplyFollowedUp.id) == .warn)
    #expect(verdict(DamagedReplyTrusted.id) == .warn)
    traffic.wait(.seconds(30))
    #expect(verdict(LostReplyFollowedUp.id) == .fail)
    #expect(verdict(DamagedReplyTrusted.id) == .warn)
  }

  @Test("the time for a follow-up does not include the sandbox's offline time")
  func outage() {
    let outage = Duration.seconds(10)...Duration.seconds(110)
    #expect(verdict([(.seconds(115), 200)], offline: outage) == .pass)
    #expect(verdict([(.seconds(140), 200)], offline: outage) == .fail)
    #expect(verdict([], offline: outage, end: .seconds(115), isFinal: false) == .notExercised)
    #expect(verdict([], offline: outage, end: .seconds(140), isFinal: false) == .fail)
  }
}
