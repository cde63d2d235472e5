import Contract
import Faults
import Testing

@testable import Understudy

@Suite("What only the client knows")
struct GivenUpTests {
  @Test("a client that gave up a write and looked while the server still worked on it has not forgotten it")
  func earlyLook() {
    func finding(_ method: String, _ target: String, value: UInt64 = 1, after wait: Duration) -> Verdict? {
      var scene = Scene()
      scene.lost("PATCH", "/devices/A") { seen in
        seen.intent = Intent(.sets, record: seen.place, meaning: seen.place.mixed(with: 1))
        seen.end = seen.arrival + .seconds(6)
      }
      scene.wait(wait)
      scene.answered(200, method, target) { seen in
        if method == "PATCH" { seen.intent = Intent(.sets, record: seen.place, meaning: seen.place.mixed(with: value)) }
      }
      scene.wait(.seconds(60))
      return scene.findings()[LostReplyFollowedUp.id]?.verdict
    }
    #expect(finding("PATCH", "/devices/A", after: .milliseconds(300)) == .pass)
    #expect(finding("PATCH", "/devices/A", value: 2, after: .seconds(4)) == .pass)
    #expect(finding("PATCH", "/devices/A", value: 2, after: .milliseconds(300)) == .fail, "that was sent beside it")
    #expect(finding("GET", "/devices", after: .seconds(4)) == .pass)
    #expect(finding("GET", "/devices", after: .milliseconds(300)) == .fail, "that was asked beside it")
    #expect(finding("PATCH", "/devices/B", after: .seconds(4)) == .fail)
    #expect(finding("GET", "/activities", after: .seconds(4)) == .fail)
  }

  @Test(
    "the time at which a client gave up a slow response is unknown, so its waits and unseen tags are not held against it"
  )
  func givenUp() {
    var scene = Scene()
    for number in 1...30 {
      for _ in 1...2 {
        scene.exchange("GET", "/devices/\(number)", took: .seconds(4)) { seen in
          seen.status = nil
          seen.outcome = .peerGone
          seen.plan.delayBefore = .seconds(4)
        }
        scene.wait(.milliseconds(1))
      }
      scene.answered(200, "GET", "/devices/\(number)")
    }
    #expect(scene.findings()[BackoffGrows.id]?.verdict == .notExercised)
    #expect(scene.findings()[RetryAfterHonoured.id]?.verdict == .notExercised)
  }

  @Test("a switch that was turned again long after a slow try of it is turned once", arguments: [300, 5_000])
  func turnedAgain(milliseconds: Int) {
    var scene = Scene()
    func apply(_ version: Int) -> (inout Observation) -> Void {
      { seen in
        seen.isApplied = true
        seen.versions = version..<version + 1
      }
    }
    scene.exchange("POST", "/book", took: .zero) { seen in
      apply(0)(&seen)
      seen.outcome = .peerGone
      seen.end = seen.arrival + .seconds(5)
    }
    scene.wait(.seconds(4))
    scene.exchange("POST", "/book", took: .milliseconds(milliseconds))
    scene.wait(.seconds(12))
    scene.answered(200, "POST", "/book", apply(1))
    #expect(scene.complaints().isEmpty)
  }

  @Test("what ends late counts to the attempts that came after it", arguments: [false, true])
  func absorbed(isDoubled: Bool) {
    var scene = Scene()
    scene.exchange("POST", "/book", took: .zero) { seen in
      seen.isApplied = true
      seen.versions = 0..<1
      seen.outcome = .peerGone
      seen.end = seen.arrival + .seconds(5)
    }
    scene.wait(.seconds(4))
    scene.answered(503, "POST", "/book")
    scene.wait(.seconds(3))
    scene.answered(200, "POST", "/book") { seen in
      guard isDoubled else { return }
      seen.isApplied = true
      seen.versions = 1..<2
    }
    scene.wait(.seconds(20))
    scene.answered(200, "POST", "/book") { seen in
      seen.isApplied = true
      seen.versions = 2..<3
    }
    #expect(scene.complaints() == (isDoubled ? [NoDuplicateEffect.id: .fail] : [:]))
  }

  @Test("people who try again after a while do not make the waits of their client look long at first")
  func people() {
    var scene = Scene()
    var hash = WireRandom(seed: 3)
    for number in 1...40 {
      let target = "/devices/\(number)"
      for bound in number % 4 == 0 ? [30_000, 30_000] : [250, 500, 1_000] {
        scene.answered(503, "GET", target)
        let wait = Int.random(in: bound == 30_000 ? 11_000...19_000 : 0...bound, using: &hash)
        scene.wait(.milliseconds(wait))
      }
      scene.answered(200, "GET", target)
    }
    #expect(scene.complaints().isEmpty)
    #expect(scene.findings()[BackoffGrows.id]?.verdict == .pass)
  }

  @Test("equal waits that Retry-After set are the server's, and no mistake of the client", arguments: [true, false])
  func askedWaits(isAsked: Bool) {
    var scene = Scene()
    for _ in 1...5 {
      scene.answered(503, retryAfter: isAsked ? .seconds(1) : nil)
      scene.wait(.seconds(1))
    }
    scene.answered(200)
    #expect(scene.findings()[BackoffGrows.id]?.verdict == (isAsked ? .notExercised : .fail))
  }

  @Test("a request that a transport repeats without success on several connections has to be followed up once")
  func repeatedInVain() {
    func verdict(_ isFollowed: Bool) -> Verdict? {
      var scene = Scene()
      scene.lost("PATCH", "/devices/A")
      for _ in 0..<3 { scene.lost("PATCH", "/devices/A") { $0.replayOf = 1 } }
      if isFollowed { scene.answered(200, "GET", "/devices") }
      return scene.findings()[LostReplyFollowedUp.id]?.verdict
    }
    #expect(verdict(true) == .pass)
    #expect(verdict(false) == .fail)
  }

  /// Returns the verdict about a lost write that its client reads again after a wait, with a status.
  private func verdict(
    _ looks: [(after: Duration, status: Int)], offline: ClosedRange<Duration>? = nil, end: Duration = .seconds(1),
    isFinal: Bool = true
  ) -> Verdict? {
    var scene = Scene()
    scene.outage = offline
    scene.lost("PATCH", "/devices/A")
    for look in looks {
      scene.wait(look.after)
      scene.answered(look.status, "GET", "/devices")
    }
    scene.wait(end)
    return scene.findings(isFinal: isFinal)[LostReplyFollowedUp.id]?.verdict
  }

  @Test("a client whose look fails has thirty seconds from each look, and no more")
  func vainLooks() {
    #expect(verdict([(.seconds(25), 503), (.seconds(25), 503), (.seconds(25), 200)]) == .pass)
    #expect(verdict([(.seconds(25), 503), (.seconds(31), 200)]) == .fail)
    #expect(verdict([(.seconds(31), 503), (.seconds(1), 200)]) == .fail)
  }

  @Test("a client whose looks still failed when the run ended has not forgotten its write; one that never looked has")
  func vainToTheEnd() {
    #expect(verdict([(.seconds(2), 503)]) == .notExercised)
    #expect(verdict([(.seconds(2), 503)], end: .seconds(31)) == .fail)
    #expect(verdict([]) == .fail)
    #expect(verdict([], isFinal: false) == .notExercised)
  }

  @Test("a reset takes the rest of its time from a client, so what it had not done by then is a warning")
  func cutByReset() {
    var scene = Scene()
    scene.lost("PATCH", "/devices/A")
    scene.answered(200, "PATCH", "/devices/B") { seen in
      seen.plan.fault = Fault(.damage(.captivePortal), phase: .before, rule: "wifi", changes: true)
    }
    scene.wait(.seconds(5))
    func verdict(_ id: String) -> Verdict? { scene.findings(isFinal: false, isReset: true)[id]?.verdict }
    #expect(verdict(LostReplyFollowedUp.id) == .warn)
    #expect(verdict(DamagedReplyTrusted.id) == .warn)
    scene.wait(.seconds(30))
    #expect(verdict(LostReplyFollowedUp.id) == .fail)
    #expect(verdict(DamagedReplyTrusted.id) == .fail)
  }

  @Test("while the sandbox is offline, no time passes for a client that has to look")
  func outage() {
    let outage = Duration.seconds(10)...Duration.seconds(110)
    #expect(verdict([(.seconds(115), 200)], offline: outage) == .pass)
    #expect(verdict([(.seconds(140), 200)], offline: outage) == .fail)
    #expect(verdict([], offline: outage, end: .seconds(115), isFinal: false) == .notExercised)
    #expect(verdict([], offline: outage, end: .seconds(140), isFinal: false) == .fail)
  }
}
