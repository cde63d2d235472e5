import Contract
import Faults
import JSON
import Seeds

/// The scenarios inside the binary.
enum Scenarios {
  static let builtIn: [Scenario] = Seeds.scenarios.map { name, bytes in
    do {
      return try Scenario(json: JSON(parsing: bytes), operations: operations)
    } catch {
      preconditionFailure("the built-in scenario \(name) is wrong: \(error)")
    }
  }

  static subscript(name: String) -> Scenario? { builtIn.first { $0.name == name } }

  static var names: String { builtIn.map(\.name).joined(separator: ", ") }

  /// The scenario of this name, or else the one in the file at this path.
  static func load(_ nameOrPath: String) throws(StartError) -> Scenario {
    if let scenario = self[nameOrPath] { return scenario }
    guard File.fingerprint(nameOrPath) != nil else {
      throw .badScenario("--scenario \(nameOrPath): neither a file nor one of \(names)")
    }
    do {
      return try read(JSON(parsing: File.read(nameOrPath)))
    } catch let error as JSONSyntaxError {
      throw .badScenario("\(nameOrPath): at byte \(error.offset): \(error.detail)")
    } catch let violation as Violation {
      let place = violation.pointer == .root ? "the document" : violation.pointer.description
      throw .badScenario("\(nameOrPath): \(place): \(violation.detail)")
    } catch {
      throw .badScenario("\(error)")
    }
  }

  /// A scenario with only some of its rules, by their places; with all of them where none are named.
  static func load(_ nameOrPath: String, keeping rules: [Int]?) throws(StartError) -> Scenario {
    var scenario = try load(nameOrPath)
    if let rules { scenario.rules = rules.filter(scenario.rules.indices.contains).map { scenario.rules[$0] } }
    return scenario
  }

  /// What a scenario's rules may be about.
  static let operations: [OperationFacts] = API.all.flatMap { api in
    api.operations.map {
      OperationFacts(api: api.name, method: $0.method.rawValue, path: $0.path.text, changes: $0.changesState)
    }
  }

  /// A scenario as the control API takes it: the name of a built-in one, or a whole one.
  static func read(_ json: JSON, at pointer: JSONPointer = .root) throws(Violation) -> Scenario {
    if let name = json.string {
      guard let scenario = self[name] else {
        throw Violation(pointer, "there is no scenario \(JSON.string(name).text); expected one of \(names)")
      }
      return scenario
    }
    do throws(Violation) {
      return try Scenario(json: json, operations: operations)
    } catch {
      throw Violation(pointer / error.pointer, error.detail)
    }
  }
}
