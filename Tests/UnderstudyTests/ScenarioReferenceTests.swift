import Faults
import Foundation
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Understudy

/// Compares the reference of the built-in scenarios with their declarations.
@Suite("The scenario reference")
struct ScenarioReferenceTests {
  private static let page = Repository.page("Scenarios")

  /// `UNDERSTUDY_WRITE=1 swift test --filter ScenarioReferenceTests` rewrites it.
  @Test("matches the scenarios' files")
  func isGenerated() throws {
    let text = Self.text
    if ProcessInfo.processInfo.environment["UNDERSTUDY_WRITE"] == "1" {
      try Data(text.utf8).write(to: Self.page)
    }
    #expect(try String(contentsOf: Self.page, encoding: .utf8) == text)
  }

  private static var text: String {
    let head = """
      # Built-in scenarios

      What each of them does, rule by rule, as `understudy scenarios` lists them.

      ## Overview

      A rule has a match, a window and an effect. Without a match or a window it applies to every request. Without a phase
      its fault strikes before anything is done. This page is generated from `Seeds/scenarios`.

      """
    return ([head] + Scenarios.builtIn.map(section)).joined(separator: "\n")
  }

  private static func section(_ scenario: Scenario) -> String {
    let json = scenario.json
    let rules = (json["rules"]?.array ?? []).map { rule in
      let parts = ["match", "when", "phase", "effect"].compactMap { key in
        rule[key].map { "\(key) `\($0.string ?? $0.text)`" }
      }
      return "- **\(rule["name"]?.string ?? "")**: \(parts.joined(separator: ", "))\n"
    }
    let list = rules.isEmpty ? "It has no rules.\n" : rules.joined()
    return "## \(scenario.name)\n\n\(scenario.about)\n\n\(list)"
  }
}
