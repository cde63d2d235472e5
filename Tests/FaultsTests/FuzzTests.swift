import JSON
import LiveTesting
import Seeds
import Testing

@testable import Faults

@Suite("Mutated scenarios and preferences")
struct FuzzTests {
  private static let dictionary: [JSONValue] = [
    nil, true, 0, 1, -1, 99, 200, 503, 1000, 9_007_199_254_740_991, 1.5, "", "1/2", "0/1", "3/2", "1/0", "5...9",
    "9...5",
    "250ms", "0s", "-1s", "1us", "99999999h", "**", "*", "/devices/*", "GET", "devices", "house", "before", "after",
    "reset", "stall", "hang", "truncate", "offline", "\u{0}", "é\u{301}", "{", [:], [], ["1s", "3s"], ["3s", "1s"],
    ["fault": "stall", "at": "1/2", "for": "1s", "then": "reset"],
    ["latency": ["normal": ["mean": "1s", "deviation": "1s"]]],
    ["latency": ["percentiles": ["50": "80ms", "99": "2s"]]], ["pace": ["bytesPerSecond": 1, "chunk": 1]],
    ["rateLimit": ["limit": 1, "window": "1m"]], ["rivals": ["every": "2s", "books": 1]], ["offline": true],
    ["chance": "1/2", "from": "1s", "until": "2s", "every": "3s"],
  ]

  /// Returns true if a pointer leads to a value, or to a missing member of an object.
  private static func leads(_ pointer: JSONPointer, into json: JSONValue) -> Bool {
    var here: JSONValue? = json
    for name in pointer.description.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let name = String(name).replacing("~1", with: "/").replacing("~0", with: "~")
      switch here {
      case .object(let object): here = object[name]
      case .array(let elements): here = Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      default: return false
      }
    }
    return true
  }

  @Test("a mutated scenario is refused with a pointer into it, or reads back as the same and plans every request")
  func scenarios() throws {
    let corpus = try SeedFiles.scenarios.map { try JSONValue(parsing: $0.json) }
    var taken = 0
    let fuzz = Fuzz("scenarios", rounds: 3_000)
    fuzz.run { random, note in
      var json = corpus.randomElement(using: &random) ?? nil
      for _ in 0...Int.random(in: 0...2, using: &random) { json = random.mutated(json, dictionary: Self.dictionary) }
      do throws(ValidationError) {
        let scenario = try Scenario(json: json, operations: OperationContext.sample)
        #expect(
          try Scenario(json: scenario.json, operations: OperationContext.sample) == scenario, "\(note): \(json.text)")
        Self.plan(scenario, random.next() >> 11, note)
        taken += 1
      } catch {
        #expect(Self.leads(error.pointer, into: json), "\(note): \(error.pointer) in \(json.text)")
        #expect(!error.detail.isEmpty, "\(note)")
      }
    }
    #expect(taken > fuzz.rounds / 10, "many mutants remain valid")
  }

  private static func plan(_ scenario: Scenario, _ seed: UInt64, _ note: String) {
    let armed = ArmedScenario(scenario, seed: seed)
    var state = ScenarioCounters(armed)
    for (index, elapsed) in [Duration.zero, .milliseconds(1), .seconds(31), .seconds(100_000)].enumerated() {
      for context in [RequestContext.patch(index + 1, elapsed: elapsed), .list(index + 1, elapsed: elapsed)] {
        let plan = armed.plan(for: context, state: &state) { _ in "*" }
        #expect(plan.delay >= .zero, "\(note)")
        #expect(
          plan.description.utf8.count <= 250
            && plan.description.utf8.allSatisfy { (0x20...0x7E).contains($0) },
          "\(note)")
        #expect((try? JSONValue(parsing: plan.json.bytes())) == plan.json, "\(note)")
      }
    }
  }

  @Test("the applied preferences are printable, and a part of those requested")
  func preferences() {
    let corpus = [
      "code=503", "delay=200ms", "fault=reset; phase=after", "fault=stall; at=\"1/2\"; for=1s; then=reset",
      "code=429; retry-after=\"2s\", delay=1s, respond-async, wait=10", "fault=truncate;at=\"1/3\",code=200",
    ].map { Array($0.utf8) }
    let dictionary = [
      "\"", "\\", ";", ",", "=", " ", "\t", "\u{0}", "é", "fault=", "code=", "+5", "-1", "99999999999999999999",
    ]
    .map { Array($0.utf8) }
    Fuzz("preferences", rounds: 5_000).run { random, note in
      var bytes = corpus.randomElement(using: &random) ?? []
      random.mutate(&bytes, dictionary: dictionary)
      let field = String(decoding: bytes, as: UTF8.self)
      guard let preferred = Preferred(field, for: .patch(1), seed: 7) else { return }
      let (applied, notUnderstood) = (preferred.applied ?? "", preferred.notUnderstood ?? "")
      #expect((applied + notUnderstood).utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(note): \(field)")
      #expect(notUnderstood.utf8.count <= 250, "\(note): \(field)")
      for name in applied.split(separator: ",").compactMap({ $0.split(separator: "=").first }) {
        #expect(field.lowercased().contains(name.filter { $0 != " " }), "\(note): \(field)")
      }
      #expect(preferred == Preferred(field, for: .patch(1), seed: 7), "\(note): \(field)")
    }
  }
}
