import Contract
import ControlAPI
import HTTP1
import JSON
import Primitives
import Services

extension ControlService {
  /// Sends a request to this server.
  static func sendRequest(_ command: Command) throws(Problem) -> Performance {
    try command.performing(as: .request) { body throws(Problem) in try sendRequest(command, body) }
  }

  private static func sendRequest(_ command: Command, _ body: JSONValue) throws(Problem) -> Performance {
    let (application, loop) = (command.application, command.application.state.loop)
    var limits = application.requestLimits
    limits.awaitedContent = nil
    let host = command.origin.split(separator: "/").dropFirst().first ?? "localhost"
    let message = try RequestMessage(body, host: String(host), limits)
    let named = message.port.flatMap { $0 == application.gate.controlPort?.number ? nil : loop.address(of: $0) }
    // The client's port may be another one than the server's, as in front of a container.
    let port = application.portNumber(of: Labels(sandbox: command.sandbox.name))
    guard let address = named ?? loop.address(of: port) else {
      throw .requestNotSent(to: port, "the server does not listen")
    }
    let sender = RequestSender(message.bytes, to: address, until: application.tick + RequestSender.timeout)
    let question = Question(id: command.ordinal)
    return .work(
      Work(task: .question(question, to: sender)) { answer, _, _, _ in
        guard let answer = answer as? Response else { preconditionFailure("a question is answered by a response") }
        return .response(answer)
      })
  }
}

/// A request as it is sent.
private struct RequestMessage {
  let bytes: [UInt8]
  /// The port that its `Host` names, if it names one.
  let port: Int?

  /// Creates the message of a request in the form of `/_mock/requests`.
  ///
  /// - Parameter own: The value of `Host` if the request has none.
  init(_ value: JSONValue, host own: String, _ limits: Limits) throws(Problem) {
    let ofConnection = ConnectionOptions([])
    var fields: [(name: String, value: String)] = []
    var (host, isSized) = (own, false)
    for member in value["headers"]?.object?.members ?? [] {
      let text = member.value.string ?? ""
      switch member.name.lowercased() {
      case "host": host = text
      case "content-length", "transfer-encoding": isSized = true
      case "expect": continue
      default:
        if !ofConnection.contains(Array(member.name.utf8)[...]) { fields.append((member.name, text)) }
      }
    }
    let content = value["body"]?.string ?? ""
    fields.insert(("Host", host), at: 0)
    if isSized || !content.isEmpty { fields.append(("Content-Length", "\(content.utf8.count)")) }
    fields.append(("Connection", "close"))
    let start = "\(value["method"]?.string ?? "") \(value["target"]?.string ?? "") HTTP/1.1"
    let lines = [start] + fields.map { "\($0.name): \($0.value)" }
    guard !lines.contains(where: { $0.utf8.contains { $0 == 0x0D || $0 == 0x0A } }) else {
      throw Self.invalid("found a line break in its line or in a field")
    }
    guard !(lines + [content]).contains(where: { $0.contains("(masked-") }) else {
      throw Self.invalid("found a masked credential, which --journal-secrets would show")
    }
    bytes = Array((lines + ["", content]).joined(separator: "\r\n").utf8)
    port = HostField(host.utf8).port
    var parser = RequestParser(limits: limits)
    parser.receive(bytes[...])
    if case .rejected(let rejection) = parser.next() { throw Self.invalid(rejection.reason) }
  }

  private static func invalid(_ reason: String) -> Problem {
    .invalid([ValidationError(.root, "expected a request of HTTP/1.1: \(reason)")])
  }
}
