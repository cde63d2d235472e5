import Foundation
import JSON
import LiveTesting
import Testing

@testable import Faults

@Suite("The built-in scenarios")
struct BuiltInTests {
  static let names = [
    "3g", "basement", "calm", "cold-start", "edge", "elevator", "hotel-wifi", "lost-ack", "mayhem", "original",
    "overload", "rate-limited", "rush-hour", "schema-drift", "train", "weather-limit",
  ]

  private static let folder = Repository.root.appending(path: "Seeds/scenarios")

  static func scenario(_ name: String) throws -> Scenario {
    let data = try Data(contentsOf: folder.appending(path: "\(name).json"))
    return try Scenario(json: JSONValue(parsing: Array(data)))
  }

  @Test("are exactly the expected ones")
  func all() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
    #expect(files.sorted() == Self.names.map { "\($0).json" })
  }

  @Test("have the name of their file, a description of two sentences, and canonical form", arguments: names)
  func file(name: String) throws {
    let data = try Data(contentsOf: Self.folder.appending(path: "\(name).json"))
    let json = try JSONValue(parsing: Array(data))
    let scenario = try Scenario(json: json)
    #expect(scenario.name == name)
    #expect(scenario.json == json)
    #expect(scenario.about.hasSuffix("."))
    #expect(scenario.about.split(separator: ". ").count == 2)
    #expect(scenario.rules.allSatisfy { $0.name != nil })
  }

  @Test("include lost-ack, which loses the responses to a third of all writes after they are applied, by the seed")
  func lostAck() throws {
    let scenario = try Self.scenario("lost-ack")
    var firsts = 0
    for seed in UInt64(1)...300 {
      let armed = ArmedScenario(scenario, seed: seed)
      let first = armed.fresh(.patch(1))
      if first.ending == .reset, first.phase == .after { firsts += 1 }
      #expect(armed.fresh(.list(1)).isEmpty)
    }
    #expect(80...120 ~= firsts)
  }

  static let seedless = ["calm", "rate-limited", "weather-limit"]

  @Test("depend on the seed if a chance, a drawn delay, damage or rivals are in them", arguments: names)
  func seeds(name: String) throws {
    let scenario = try Self.scenario(name)
    #expect(scenario.dependsOnSeed != Self.seedless.contains(name))
  }

  @Test("include original, which fails one in ten requests for the devices, and delays all of them")
  func original() throws {
    let armed = ArmedScenario(try Self.scenario("original"), seed: 1)
    let plans = (1...2_000).map { armed.fresh(.list($0)) }
    #expect(plans.allSatisfy { .seconds(1) ... .seconds(3) ~= $0.delayBefore })
    #expect(150...250 ~= plans.count { $0.status?.status == 500 })
  }

  @Test("include mayhem, which has every kind of effect")
  func mayhem() throws {
    let kinds = Set(try Self.scenario("mayhem").rules.map(\.effect.kind))
    let missing = Set(Effect.Kind.allCases).subtracting(kinds)
    #expect(missing.isEmpty)
  }
}
