import Contract
import Faults
import JSON
import Platform
import Report
import Services

extension ControlService {
  static func listSandboxes(_ command: Command) -> Performance {
    .rendering(command.application.state.sandboxes.count <= shortListCount ? .loop : .worker) {
      let list = command.application.state.sandboxes.inOrderOfMaking.map { addresses(of: $0, command) }
      return {
        // The default sandbox comes first, then the others by name.
        let sorted = [list[0]] + list.dropFirst().sorted { $0.name < $1.name }
        return Response(200, Representation(["sandboxes": .array(sorted.map(\.description))]))
      }
    }
  }

  private static func addresses(of sandbox: Sandbox, _ command: Command) -> SandboxAddresses {
    SandboxAddresses(sandbox, origin: command.origin, on: command.application)
  }

  /// The number of sandboxes whose list is rendered in a few milliseconds.
  private static let shortListCount = 200

  static func getSandbox(_ command: Command) throws(Problem) -> Response {
    Response(200, Representation(addresses(of: try named(command), command).description))
  }

  static func makeSandbox(_ command: Command) -> Performance {
    let (body, state, now) = (command.call.body, command.application.state, command.application.realTime)
    let target = command.application.scenarioTarget
    return .evaluation(command.place, at: { state.seeds.number }) {
      let seeds = state.seeds
      return { Result { () throws(Problem) in try SandboxDraft(body, from: seeds, for: target, at: now) } }
    } then: { draft, _, application, _ in
      Performance { () throws(Problem) in
        let sandbox = try makeSandbox(try draft.get(), in: application)
        let location = ResponseField("Location", command.origin + "/_mock/sandboxes/" + sandbox.name)
        return .response(
          Response(
            201, Representation(addresses(of: sandbox, command).description), fields: [location], changed: true))
      }
    }
  }

  /// Makes a sandbox from a draft. Both the control API and `MockServer` make sandboxes by this function.
  static func makeSandbox(_ draft: SandboxDraft, in application: Application) throws(Problem) -> Sandbox {
    let body = draft.body
    let name = try freeName(body["name"]?.string, application)
    let store = try draft.data.get().store
    let api = body["api"]?.string.flatMap { name in API.all.firstIndex { $0.name == name } }
    var configuration = application.state.standard
    let timeToLive = try Self.timeToLive(body["ttl"]?.string)
    // After this nothing throws, so an opened port always belongs to a sandbox.
    let port = try open(body["port"]?.int, for: Labels(api: api, sandbox: name), application)
    configuration.identity = Sandbox.Identity(
      name: name, api: api, port: port, timeToLive: timeToLive, patch: body["data"])
    if let given = draft.given { configuration.scenario = given.scenario }
    if let seed = body["seed"]?.int.map({ UInt64($0) }) ?? draft.given?.seed { configuration.seed = seed }
    let sandbox = Sandbox(configuration, store: store, at: draft.now, tick: application.tick)
    application.state.add(sandbox)
    return sandbox
  }

  static func deleteSandbox(_ command: Command) throws(Problem) -> Response {
    let sandbox = try named(command)
    guard sandbox.name != Sandboxes.defaultName else {
      throw .defaultSandbox
    }
    command.application.state.remove(sandbox)
    return Response(204, changed: true)
  }

  static func resetSandbox(_ command: Command) throws(Problem) -> Response {
    try command.application.state.reset(command.sandbox)
    return Response(204, changed: true)
  }

  private static func named(_ command: Command) throws(Problem) -> Sandbox {
    let name = command.call.arguments[0]
    guard let sandbox = command.application.state.sandboxes[name] else { throw .unknownSandbox(name) }
    return sandbox
  }

  private static func freeName(_ name: String?, _ application: Application) throws(Problem) -> String {
    guard application.state.sandboxes.count <= Sandboxes.capacity else {
      throw .tooManySandboxes(Sandboxes.capacity)
    }
    guard let name else { return application.state.sandboxes.makeName() }
    let reserved = API.all.map(\.name) + [Sandboxes.defaultName]
    guard !reserved.contains(name) else {
      throw .invalid([ValidationError(.root / "name", "the server uses the name «\(name)»; expected another name")])
    }
    guard application.state.sandboxes[name] == nil else {
      throw .takenName(name)
    }
    return name
  }

  private static func timeToLive(_ text: String?) throws(Problem) -> Duration? {
    guard let text, let duration = DurationText(text)?.duration else { return nil }
    guard duration >= .seconds(1) else {
      throw .invalid([ValidationError(.root / "ttl", "expected at least 1s, found \(text)")])
    }
    return duration
  }

  private static func open(_ port: Int?, for labels: Labels, _ application: Application) throws(Problem) -> Int? {
    guard let port else { return nil }
    do throws(SystemError) {
      return try application.state.loop.open(port, for: labels, keepsReserve: true)
    } catch {
      throw .unavailablePort(port, "\(error)")
    }
  }
}

/// The base URLs of a sandbox. They have the labels in the path, so that clients need no name resolution of subdomains.
struct SandboxAddresses: Sendable {
  let name: String
  private let api: Int?
  private let port: Int?
  private let armed: ArmedScenario
  private let origin: String
  /// The requests to which its scenario applies.
  private let target: Scenarios.Target

  init(_ sandbox: Sandbox, origin: String, on application: Application) {
    (name, api, port, armed) = (
      sandbox.name, sandbox.identity.api, sandbox.identity.port, sandbox.state.scenarioState.armed
    )
    self.origin = origin
    target = application.scenarioTarget
  }

  /// The sandbox in the form of the control API.
  var description: JSONValue {
    let apis = target.isUpstream ? 0..<0 : API.all.indices
    var description = JSONValue.Object([
      JSONValue.Member("name", .string(name)),
      JSONValue.Member("url", .string(url)),
      JSONValue.Member(
        "urls", .object(JSONValue.Object(apis.map { JSONValue.Member(API.all[$0].name, .string(self[$0])) }))),
    ])
    description["port"] = port.map { .int($0) }
    description["scenario"] = .string(armed.scenario.name)
    description["seed"] = .int(Int(armed.seed))
    description["inapplicable"] = target.inapplicable(in: armed.scenario)
    return .object(description)
  }

  /// The URL of its own port, or its path on the merged origin.
  var url: String {
    if let port { return onPort(port) }
    if let api { return origin + "/@" + name + "/@" + API.all[api].name }
    return name == Sandboxes.defaultName ? origin : origin + "/@" + name
  }

  /// Returns the base URL of one API.
  subscript(index: Int) -> String {
    guard let own = api else { return url + "/@" + API.all[index].name }
    return own == index ? url : origin + "/@" + name + "/@" + API.all[index].name
  }

  private func onPort(_ port: Int) -> String {
    "http://\(HostField(ofOrigin: origin).host):\(port)"
  }
}
