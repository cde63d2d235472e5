import Contract
import Faults
package import JSON

extension MockServer {
  /// A duration with its unit in whole seconds, rounded up; nil when it is none.
  package static func seconds(_ duration: String) -> Int? {
    DurationText(duration).map { Int($0.duration.roundedUpSeconds) }
  }

  /// The built-in scenarios, in the order in which they are listed, each with what it is about.
  public static var scenarios: [(name: String, about: String)] {
    Scenarios.builtIn.map { ($0.name, $0.about) }
  }

  /// A scenario as JSON, ready to be changed and given to a server.
  ///
  /// - Parameter nameOrPath: The name of a built-in one, or the path of a file.
  /// - Throws: `StartError.badScenario`.
  public static func scenario(_ nameOrPath: String) throws(StartError) -> String {
    String(decoding: try Scenarios.load(nameOrPath).json.bytes(.indented), as: UTF8.self) + "\n"
  }

  /// A scenario with only some of its rules, as JSON.
  ///
  /// - Parameters:
  ///   - nameOrPath: The name of a built-in one, or the path of a file.
  ///   - rules: The places of those to keep, counted from 0.
  package static func scenario(_ nameOrPath: String, keeping rules: [Int]) throws -> String {
    String(decoding: try Scenarios.load(nameOrPath, keeping: rules).json.bytes(.indented), as: UTF8.self) + "\n"
  }

  /// Returns the number of a scenario's rules.
  package static func ruleCount(of nameOrPath: String) throws -> Int { try Scenarios.load(nameOrPath).rules.count }

  private static func stream(_ method: Contract.Method, _ path: String) throws(StartError) -> (RequestKey, Bool) {
    do throws(Problem) {
      return try RequestRouter(apis: API.all, control: .control).stream(method, path)
    } catch {
      throw .badOptions("path \(path): \(error.detail)")
    }
  }

  /// The plans of the first requests of a route, one line each, without serving.
  ///
  /// - Parameters:
  ///   - options: The scenario and the seed are looked at, nothing else.
  ///   - method: In upper case.
  ///   - path: As in a target; a label in front may name the API.
  ///   - count: How many.
  /// - Throws: `StartError`.
  public static func preview(_ options: Options, method: String, path: String, count: Int) throws(StartError)
    -> [String]
  {
    guard let method = Contract.Method(rawValue: method) else {
      let known = Contract.Method.allCases.map(\.rawValue).joined(separator: ", ")
      throw StartError.badOptions("method \(method): expected one of \(known)")
    }
    let armed = ArmedScenario(try Scenarios.load(options.scenario), seed: options.seed)
    let (stream, changes) = try stream(method, path)
    return (1...max(1, count)).map { n in
      let action = armed.preview(RequestContext(stream: stream, position: .ordinal(n), changes: changes))
      return action.line(n)
    }
  }
}

extension MockServer {
  /// The scenario and the seed of the default sandbox; nil once the server has stopped.
  package func armedScenario() async -> (name: String, seed: UInt64)? {
    await ask { loop in
      let scenarioState = loop.backend.sandboxes[Sandboxes.defaultName]?.scenarioState
      return scenarioState.map { ($0.scenario.name, $0.seed) }
    } ?? nil
  }

  /// Returns true if requests of this method and path reach an operation, instead of 404 or 405.
  package static func isRouted(method: String, path: String) -> Bool {
    guard let method = Contract.Method(rawValue: method) else { return false }
    return RequestRouter(apis: API.all, control: .control).isRouted(method, path)
  }
}

extension PlanPreview {
  /// The plan in one line: its number, what is certain, and what depends on the clock or on what comes before.
  fileprivate func line(_ n: Int) -> String {
    let number = String(repeating: " ", count: max(0, 4 - String(n).count)) + String(n)
    let certain = plan.words.isEmpty ? "as it should be" : plan.words
    let maybe = possible.map { "perhaps \($0.words) (by \($0.dependence.rawValue))" }
    return ([number + "  " + certain] + maybe).joined(separator: "; ")
  }
}

extension MockServer {
  /// The stream of a request, and the glob of the operation that takes it.
  package struct Route: Sendable, Hashable {
    package let api: String
    package let method: String
    /// Without labels and query, percent-decoded; the glob where the stream does not matter.
    package let path: String
    /// The operation's path with `*` for its variables.
    package let glob: String
    /// True if the request is a write.
    package let changes: Bool

    /// The route without the stream.
    package var withoutPath: Route { Route(api: api, method: method, path: glob, glob: glob, changes: changes) }
  }

  /// Returns the route of a recorded request; nil if no operation takes it.
  ///
  /// - Parameters:
  ///   - target: As it was sent, labels and query included.
  ///   - api: The API's name, where it is known.
  ///   - host: The host that was asked, where the API is not known: an upstream host names its API.
  package static func route(method: String, target: String, api: String?, host: String?) -> Route? {
    guard let method = Contract.Method(rawValue: method) else { return nil }
    let named = api ?? host.flatMap { host in try? HostField(host.utf8).labels(API.all).api.map { API.all[$0].name } }
    let index = named.flatMap { name in API.all.firstIndex { $0.name == name } }
    let path = unlabelled(target)
    guard let (stream, changes) = try? RequestRouter(apis: API.all, control: .control).stream(method, path, in: index)
    else { return nil }
    let wanted = method == .head ? .get : method
    let segments = stream.path.split(separator: "/").map(String.init)
    let operation = API.all.first { $0.name == stream.api }?.operations.first {
      $0.method == wanted && $0.path.matches(segments)
    }
    return operation.map {
      Route(api: stream.api, method: method.rawValue, path: stream.path, glob: $0.path.glob, changes: changes)
    }
  }

  /// A target without the label of a sandbox.
  private static func unlabelled(_ target: String) -> String {
    var rest = target[...]
    var kept = ""
    while rest.hasPrefix("/@") {
      let label = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
      if API.all.contains(where: { $0.name == label }) { kept += "/@" + label }
      rest = rest.dropFirst(2 + label.count)
    }
    return kept + (rest.hasPrefix("/") ? rest : "/" + rest)
  }

  /// Returns a scenario's JSON as it is written to a file, once it was read.
  ///
  /// - Throws: `StartError.badScenario`.
  package static func checked(scenario json: JSONValue) throws(StartError) -> String {
    do throws(ValidationError) {
      return String(decoding: try Scenarios.read(json).json.bytes(.indented), as: UTF8.self) + "\n"
    } catch {
      throw .badScenario("\(error.pointer.description): \(error.detail)")
    }
  }
}

extension PathTemplate {
  fileprivate func matches(_ parts: [String]) -> Bool {
    parts.count == segments.count
      && zip(segments, parts).allSatisfy { segment, part in
        if case .literal(let text) = segment { text == part } else { true }
      }
  }

  fileprivate var glob: String {
    "/" + segments.map { if case .literal(let text) = $0 { text } else { "*" } }.joined(separator: "/")
  }
}
