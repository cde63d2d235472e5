import Contract
import Faults
import JSON

extension ControlBehaviour {
  static func listScenarios(_ command: Command) -> Reply {
    let list = Scenarios.builtIn.map { ["name": .string($0.name), "about": .string($0.about)] as JSON }
    return Reply(200, Representation(["scenarios": .array(list)]))
  }

  static func getScenario(_ command: Command) -> Reply {
    let arming = command.sandbox.arming
    return Reply(200, Representation(arming.scenario.json.merging(["seed": .int(Int(arming.seed))])))
  }

  static func putScenario(_ command: Command) throws(Problem) -> Reply {
    // The scenario's own reader says best what is wrong with one.
    var body = try Problem.decode(command.call.body, as: .oneOf([.string(), .scenarioPatch]))
    var seed: UInt64?
    // What GET answers can be changed and put back, its seed included.
    if case .object(var object) = body {
      seed = object["seed"]?.int.map { UInt64($0) }
      object["seed"] = nil
      body = .object(object)
    }
    try arm(try named(body, at: .root), seed: seed, command)
    return getScenario(command)
  }

  /// A merge patch on the scenario and its seed.
  static func patchScenario(_ command: Command) throws(Problem) -> Reply {
    let patch = try Problem.decode(command.call.body, as: .scenarioPatch)
    let arming = command.sandbox.arming
    var merged = arming.scenario.json.merging(patch).object ?? JSON.Object()
    let seed = merged["seed"]
    merged["seed"] = nil
    let scenario = try named(.object(merged), at: .root)
    try arm(scenario, seed: seed?.int.map { UInt64($0) }, command)
    return getScenario(command)
  }

  private static func arm(_ scenario: Scenario, seed: UInt64?, _ command: Command) throws(Problem) {
    let backend = command.backend
    command.sandbox.arm(scenario, seed: seed ?? command.sandbox.arming.seed, at: backend.realTime)
    command.sandbox.journal.note("armed the scenario \(scenario.name)", versions: nil, at: backend.realTime)
    if command.sandbox.isOffline(at: backend.realTime) { backend.loop.resetConnections(of: command.sandbox.name) }
  }

  /// The scenario that a body names or spells out.
  static func named(_ json: JSON, at pointer: JSONPointer) throws(Problem) -> Scenario {
    do throws(Violation) {
      return try Scenarios.read(json, at: pointer)
    } catch {
      throw .invalid([error])
    }
  }

  /// The fates of requests to come: those after the ones that were counted already.
  static func getPlan(_ command: Command) throws(Problem) -> Reply {
    let query = command.call.query
    try query.allow(["method", "path", "count"])
    guard let method = query["method"].flatMap({ Contract.Method(rawValue: $0.uppercased()) }) else {
      throw .parameter("method", "expected one of \(Contract.Method.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard let path = query["path"], !path.isEmpty else {
      throw .parameter("path", "expected a path, as in /devices/WWM-0001-12")
    }
    let count = try query.integer("count", in: 1...1_000) ?? 20
    let fates = try command.backend.foretell(
      method, path, api: command.api, count: count, in: command.sandbox)
    return Reply(200, Representation(["plan": .array(fates)]))
  }
}

extension Backend {
  /// The fates of the next requests of a stream.
  ///
  /// - Parameter api: The API whose origin the path is on; nil for the merged one.
  func foretell(
    _ method: Contract.Method, _ path: String, api: Int?, count: Int, in sandbox: Sandbox
  ) throws(Problem) -> [JSON] {
    let (stream, changes) = try addresses.stream(method, path, in: api)
    let done = sandbox.arming.count(of: stream)
    return (done + 1...done + count).map { n in
      let facts = Facts(
        stream: stream, position: .ordinal(n), changes: changes,
        elapsed: sandbox.arming.elapsed(at: sandbox.now(at: realTime)))
      return sandbox.arming.armed.foretell(facts).json
    }
  }
}

extension Query {
  /// Refuses a parameter that no one reads.
  func allow(_ names: [String]) throws(Problem) {
    guard let unknown = pairs.first(where: { !names.contains($0.name) }) else { return }
    throw .parameter(unknown.name, "unknown; expected \(names.joined(separator: ", "))")
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard let value = Int(text), range.contains(value), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw .parameter(name, "expected an integer from \(range.lowerBound) to \(range.upperBound), found \(text)")
    }
    return value
  }
}

extension Problem {
  static func parameter(_ name: String, _ detail: String) -> Problem {
    Problem(400, "parameter", "A parameter is wrong", "\(name): \(detail).")
  }
}
