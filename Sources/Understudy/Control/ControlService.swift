import Contract
import ControlAPI
import Faults
import HTTP1
import JSON
import Primitives
import Services

/// The handlers of the control API. Unlike those of the five APIs, they act on the application itself.
struct ControlService: Source {
  /// The input of a handler of the control API.
  struct Command {
    let call: Call
    /// The ordinal of the exchange among all of the server.
    let ordinal: Int
    /// The request's `Accept` field.
    let accept: String?
    /// The id of the last event that the reader of a stream has.
    let lastEventID: String?
    let sandbox: Sandbox
    let application: Application
    /// The server's merged origin, as the client uses it.
    let origin: String
    /// The path of the sandbox's `/` on the client's side: a proxy's prefix, and the labels in the request's path.
    let prefix: String
    /// The API that the request's labels or host select; nil on the merged origin.
    let api: Int?

    /// The place of work on its content.
    var place: Job.Place { call.hasLongBody ? .worker : .loop }

    /// Returns the response that `body` makes of the request's content. Long content is parsed by a worker.
    func reading(
      as schema: Schema, _ body: @escaping (JSONValue) throws(Problem) -> Response
    ) throws(Problem) -> Performance {
      try performing(as: schema) { content throws(Problem) in .response(try body(content)) }
    }

    /// Returns what follows from the request's content by `body`. Long content is parsed by a worker.
    func performing(
      as schema: Schema, _ body: @escaping (JSONValue) throws(Problem) -> Performance
    ) throws(Problem) -> Performance {
      guard call.hasLongBody else { return try body(try Problem.decode(call.body, as: schema)) }
      return .job(
        .worker,
        { [bytes = call.body] in { Result { () throws(Problem) in try Problem.decode(bytes, as: schema) } } }
      ) { content, _, _, _ in
        Performance { () throws(Problem) in try body(try content.get()) }
      }
    }
  }

  typealias Handler = @Sendable (Command) throws(Problem) -> Performance

  private let handlers: [Handler]

  /// - Parameter servesState: False in front of a backend, whose state is not shown.
  init(servesState: Bool) {
    handlers = API.control.operations.map { operation in
      guard let handler = Self.named[operation.id] else { preconditionFailure("\(operation.id) has no handler") }
      return servesState || !Self.ofOwnState.contains(operation.id) ? handler : Self.refuse
    }
  }

  private static let named: [String: Handler] = [
    "getHealth": atOnce(health), "getOpenAPI": document, "getSchema": schema,
    "listSandboxes": listSandboxes, "makeSandbox": makeSandbox, "getSandbox": atOnce(getSandbox),
    "deleteSandbox": atOnce(deleteSandbox), "resetSandbox": atOnce(resetSandbox),
    "listSnapshots": atOnce(listSnapshots), "getSnapshot": atOnce(getSnapshot), "takeSnapshot": atOnce(takeSnapshot),
    "restoreSnapshot": atOnce(restoreSnapshot),
    "getClock": atOnce(getClock), "patchClock": patchClock,
    "getState": getState, "patchState": patchState,
    "getScenario": getScenario, "putScenario": putScenario, "patchScenario": patchScenario, "getPlan": getPlan,
    "listFaults": atOnce(listFaults), "armFault": armFault, "removeFaults": atOnce(removeFaults),
    "removeFault": atOnce(removeFault),
    "getNetwork": atOnce(getNetwork), "patchNetwork": patchNetwork,
    "getJournal": getJournal, "streamJournal": atOnce(streamJournal), "sendRequest": sendRequest,
    "getReport": getReport, "getUpstream": atOnce(getUpstream),
    "listScenarios": atOnce(listScenarios), "getMetrics": atOnce(getMetrics), "getDashboard": getDashboard,
    "getFrontPage": atOnce(getFrontPage),
    "getPicture": getPicture,
  ]

  /// The operations whose responses show no state of a sandbox, so that they never wait for the disk.
  private static let stateless: Set<String> = [
    "getHealth", "getMetrics", "getOpenAPI", "getSchema", "listScenarios", "getDashboard", "getFrontPage",
    "getUpstream",
  ]

  private let statelessOperations = API.control.operations.map { Self.stateless.contains($0.id) }

  /// Returns true if the response of an operation shows no state of a sandbox.
  func isStateless(_ operation: Int) -> Bool { statelessOperations[operation] }

  /// The operations on a state of the server's own, which a backend does not show.
  private static let ofOwnState = ["getState", "patchState", "getSnapshot", "takeSnapshot", "restoreSnapshot"]

  private static func refuse(_ command: Command) throws(Problem) -> Performance {
    let operation = API.control.operations[command.call.operation]
    throw .stateOfUpstream("\(operation.method.rawValue) \(operation.path.text)")
  }

  /// Returns the handler of an operation whose response takes little time.
  private static func atOnce(_ respond: @escaping @Sendable (Command) throws(Problem) -> Response) -> Handler {
    { command throws(Problem) in .response(try respond(command)) }
  }

  func response(
    to request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    let command = Command(
      call: request.call, ordinal: exchange.ordinal, accept: exchange.combined(.accept),
      lastEventID: exchange.lastEventID, sandbox: request.sandbox, application: application,
      origin: application.origin(of: exchange), prefix: exchange.request.clientPrefix + exchange.address.prefix,
      api: exchange.address.labels.api)
    let performance = Performance { () throws(Problem) in try handlers[request.call.operation](command) }
    guard exchange.method != .get else { return performance }
    return performance.then(
      { response, _, application, _ in
        application.noteSchedule(of: request.sandbox)
        return .response(response)
      }, for: &exchange, application, at: now)
  }

  private static func health(_ command: Command) -> Response {
    Response(200, Representation(["status": "ok", "version": .string(Document.version)]))
  }

  private static func document(_ command: Command) -> Performance {
    .rendering(.worker, as: RenderingKey("document")) { { Response(200, openAPI) } }
  }

  private static func schema(_ command: Command) throws(Problem) -> Performance {
    let name = command.call.arguments[0]
    guard name.hasSuffix(".json"), let schema = SchemaDocument.named(name.dropLast(".json".count)) else {
      throw .unknownSchema(name)
    }
    return .rendering(.loop, as: RenderingKey("schema", name)) {
      { Response(200, Representation(Array(schema.text.utf8), .schema)) }
    }
  }

  private static let openAPI = Representation(Array(MockServer.openAPI.utf8), .yaml)
}

extension Application {
  /// Lets the loop look at the schedules anew if that of a sandbox may have changed.
  fileprivate func noteSchedule(of sandbox: Sandbox) {
    guard sandbox.state.scenarioState.armed.hasOutages || sandbox.traffic.network.until != nil else { return }
    state.isScheduleNew = true
  }
}
