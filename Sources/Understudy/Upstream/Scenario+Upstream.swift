import Contract
import Faults
import JSON

extension Scenarios.Target {
  /// Returns a built-in scenario as it applies to the requests. A backend has no API of a known name,
  /// and its state is out of reach.
  func adapted(_ scenario: Scenario) -> Scenario {
    guard isUpstream else { return scenario }
    var scenario = scenario
    scenario.rules.removeAll { !$0.appliesToUpstream }
    return scenario
  }

  /// Returns the names of the rules that `adapted(_:)` has left out of a scenario.
  func leftOut(of scenario: Scenario) -> [String] {
    guard isUpstream, let builtIn = Scenarios[scenario.name], adapted(builtIn) == scenario else { return [] }
    return builtIn.inapplicableRules
  }
}

extension Rule {
  fileprivate var appliesToUpstream: Bool { match.api == nil && !effect.needsState }

  /// Throws if the rule does not apply to a backend.
  func refuseInapplicable(to target: Scenarios.Target, at pointer: JSONPointer) throws(ValidationError) {
    if let api = match.api {
      throw ValidationError(
        pointer / "match" / "api",
        "expected none, found \(JSONValue.string(api).text): in front of a backend a rule matches its paths instead")
    }
    if let path = match.path?.text, let advice = PathGlob.advice(on: path) {
      throw ValidationError(
        pointer / "match" / "path", "expected a path of the backend, found \(JSONValue.string(path).text); \(advice)")
    }
    if let operation = match.operation, let names = target.operations,
      !names.contains(where: { operation.matches(Array($0.utf8)) })
    {
      let found = JSONValue.string(operation.text).text
      throw ValidationError(
        pointer / "match" / "operation",
        names.isEmpty
          ? "expected none, found \(found): --semantics names no operation"
          : "expected one of \(names.joined(separator: ", ")), which --semantics names, found \(found)"
            + Spelling.suggestion(for: operation.text, among: names, after: "; "))
    }
    if effect.needsState {
      throw ValidationError(
        pointer / "effect", "expected an effect that needs no state: the state is that of the backend")
    }
  }
}

extension Scenario {
  /// The names of the rules that do not apply to a backend.
  var inapplicableRules: [String] {
    rules.enumerated().filter { !$0.element.appliesToUpstream }.map { index, rule in
      rule.name ?? "number \(index + 1)"
    }
  }

  /// Throws for a rule that does not apply to a backend.
  func refuseInapplicable(to target: Scenarios.Target) throws(ValidationError) {
    for (index, rule) in rules.enumerated() { try rule.refuseInapplicable(to: target, at: .root / "rules" / index) }
  }
}

extension Problem {
  /// Returns the problem of a request about a state that is not this server's.
  ///
  /// - Parameter subject: What was asked for, as the beginning of a sentence.
  static func stateOfUpstream(_ subject: String) -> Problem {
    Problem(
      409, "state-of-upstream", "The state is the backend's",
      "\(subject) is not available: this server stands in front of a backend, whose state it does not have.")
  }
}

extension MockServer {
  /// Returns a sentence for each thing that the operator of an upstream should know at the start.
  package static func upstreamNotices(_ options: Options) throws(StartError) -> [String] {
    guard let upstream = try options.reachableUpstream() else { return [] }
    var notices: [String] = []
    let builtIn = Scenarios[options.scenario]
    let scenario =
      if let builtIn { builtIn } else { try Scenarios.load(options.scenario, for: options.scenarioTarget()) }
    let names = scenario.inapplicableRules
    let list = names.joined(separator: ", ")
    if names.count == 1 { notices.append("1 rule of \(scenario.name) does not apply to \(upstream.name): \(list)") }
    if names.count > 1 {
      notices.append("\(names.count) rules of \(scenario.name) do not apply to \(upstream.name): \(list)")
    }
    if let obstacle = upstream.address.obstacle {
      notices.append("\(obstacle); until it does, requests get 502")
    }
    return notices
  }
}
