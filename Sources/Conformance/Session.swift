import Contract
import HTTP1
import JSON
import Platform

/// The session of a check: sends requests to the server under test, in the check's own sandbox if there is one.
final class Session {
  let target: Target
  let sandbox: OwnSandbox?
  let deadline: Deadline
  /// A persistent connection for the next reads.
  private var reusable: Connection?

  init(target: Target, sandbox: OwnSandbox?) {
    self.target = target
    self.sandbox = sandbox
    deadline = .now + target.patience
  }

  /// A random text by which a check distinguishes its own writes from those of earlier runs.
  let fresh = String(UInt32.random(in: 0 ... .max), radix: 36)

  /// Returns the bytes of a request as a client would write them: with Host and, if there is a body, its length.
  ///
  /// - Parameter path: The path below the base URL, as it is sent.
  func request(
    _ method: String, _ path: String, _ fields: [String] = [], version: String = "1.1", body: String? = nil
  ) -> String {
    var lines = ["\(method) \(target.base.path)\(path) HTTP/\(version)"] + standardFields + adminFields(path) + fields
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    return lines.map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")
  }

  /// `Host`, and the fields that select the check's sandbox.
  var standardFields: [String] { ["Host: \(target.base.authority)"] + sandboxFields }

  /// Returns the token's field, which is sent to the control API only.
  private func adminFields(_ path: String) -> [String] {
    guard let token = target.adminToken, path.hasPrefix("/_mock/") else { return [] }
    return ["Authorization: Bearer \(token)"]
  }

  /// The same session without the admin token.
  var withoutToken: Session {
    var target = target
    target.adminToken = nil
    return Session(target: target, sandbox: sandbox)
  }

  var sandboxFields: [String] { sandbox.map { ["Understudy-Sandbox: \($0.name)"] } ?? [] }

  func connect() throws(EarlyEnd) -> Connection {
    guard let connection = Connection(to: target.addresses, until: deadline) else {
      throw .failed(expected: "a connection to \(target.base.authority)", found: "no connection")
    }
    return connection
  }

  func get(_ path: String, _ fields: String...) throws(EarlyEnd) -> Answer {
    try exchange("GET", path, fields, body: nil)
  }

  /// Requests a URL that the server returned. Such a URL already contains the sandbox, so no sandbox field is sent.
  ///
  /// - Parameter path: The URL's path below the base.
  func follow(_ path: String) throws(EarlyEnd) -> Answer {
    let connection = try connect()
    let line = "GET \(target.base.path)\(path) HTTP/1.1"
    try connection.send(line + "\r\nHost: \(target.base.authority)\r\n\r\n")
    return try connection.answer(to: "GET \(path)")
  }

  func ask(_ method: String, _ path: String, _ fields: String..., body: String? = nil) throws(EarlyEnd)
    -> Answer
  {
    try exchange(method, path, fields, body: body)
  }

  /// Sends one request and reads its response. Only a read is repeated, when a persistent connection turns out to be
  /// closed.
  func exchange(_ method: String, _ path: String, _ fields: [String], body: String?) throws(EarlyEnd) -> Answer {
    let asked = "\(method) \(path)"
    let bytes = request(method, path, fields, body: body)
    let isRead = method == "GET" || method == "HEAD"
    if isRead, let reusable {
      self.reusable = nil
      try? reusable.send(bytes)
      if !reusable.hasEndedUnused() { return try keeping(reusable, asked) }
    }
    let connection = try connect()
    try connection.send(bytes)
    return try keeping(connection, asked)
  }

  private func keeping(_ connection: Connection, _ asked: String) throws(EarlyEnd) -> Answer {
    let answer = try connection.finalAnswer(to: asked)
    reusable = answer.keepsConnection && answer["Content-Length"] != nil ? connection : nil
    return answer
  }

  /// Returns the address of a path that only the API's own origin serves, such as Booking's `/rooms`.
  func own(_ api: String, _ path: String) throws(EarlyEnd) -> String {
    if target.hasLabels { return "/@\(api)\(path)" }
    guard target.onlyAPI == api else {
      throw .skipped("\(path) is served on the API's own origin only: check that with --only \(api)")
    }
    return path
  }

  /// Sends requests concurrently, each on its own connection, and returns the responses in the order of the requests.
  func atOnce(_ requests: [(method: String, path: String, body: String)]) throws(EarlyEnd) -> [Answer] {
    var connections: [Connection] = []
    for _ in requests { connections.append(try connect()) }
    for (connection, request) in zip(connections, requests) {
      try connection.send(self.request(request.method, request.path, body: request.body))
    }
    var answers: [Answer] = []
    for (connection, request) in zip(connections, requests) {
      answers.append(try connection.answer(to: "\(request.method) \(request.path)"))
    }
    return answers
  }
}
