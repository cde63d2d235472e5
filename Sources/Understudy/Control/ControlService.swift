import Contract
import ControlAPI
import HTTP1
import JSON
import Services

/// The handlers of the control API. Unlike those of the five APIs, they act on the application itself.
struct ControlService {
  /// The input of a handler of the control API.
  struct Command {
    let call: Call
    /// The request's `Accept` field.
    let accept: String?
    /// The request's `Last-Event-ID` field.
    let lastEventID: String?
    /// The work that is done off the loop, and its results.
    let offLoop: OffLoopWork
    let sandbox: Sandbox
    let application: Application
    /// The server's merged origin, as the client uses it.
    let origin: String
    /// The labels before the API's `/` in the request's path.
    let prefix: String
    /// The API that the request's labels or host select; nil on the merged origin.
    let api: Int?

    /// Returns the response that `body` computes off the loop, or `.pending` until it has done so.
    func respondOffLoop(_ body: @escaping @Sendable () -> Response) -> Response {
      offLoop.value(.rendering, body) ?? .pending
    }

    /// Returns the request's content; nil if it is long and is not parsed yet, off the loop.
    func content(as schema: Schema) throws(Problem) -> JSONValue? {
      guard call.hasLongBody else { return try Problem.decode(call.body, as: schema) }
      return try offLoop.value(.evaluation) { [body = call.body] in
        Result { () throws(Problem) in try Problem.decode(body, as: schema) }
      }?.get()
    }
  }

  typealias Handler = @Sendable (Command) throws(Problem) -> Response

  private let handlers: [Handler]

  init() {
    handlers = API.control.operations.map { operation in
      guard let handler = Self.named[operation.id] else { preconditionFailure("\(operation.id) has no handler") }
      return handler
    }
  }

  private static let named: [String: Handler] = [
    "getHealth": health, "getOpenAPI": document, "getSchema": schema,
    "listSandboxes": listSandboxes, "makeSandbox": makeSandbox, "getSandbox": getSandbox,
    "deleteSandbox": deleteSandbox, "resetSandbox": resetSandbox,
    "getSnapshot": getSnapshot, "takeSnapshot": takeSnapshot, "restoreSnapshot": restoreSnapshot,
    "getClock": getClock, "patchClock": patchClock,
    "getState": getState, "patchState": patchState,
    "getScenario": getScenario, "putScenario": putScenario, "patchScenario": patchScenario, "getPlan": getPlan,
    "getNetwork": getNetwork, "patchNetwork": patchNetwork,
    "getJournal": getJournal, "streamJournal": streamJournal,
    "getReport": getReport,
    "listScenarios": listScenarios, "getMetrics": getMetrics, "getDashboard": getDashboard,
    "getFrontPage": getFrontPage,
    "getPicture": getPicture,
  ]

  func respond(
    to call: Call, for exchange: borrowing Exchange, _ offLoop: OffLoopWork, in sandbox: Sandbox,
    of application: Application
  ) -> Response {
    do throws(Problem) {
      return try handlers[call.operation](
        Command(
          call: call, accept: exchange.combined(.accept), lastEventID: exchange.text(of: .lastEventID),
          offLoop: offLoop, sandbox: sandbox, application: application, origin: application.origin(of: exchange),
          prefix: exchange.address.prefix, api: exchange.address.labels.api))
    } catch {
      return .problem(error)
    }
  }

  private static func health(_ command: Command) -> Response {
    Response(200, Representation(["status": "ok", "version": .string(Document.version)]))
  }

  private static func document(_ command: Command) -> Response {
    command.respondOffLoop { Response(200, openAPI) }
  }

  private static func schema(_ command: Command) throws(Problem) -> Response {
    let name = command.call.arguments[0]
    guard name.hasSuffix(".json"), let schema = SchemaDocument.named(name.dropLast(".json".count)) else {
      throw .unknownSchema(name)
    }
    return command.respondOffLoop { Response(200, Representation(Array(schema.text.utf8), .schema)) }
  }

  private static let openAPI = Representation(Array(MockServer.openAPI.utf8), .yaml)
}
