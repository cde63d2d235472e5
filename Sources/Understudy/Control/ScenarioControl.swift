import Contract
import ControlAPI
import Faults
import JSON
import Primitives
import Services

extension ControlService {
  static func listScenarios(_ command: Command) -> Response {
    let list = Scenarios.builtIn.map { ["name": .string($0.name), "about": .string($0.about)] as JSONValue }
    return Response(200, Representation(["scenarios": .array(list)]))
  }

  static func getScenario(_ command: Command) -> Performance {
    .rendering(.loop) {
      let (armed, target) = (command.sandbox.state.scenarioState.armed, command.application.scenarioTarget)
      return { shown(armed, for: target) }
    }
  }

  private static func shown(_ armed: ArmedScenario, for target: Scenarios.Target) -> Response {
    let inapplicable = target.inapplicable(in: armed.scenario)
    let members: JSONValue = ["seed": .int(Int(armed.seed)), "inapplicable": inapplicable ?? .null]
    return Response(200, Representation(armed.scenario.json.merging(members)))
  }

  /// A parsed and validated scenario, and the response that shows it.
  private struct Prepared: Sendable {
    let armed: ArmedScenario
    let response: Response

    init(_ scenario: Scenario, seed: UInt64, for target: Scenarios.Target) {
      armed = ArmedScenario(scenario, seed: seed)
      response = shown(armed, for: target)
    }
  }

  static func putScenario(_ command: Command) -> Performance {
    let (bytes, current) = (command.call.body, command.sandbox.state.scenarioState.seed)
    let target = command.application.scenarioTarget
    return arm(command) { () throws(Problem) in
      // The scenario's own parser describes errors best.
      let body: JSONValue
      do throws(Problem) {
        body = try Problem.decode(bytes, as: .oneOf([.string(), .object([], additional: .allowed)]))
      } catch {
        throw error.kind == "malformed-json" ? .unquotedScenario(bytes, error) : error
      }
      let given = try scenario(body, at: .root, for: target)
      return Prepared(given.scenario, seed: given.seed ?? current, for: target)
    }
  }

  /// Applies a merge patch to the scenario and its seed.
  static func patchScenario(_ command: Command) -> Performance {
    let (bytes, armed) = (command.call.body, command.sandbox.state.scenarioState.armed)
    let target = command.application.scenarioTarget
    return arm(command) { () throws(Problem) in
      let patch = try Problem.decode(bytes, as: .scenarioPatch)
      if patch["name"]?.string != armed.scenario.name {
        do throws(ValidationError) { try Scenarios.checkNames(in: patch) } catch { throw .invalid([error]) }
      }
      let given = try scenario(armed.scenario.json.merging(patch), at: .root, for: target)
      return Prepared(given.scenario, seed: given.seed ?? armed.seed, for: target)
    }
  }

  /// Arms the scenario that `prepare` makes off the loop from the request's body, and returns the response that shows
  /// it.
  private static func arm(
    _ command: Command, _ prepare: @escaping @Sendable () throws(Problem) -> Prepared
  ) -> Performance {
    .job(command.place, { { Result { () throws(Problem) in try prepare() } } }) { result, _, application, _ in
      Performance { () throws(Problem) in
        let (prepared, sandbox, real) = (try result.get(), command.sandbox, application.realTime)
        sandbox.arm(prepared.armed, at: real) {
          sandbox.traffic.record("armed the scenario \(prepared.armed.scenario.name)", versions: nil, at: real)
          application.state.followSchedule(of: sandbox, at: real)
          if sandbox.isOffline(at: real) { application.state.loop.resetConnections(of: [sandbox.name]) }
        }
        return .response(prepared.response)
      }
    }
  }

  /// Returns the scenario that a body names or contains, and its seed, if any.
  static func scenario(
    _ json: JSONValue, at pointer: JSONPointer, for target: Scenarios.Target
  ) throws(Problem) -> (scenario: Scenario, seed: UInt64?) {
    do throws(ValidationError) {
      return try Scenarios.readSeeded(json, at: pointer, for: target)
    } catch {
      throw .invalid([error])
    }
  }

  /// Returns the plans of future requests, after those that were already counted.
  static func getPlan(_ command: Command) throws(Problem) -> Performance {
    let query = command.call.query
    try query.allow(["method", "path", "operation", "count"])
    let methods = command.application.router.plannedMethods
    guard let method = query["method"]?.uppercased(), methods.contains(method) else {
      throw .parameter("method", "expected one of \(methods.joined(separator: ", "))")
    }
    guard let path = query["path"], !path.isEmpty else {
      throw .parameter("path", "expected a path, as in /devices/WWM-0001-12")
    }
    let count = try query.integer("count", in: 1...1_000) ?? 20
    let plans = try command.application.pendingPlan(
      method, path, operation: query["operation"].flatMap { $0.isEmpty ? nil : $0 }, api: command.api, count: count,
      in: command.sandbox)
    return .rendering(count > 100 ? .worker : .loop) { { Response(200, Representation(["plan": .array(plans())])) } }
  }
}

extension Scenarios.Target {
  /// Returns the member `inapplicable` of a scenario's JSON; nil if all its rules apply.
  func inapplicable(in scenario: Scenario) -> JSONValue? {
    let names = leftOut(of: scenario)
    return names.isEmpty ? nil : .array(names.map { .string($0) })
  }
}

extension Application {
  /// Returns a function that computes the plans of the next requests of a stream from the current state, at any time
  /// and on any thread. The faults by hand are planned as if no other request came.
  ///
  /// - Parameter api: The API of the path's origin; nil for the merged one.
  func pendingPlan(
    _ method: String, _ path: String, operation: String?, api: Int?, count: Int, in sandbox: Sandbox
  ) throws(Problem) -> @Sendable () -> [JSONValue] {
    let (stream, changes) = try router.stream(method, path, operation: operation, in: api)
    let done = sandbox.state.scenarioState.count(of: stream)
    let elapsed = sandbox.state.scenarioState.elapsed(at: sandbox.now(at: realTime))
    let armed = strikes(stream) ? sandbox.state.scenarioState.armed : ArmedScenario(.calm, seed: 1)
    let manualFaults = sandbox.traffic.manualFaults
    return {
      var faults = manualFaults
      return (done + 1...done + count).map { n in
        let context = RequestContext(stream: stream, position: .ordinal(n), changes: changes, elapsed: elapsed)
        return armed.preview(context, after: faults.takePlan(for: context) { _ in nil }).json
      }
    }
  }
}

extension Query {
  /// Throws for an unknown parameter.
  func allow(_ names: [String]) throws(Problem) {
    guard let unknown = pairs.first(where: { !names.contains($0.name) }) else { return }
    let expected = names.isEmpty ? "no parameter" : names.joined(separator: ", ")
    throw .parameter(unknown.name, "unknown; expected \(expected)")
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard let value = Int(text), range.contains(value), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw .parameter(name, "expected an integer from \(range.lowerBound) to \(range.upperBound), found \(text)")
    }
    return value
  }

  func flag(_ name: String) throws(Problem) -> Bool? {
    switch self[name] {
    case nil: nil
    case "true": true
    case "false": false
    case let text?: throw .parameter(name, "expected true or false, found \(text)")
    }
  }
}

extension Problem {
  /// Returns the problem of a body that is no JSON: it may be a scenario's name without quotes, because a shell removed
  /// them, or have a mistake that is common in files.
  fileprivate static func unquotedScenario(_ body: ArraySlice<UInt8>, _ problem: Problem) -> Problem {
    let words = String(decoding: body.prefix(100), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let name = words.count == 1 ? Scenarios[String(words[0])]?.name : nil
    var problem = problem
    do throws(JSONSyntaxError) {
      _ = try JSONValue(parsing: body)
    } catch {
      if let hint = JSONHint.hint(on: error, in: body) { problem.detail += " Hint: \(hint)." }
    }
    problem.detail += " A scenario is a JSON object, or a built-in scenario's name as a JSON string with its quotes: "
    problem.detail += "\(JSONValue.string(name ?? "basement").text)."
    return problem
  }
}
