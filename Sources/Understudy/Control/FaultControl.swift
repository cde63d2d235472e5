import Contract
import Faults
import JSON
import Primitives
import Services

/// The faults by hand.
extension ControlService {
  static func listFaults(_ command: Command) -> Response {
    Response(200, Representation(["faults": .array(command.sandbox.traffic.manualFaults.all.map(\.json))]))
  }

  static func armFault(_ command: Command) throws(Problem) -> Performance {
    try command.reading(as: .object([], additional: .allowed)) { body throws(Problem) in try armFault(command, body) }
  }

  private static func armFault(_ command: Command, _ body: JSONValue) throws(Problem) -> Response {
    let (rule, count) = try manualFault(body, for: command.application.scenarioTarget)
    let sandbox = command.sandbox
    guard sandbox.traffic.manualFaults.all.count < ManualFaults.maximumCount else {
      throw .tooManyFaults(ManualFaults.maximumCount)
    }
    let fault = sandbox.traffic.manualFaults.add(rule, count: count, seed: sandbox.state.scenarioState.seed)
    sandbox.traffic.record(
      "armed a fault by hand: \(fault.description)", versions: nil, at: command.application.realTime)
    return Response(201, Representation(fault.json))
  }

  /// Returns the rule in a body, and the number of requests that it affects.
  private static func manualFault(
    _ body: JSONValue, for target: Scenarios.Target
  ) throws(Problem) -> (rule: Rule, count: Int?) {
    guard var members = body.object else { throw .invalid([ValidationError(.root, "expected an object")]) }
    var count: Int?
    if let given = members["count"] {
      guard let value = given.int, 1...1_000 ~= value else {
        throw .invalid([
          ValidationError(.root / "count", "expected an integer from 1 to 1000, or no count for each request")
        ])
      }
      count = value
      members["count"] = nil
    }
    let rule: Rule
    do throws(ValidationError) {
      rule = try Scenarios.rule(.object(members), for: target)
    } catch {
      throw .invalid([error])
    }
    guard rule.name == nil else {
      throw .invalid([ValidationError(.root / "name", "a fault by hand is named by its id; use \"about\" for a remark")]
      )
    }
    guard !rule.effect.kind.isOfSandbox else {
      throw .invalid([
        ValidationError(
          .root / "effect",
          "expected an effect on single requests; an outage is switched with PATCH /_mock/network, and a scenario has rivals"
        )
      ])
    }
    return (rule, count)
  }

  static func removeFaults(_ command: Command) -> Response {
    let (sandbox, count) = (command.sandbox, command.sandbox.traffic.manualFaults.all.count)
    sandbox.traffic.manualFaults.removeAll()
    if count > 0 {
      sandbox.traffic.record("removed all faults by hand", versions: nil, at: command.application.realTime)
    }
    return Response(204)
  }

  static func removeFault(_ command: Command) throws(Problem) -> Response {
    let (sandbox, text) = (command.sandbox, command.call.arguments[0])
    guard let id = Int(text), sandbox.traffic.manualFaults.remove(id) else { throw .unknownFault(text) }
    sandbox.traffic.record("removed the fault by hand \(id)", versions: nil, at: command.application.realTime)
    return Response(204)
  }
}
