import Contract
import ControlAPI
package import Faults
package import JSON
import Platform
import Primitives
import Seeds

/// The embedded scenarios.
package enum Scenarios {
  static let builtIn: [Scenario] = SeedFiles.scenarios.map { name, text in
    do {
      return try Scenario(json: JSONValue(parsing: text), operations: operations)
    } catch {
      preconditionFailure("the built-in scenario \(name) is wrong: \(error)")
    }
  }

  static subscript(name: String) -> Scenario? { builtIn.first { $0.name == name } }

  static var names: String { builtIn.map(\.name).joined(separator: ", ") }

  /// Returns the list of all names for an error, and the one that was probably meant.
  static func expectation(insteadOf name: String) -> String {
    names + Spelling.suggestion(for: name.lowercased(), among: builtIn.map(\.name))
  }

  /// The maximum size of a scenario's file.
  private static let maximumBytes = 16 << 20

  /// The requests to which a scenario is to apply.
  package struct Target: Sendable {
    /// True for those to a backend whose paths and state are not known, false for those to the five APIs.
    let isUpstream: Bool
    /// The names that a file of semantics gives operations of the backend; nil if it is not known which file there will be.
    let operations: [String]?

    package static let apis = Target(isUpstream: false, operations: [])
    package static let upstream = Target(isUpstream: true, operations: nil)

    static func upstream(_ semantics: Semantics) -> Target {
      Target(isUpstream: true, operations: semantics.rules.compactMap(\.name).distinct())
    }
  }

  /// Returns the scenario with this name, or the one in the file at this path.
  static func load(_ nameOrPath: String, for target: Target = .apis) throws(StartError) -> Scenario {
    if let scenario = self[nameOrPath] { return target.adapted(scenario) }
    guard File.fingerprint(nameOrPath) != nil else {
      throw .badScenario(
        "scenario \(nameOrPath): it is neither a file nor one of "
          + expectation(insteadOf: nameOrPath))
    }
    do throws(FileDefect) {
      return try File.value(in: nameOrPath, atMost: maximumBytes) { json throws(ValidationError) in
        try readFile(json, for: target)
      }
    } catch {
      throw .badScenario(error.sentence)
    }
  }

  /// Returns a scenario with only the rules at these indices, or with all rules if there are no indices.
  static func load(
    _ nameOrPath: String, keeping rules: [Int]?, for target: Target = .apis
  ) throws(StartError) -> Scenario {
    var scenario = try load(nameOrPath, for: target)
    if let rules { scenario.rules = rules.filter(scenario.rules.indices.contains).map { scenario.rules[$0] } }
    return scenario
  }

  /// The operations that a scenario's rules may match.
  static let operations: [OperationContext] = API.all.flatMap { api in
    api.operations.map {
      OperationContext(
        api: api.name, method: $0.method.rawValue, path: $0.path.text,
        changes: $0.semantics.changesOnlyWith == nil ? $0.canWrite : nil)
    }
  }

  /// Parses a scenario: the name of a built-in one, or a whole one.
  static func read(
    _ json: JSONValue, at pointer: JSONPointer = .root, for target: Target = .apis
  ) throws(ValidationError) -> Scenario {
    try checkNames(in: json, at: pointer)
    if let name = json.string {
      guard let scenario = self[name] else {
        throw ValidationError(
          pointer,
          "there is no scenario \(JSONValue.string(name).text); expected one of \(expectation(insteadOf: name))")
      }
      return target.adapted(scenario)
    }
    do throws(ValidationError) {
      let scenario = try Scenario(json: json, operations: target.isUpstream ? [] : operations)
      if target.isUpstream { try scenario.refuseInapplicable(to: target) }
      return scenario
    } catch {
      throw ValidationError(pointer / error.pointer, error.detail).advised
    }
  }

  /// Parses the scenario in a file. If it is one for another backend than the server's own, the error says so.
  package static func readFile(_ json: JSONValue, for target: Target) throws(ValidationError) -> Scenario {
    do throws(ValidationError) {
      return try read(json, for: target)
    } catch {
      guard !target.isUpstream, (try? read(json, for: .upstream)) != nil else { throw error }
      throw ValidationError(error.pointer, error.detail + " (for another backend, add --upstream URL)")
    }
  }

  /// Parses one rule, with positions counted from it.
  static func rule(_ json: JSONValue, for target: Target = .apis) throws(ValidationError) -> Rule {
    do throws(ValidationError) {
      let rule = try Rule(json, at: .root, operations: target.isUpstream ? [] : operations)
      if target.isUpstream { try rule.refuseInapplicable(to: target, at: .root) }
      return rule
    } catch {
      throw error.advised
    }
  }

  /// Throws for an object that only names a built-in scenario: the name must be given as a string.
  static func checkNames(in json: JSONValue, at pointer: JSONPointer = .root) throws(ValidationError) {
    guard json["rules"] == nil else { return }
    for key in ["name", "scenario"] {
      guard let name = json[key]?.string, self[name] != nil else { continue }
      throw ValidationError(
        pointer / key, "give a built-in scenario as a JSON string: \(JSONValue.string(name).text) instead of the object"
      )
    }
  }

  /// Parses a scenario in an object that may also have its seed, like the response of `GET /_mock/scenario`.
  static func readSeeded(
    _ json: JSONValue, at pointer: JSONPointer = .root, for target: Target
  ) throws(ValidationError) -> (scenario: Scenario, seed: UInt64?) {
    guard var object = json.object, let seed = object["seed"] else {
      return (try read(json, at: pointer, for: target), nil)
    }
    guard let value = seed.int, 0...Int(MockServer.maximumSeed) ~= value else {
      let expectation = Schema.scenarioSeed.expectation
      throw ValidationError(
        pointer / "seed", "expected \(expectation), found \(seed.text.count > 42 ? seed.kind : seed.text)")
    }
    object["seed"] = nil
    return (try read(.object(object), at: pointer, for: target), UInt64(value))
  }
}
