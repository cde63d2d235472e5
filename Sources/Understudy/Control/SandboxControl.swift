import Contract
import Faults
import JSON

extension ControlBehaviour {
  static func listSandboxes(_ command: Command) -> Reply {
    let list = command.backend.sandboxes.all.map { describe($0, command) }
    return Reply(200, Representation(["sandboxes": .array(list)]))
  }

  static func getSandbox(_ command: Command) throws(Problem) -> Reply {
    Reply(200, Representation(describe(try named(command), command)))
  }

  static func makeSandbox(_ command: Command) throws(Problem) -> Reply {
    let sandbox = try makeSandbox(command.call.body, in: command.backend)
    let location = ReplyField("Location", command.origin + "/_mock/sandboxes/" + sandbox.name)
    return Reply(201, Representation(describe(sandbox, command)), fields: [location], changed: true)
  }

  /// Makes a sandbox as a body asks for it: the one way in which any is made, in process or over the wire.
  ///
  /// - Parameter scenario: One that has no name among the built-in ones, to take the place of the body's.
  static func makeSandbox(
    _ body: ArraySlice<UInt8>, scenario: Scenario? = nil, in backend: Backend
  ) throws(Problem) -> Sandbox {
    let body: JSON = body.isEmpty ? [:] : try Problem.decode(body, as: .sandboxRequest)
    let name = try freeName(body["name"]?.string, backend)
    let seeds = try backend.seeds.merging(body["data"] ?? [:])
    let builtIn = try body["scenario"].map { name throws(Problem) in try named(name, at: .root / "scenario") }
    let api = body["api"]?.string.flatMap { name in API.all.firstIndex { $0.name == name } }
    var order = backend.standard
    order.timeToLive = try timeToLive(body["ttl"]?.string)
    // Nothing is refused behind this, so no port stays open for nobody.
    let port = try open(body["port"]?.int, for: Labels(api: api, sandbox: name), backend)
    (order.name, order.api, order.port, order.patch) = (name, api, port, body["data"])
    if let scenario = scenario ?? builtIn { order.scenario = scenario }
    if let seed = body["seed"]?.int { order.seed = UInt64(seed) }
    let sandbox = Sandbox(order, seeds: seeds, at: backend.realTime, tick: backend.tick)
    backend.add(sandbox)
    return sandbox
  }

  static func deleteSandbox(_ command: Command) throws(Problem) -> Reply {
    let sandbox = try named(command)
    guard sandbox.name != Sandboxes.defaultName else {
      throw Problem(409, "default-sandbox", "The default sandbox stays", "Reset it with POST /_mock/reset instead.")
    }
    command.backend.remove(sandbox, undo: .deleted(sandbox))
    return Reply(204, changed: true)
  }

  static func resetSandbox(_ command: Command) -> Reply {
    let version = command.sandbox.store.version
    command.backend.keepCard(of: command.sandbox, .reset)
    command.sandbox.reset(at: command.backend.realTime)
    note("reset", since: version, command)
    return Reply(204, changed: true)
  }

  private static func named(_ command: Command) throws(Problem) -> Sandbox {
    let name = command.call.arguments[0]
    guard let sandbox = command.backend.sandboxes[name] else { throw .unknownSandbox(name) }
    return sandbox
  }

  private static func freeName(_ wanted: String?, _ backend: Backend) throws(Problem) -> String {
    guard backend.sandboxes.count < Sandboxes.capacity else {
      throw Problem(
        507, "too-many-sandboxes", "There are too many sandboxes",
        "There are \(Sandboxes.capacity) sandboxes; delete some, or give them a ttl.")
    }
    guard let wanted else { return backend.sandboxes.makeName() }
    let reserved = API.all.map(\.name) + [Sandboxes.defaultName]
    guard !reserved.contains(wanted) else {
      throw .invalid([Violation(.root / "name", "«\(wanted)» is taken by the server; expected another name")])
    }
    guard backend.sandboxes[wanted] == nil else {
      throw Problem(409, "sandbox-exists", "The name is taken", "A sandbox is called «\(wanted)» already.")
    }
    return wanted
  }

  private static func timeToLive(_ text: String?) throws(Problem) -> Duration? {
    guard let text, let duration = DurationText(text)?.duration else { return nil }
    guard duration >= .seconds(1) else {
      throw .invalid([Violation(.root / "ttl", "expected at least 1s, found \(text)")])
    }
    return duration
  }

  private static func open(_ port: Int?, for labels: Labels, _ backend: Backend) throws(Problem) -> Int? {
    guard let port else { return nil }
    do throws(SystemError) {
      return try backend.loop.open(port, for: labels)
    } catch {
      throw Problem(409, "port-unavailable", "The port cannot be had", "Port \(port) cannot be listened at: \(error).")
    }
  }

  private static func describe(_ sandbox: Sandbox, _ command: Command) -> JSON {
    let addresses = SandboxAddresses(sandbox, origin: command.origin)
    var description = JSON.Object([
      JSON.Member("name", .string(sandbox.name)),
      JSON.Member("url", .string(addresses.url)),
      JSON.Member(
        "urls", .object(JSON.Object(API.all.indices.map { JSON.Member(API.all[$0].name, .string(addresses[$0])) }))),
    ])
    description["port"] = sandbox.port.map { .int($0) }
    description["scenario"] = .string(sandbox.arming.scenario.name)
    description["seed"] = .int(Int(sandbox.arming.seed))
    return .object(description)
  }
}

/// The base URLs by which a sandbox is reached, in the form that needs no name server: labels stand in the path.
struct SandboxAddresses {
  private let sandbox: Sandbox
  private let origin: String

  init(_ sandbox: Sandbox, origin: String) {
    self.sandbox = sandbox
    self.origin = origin
  }

  /// The address of its own port, or its path on the merged origin.
  var url: String {
    if let port = sandbox.port { return onPort(port) }
    if let api = sandbox.api { return origin + "/@" + sandbox.name + "/@" + API.all[api].name }
    return sandbox.name == Sandboxes.defaultName ? origin : origin + "/@" + sandbox.name
  }

  /// The base URL of one API.
  subscript(api: Int) -> String {
    guard let own = sandbox.api else { return url + "/@" + API.all[api].name }
    return own == api ? url : origin + "/@" + sandbox.name + "/@" + API.all[api].name
  }

  private func onPort(_ port: Int) -> String {
    let host = HostName(origin.utf8.dropFirst("http://".utf8.count)).host
    return "http://\(host):\(port)"
  }
}
