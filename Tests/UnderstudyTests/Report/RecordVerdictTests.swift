import Contract
import Faults
import Testing

@testable import Primitives
@testable import Report
@testable import Understudy

@Suite("Verdicts about records and rules")
struct RecordVerdictTests {
  @Test("a write over an unseen change is a warning, unless its client read again or sent If-Match")
  func lostUpdate() {
    func verdict(reads: Bool = false, isConditional: Bool = false) -> Verdict? {
      var traffic = Traffic()
      let record = Observation.hash("d1")
      func read(_ seen: inout Observation, at version: Int) {
        seen.intent = Intent(.reads, record: record)
        (seen.tag, seen.versions) = (UInt64(version), version..<version)
      }
      func write(_ seen: inout Observation, at version: Int) {
        seen.operation = .named("patchDevice")
        seen.intent = Intent(.sets, record: record, members: ["type"], meaning: UInt64(version))
        (seen.isApplied, seen.versions) = (true, version..<version + 1)
      }
      traffic.answered(200, "GET", "/devices/d1", client: 1) { read(&$0, at: 0) }
      traffic.answered(200, "PATCH", "/devices/d1", client: 2) { write(&$0, at: 0) }
      if reads { traffic.answered(200, "GET", "/devices/d1", client: 1) { read(&$0, at: 1) } }
      traffic.answered(200, "PATCH", "/devices/d1", client: 1) { seen in
        write(&seen, at: 1)
        seen.entry[.conditionalWrite] = isConditional
      }
      return traffic.findings()[LostUpdate.id]?.verdict
    }
    #expect(verdict() == .warn)
    #expect(verdict(reads: true) == .notExercised)
    #expect(verdict(isConditional: true) == .pass)
  }

  @Test("sentences name the request and its client, and explain how to distinguish clients")
  func sentences() throws {
    var traffic = Traffic()
    for _ in 0..<2 {
      traffic.answered(503, "GET", "/devices/7", retryAfter: .seconds(5)) { seen in
        seen.entry.client = Entry.Client(7, Array("curl/8".utf8)[...], isNamed: false, at: "10.0.0.9")
      }
      traffic.wait(.seconds(1))
    }
    let sentence = try #require(traffic.findings()[RetryAfterHonoured.id]?.sentence)
    #expect(sentence.contains("GET /devices/7 by the client at 10.0.0.9 (curl/8)"))
    #expect(sentence.contains("Understudy-Client"))
  }

  @Test("rules of rivals count as met by rivals' moves, and rules about APIs without requests are not required")
  func rivals() {
    var runner = CheckRunner()
    func finding() -> Finding? {
      let context = CheckContext(now: MonotonicInstant(nanoseconds: 0))
      return runner.findings(context).findings.first { $0.id == FaultsDelivered.id }?.finding
    }
    runner.record(.armed(rules: [ArmedRule("rush"), ArmedRule("slow house", api: "house", matches: "GET /state")]))
    runner.record(.rival(rules: ["rush"]))
    var seen = Observation.answered
    seen.api = API.all.firstIndex { $0.name == "booking" }
    runner.judge(seen)
    #expect(finding()?.verdict == .pass)
    seen.api = API.all.firstIndex { $0.name == "house" }
    runner.judge(seen)
    #expect(finding()?.verdict == .warn)
    #expect(finding()?.sentence.contains("“slow house” (GET /state)") == true)
  }

  @Test("a run that used none of the APIs that the rules are about does not exercise them")
  func unusedAPIs() throws {
    var runner = CheckRunner()
    runner.record(.armed(rules: [ArmedRule("slow house", api: "house", matches: "GET /state")]))
    var seen = Observation.answered
    seen.api = API.all.firstIndex { $0.name == "booking" }
    runner.judge(seen)
    let findings = runner.findings(CheckContext(now: MonotonicInstant(nanoseconds: 0))).findings
    let finding = try #require(findings.first { $0.id == FaultsDelivered.id }?.finding)
    #expect(finding.verdict == .notExercised && finding.sentence == "All rules are about APIs that were not used.")
  }
}
