import Contract
import ControlAPI
package import Faults
package import JSON
import Primitives

extension MockServer {
  /// Returns a duration such as `250ms` in whole seconds, rounded up; nil if the text is not a duration.
  package static func seconds(_ duration: String) -> Int? {
    DurationText(duration).map { Int($0.duration.roundedUpSeconds) }
  }

  /// Returns a duration such as `250ms`; nil if the text is none.
  package static func duration(_ text: String) -> Duration? { DurationText(text)?.duration }

  /// The names and descriptions of the built-in scenarios, in the order in which they are listed.
  public static var scenarios: [(name: String, about: String)] { Scenarios.builtIn.map { ($0.name, $0.about) } }

  /// Returns a scenario as JSON, which can be edited and passed to a server.
  ///
  /// - Parameter nameOrPath: The name of a built-in scenario, or the path of a scenario file.
  /// - Throws: ``StartError/badScenario(_:)``.
  public static func scenario(_ nameOrPath: String) throws(StartError) -> String {
    String(decoding: try Scenarios.load(nameOrPath).json.bytes(.indented), as: UTF8.self) + "\n"
  }

  /// Returns the scenario of a server with only some of its rules, as JSON, with a name of its own that says whence it comes.
  ///
  /// - Parameters:
  ///   - rules: The indices of the remaining rules, counted from 0.
  ///   - seed: The seed for which these rules fail.
  package static func scenario(of options: Options, shrunkTo rules: [Int], seed: UInt64) throws -> String {
    let whole = try scenario(of: options)
    var scenario = whole
    scenario.name = "\(whole.name), shrunk"
    scenario.about =
      "\(rules.count) of the \(whole.rules.count) rules of \(whole.name), which still fail with seed \(seed)."
    scenario.rules = rules.map { whole.rules[$0] }
    return String(decoding: scenario.json.bytes(.indented), as: UTF8.self) + "\n"
  }

  /// Returns true if another seed may give other faults: also for a scenario without rules, because clients can arm another.
  package static func dependsOnSeed(_ options: Options) throws -> Bool {
    let scenario = try scenario(of: options)
    return scenario.rules.isEmpty || scenario.dependsOnSeed
  }

  /// Returns the number of rules in the scenario of a server.
  package static func ruleCount(of options: Options) throws -> Int { try scenario(of: options).rules.count }

  /// Returns the scenario of a server, with the rules that apply to its backend.
  package static func scenario(of options: Options) throws -> Scenario {
    try Scenarios.load(options.scenario, for: options.scenarioTarget())
  }

  private static func stream(
    _ method: String, _ path: String, operation: String?, _ upstream: Upstream.Configuration?
  ) throws(StartError) -> (RequestKey, Bool) {
    do throws(Problem) {
      return try RequestRouter(apis: API.all, control: .control, upstream: upstream.map { Upstream($0) })
        .stream(method, path, operation: operation)
    } catch {
      throw .badOptions("path \(path): \(error.detail)")
    }
  }

  /// Returns the plans of the first requests with a method and path, one line per request, without starting a server.
  ///
  /// - Parameters:
  ///   - options: The options with the scenario, the seed and the upstream; all others are ignored.
  ///   - method: The method in upper case.
  ///   - path: The path; a label at its front may select the API: `/@booking/rooms`.
  ///   - operation: The name that the file of semantics gives the operation; nil for requests to which it gives none.
  ///   - count: The number of requests.
  /// - Throws: ``StartError/badScenario(_:)``, or ``StartError/badOptions(_:)`` if no operation has the method and path.
  public static func preview(
    _ options: Options, method: String, path: String, operation: String? = nil, count: Int
  ) throws(StartError) -> [String] {
    let upstream = try options.upstreamConfiguration()
    let methods = upstream == nil ? Method.ofOperations.map(\.rawValue) : Match.knownMethods
    guard methods.contains(method) else {
      throw StartError.badOptions("method \(method): expected one of \(methods.joined(separator: ", "))")
    }
    let scenario = try Scenarios.load(options.scenario, for: options.scenarioTarget())
    let armed = ArmedScenario(scenario, seed: options.seed)
    let (stream, changes) = try stream(method, path, operation: operation, upstream)
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
      let scenarioState = loop.application.state.sandboxes[Sandboxes.defaultName]?.state.scenarioState
      return scenarioState.map { ($0.scenario.name, $0.seed) }
    } ?? nil
  }

  /// Returns true if requests of this method and path reach an operation, instead of 404 or 405.
  package static func isRouted(method: String, path: String) -> Bool {
    guard let method = Method(operation: method) else { return false }
    return RequestRouter(apis: API.all, control: .control).isRouted(method, path)
  }
}

extension PlanPreview {
  /// Returns the plan as one line: the number, the certain faults, and those that depend on the clock or on earlier requests.
  fileprivate func line(_ n: Int) -> String {
    let number = String(repeating: " ", count: max(0, 4 - String(n).count)) + String(n)
    let certain = plan.isEmpty ? "no fault" : plan.description
    let maybe = possible.map { "perhaps \($0.description) (by \($0.dependence.rawValue))" }
    return ([number + "  " + certain] + maybe).joined(separator: "; ")
  }
}

extension MockServer {
  /// The stream of a request, and the glob of its operation.
  package struct Route: Sendable, Hashable {
    /// The name of the API; nil for a request to a backend.
    package let api: String?
    package let method: String
    /// The percent-decoded path without labels and query; the glob in a route without the stream.
    package let path: String
    /// The path of the operation with `*` for its variables.
    package var glob: String
    /// True if the request is a write.
    package let changes: Bool

    /// False if no rule's path matches this path alone: it has a `*`, or is too long for a rule.
    package var hasExactPath: Bool { !path.contains("*") && PathGlob(path) != nil }

    /// The route without the stream.
    package var withoutPath: Route { Route(api: api, method: method, path: glob, glob: glob, changes: changes) }
  }

  /// The routes of recorded requests.
  package struct RecordedRoutes {
    private let router: RequestRouter
    /// The origins of the upstream's URLs; nil if the routes are those of the five APIs.
    private let origins: OriginMap?
    /// The URL of the backend; nil if the routes are those of the five APIs.
    package let backend: String?

    /// Creates the routes of the five APIs.
    package init() {
      router = RequestRouter(apis: API.all, control: .control)
      (origins, backend) = (nil, nil)
    }

    /// Creates the routes of the options' upstream, or of the five APIs if there is none.
    package init(_ options: Options) throws(StartError) {
      backend = options.upstream
      let upstream = try options.upstreamConfiguration()
      router = RequestRouter(apis: API.all, control: .control, upstream: upstream.map { Upstream($0) })
      origins = upstream?.origins
    }

    /// The requests to which a scenario of the routes applies.
    package var target: Scenarios.Target { origins == nil ? .apis : .upstream }

    /// Returns the route of a request; nil if no operation matches, or if the request was not for the upstream.
    ///
    /// - Parameters:
    ///   - target: The target as it was sent, with labels and query.
    ///   - api: The name of the API, if it is known.
    ///   - url: The whole URL, by whose host the API or the upstream is known; nil if this server recorded the request.
    package func route(method: String, target: String, api: String? = nil, url: RecordedURL? = nil) -> Route? {
      if let origins { return route(method, target, api: api, url: url, to: origins) }
      guard let method = Method(operation: method) else { return nil }
      let named =
        api
        ?? url.flatMap { url in
          try? HostField(url.host.utf8).labels(API.all).api.map { API.all[$0].name }
        }
      let index = named.flatMap { name in API.all.firstIndex { $0.name == name } }
      guard let (stream, changes) = try? router.stream(method.rawValue, unlabelled(target), in: index) else {
        return nil
      }
      let wanted = method == .head ? .get : method
      let segments = stream.path.split(separator: "/").map(String.init)
      let operation = API.all.first { $0.name == stream.api }?.operations.first {
        $0.method == wanted && $0.path.matches(segments)
      }
      return operation.map {
        Route(api: stream.api, method: method.rawValue, path: stream.path, glob: $0.path.glob, changes: changes)
      }
    }

    /// Returns the route of a request to the upstream. What this server recorded in front of it has no API.
    private func route(
      _ method: String, _ target: String, api: String?, url: RecordedURL?, to origins: OriginMap
    ) -> Route? {
      guard api == nil, RegisteredMethod.named(method) != nil else { return nil }
      var target = unlabelled(target)
      if let url {
        guard let rest = origins.clientTarget(of: String(url.text.prefix { $0 != "#" })) else { return nil }
        target = rest
      }
      guard let (stream, changes) = try? router.stream(method, target) else { return nil }
      return Route(api: nil, method: method, path: stream.path, glob: stream.path, changes: changes)
    }
  }

  /// The URL of a recorded request.
  package struct RecordedURL {
    let text: String
    /// The host without its port.
    let host: String

    package init(_ text: String, host: String) {
      self.text = text
      self.host = host
    }
  }

  /// Returns a target without the label of a sandbox.
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

  /// Returns the normalized JSON of a scenario after validation.
  ///
  /// - Throws: `StartError.badScenario`.
  package static func checked(
    scenario json: JSONValue, for target: Scenarios.Target = .apis
  ) throws(StartError) -> String {
    do throws(ValidationError) {
      return String(decoding: try Scenarios.read(json, for: target).json.bytes(.indented), as: UTF8.self) + "\n"
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
