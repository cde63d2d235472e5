import Contract
import JSON
import Primitives

extension Check {
  /// Returns one check for each declared status of each operation. It provokes the status and compares the response
  /// with its declaration.
  static func walk(_ api: API, _ group: String) -> [Check] {
    api.operations.flatMap { operation in
      operation.documentation.responses.compactMap { response in
        // A stream never ends; its own check reads its beginning.
        if operation.semantics.isStream, response.status == 200 { return nil }
        guard let provocation = Provocation(of: response.status, from: operation) else { return nil }
        return Check(
          kebab(operation.id) + "-\(response.status)", in: group,
          "\(operation.method.rawValue) \(operation.path.text) answers \(response.status): \(response.about)",
          from: .ours("openapi.yaml, \(operation.id)"), needs: provocation.needs(group)
        ) { session throws(EarlyEnd) in
          let answer = try provocation.answer(of: operation, in: group, by: session)
          try answer.expect(response.status).hold(to: response)
        }
      }
    }
  }

  /// Converts `getOpenAPI` to `get-open-api`.
  static func kebab(_ name: String) -> String {
    var words = ""
    var wasLower = false
    for character in name {
      if character.isUppercase, wasLower { words += "-" }
      words += character.lowercased()
      wasLower = character.isLowercase
    }
    return words
  }
}

/// A request for which an operation returns a given status.
struct Provocation: Sendable {
  private let method: String
  private var path: String
  private let isMerged: Bool
  private var fields: [String] = []
  private var body: String?
  /// A request that is sent first, to create the conflict.
  private var preparation: (method: String, path: String, body: String?)?
  /// True if the entity tag of a first response goes into the request's condition.
  private var isConditional = false
  private let changesState: Bool

  /// Returns nil if the status cannot be provoked from outside: a check does not make 1,000 sandboxes to have one
  /// refused.
  init?(of status: Int, from operation: Contract.Operation) {
    method = operation.method.rawValue
    isMerged = operation.semantics.isMerged
    let isMissing = status == 404 && operation.path.segments.contains { if case .variable = $0 { true } else { false } }
    let isMalformedName = status == 400 && operation.documentation.body == nil && operation.path.text.contains("{")
    let isOther = operation.id == "deleteSandbox" && status < 300
    let isDefault = operation.id == "deleteSandbox" && status == 409
    let writing = operation.semantics.changesOnlyWith.flatMap { Self.query(of: $0, for: status) }
    let name =
      isMissing
      ? "no-such-one"
      : isMalformedName ? "No_Label" : isOther ? Self.ownSandbox + "-2" : isDefault ? "default" : nil
    path =
      Self.path(of: operation, name)
      + (writing
        ?? (status == 400 && operation.documentation.body == nil && !isMalformedName
          ? "?nonsense=1" : Self.query(of: operation)))
    changesState =
      operation.semantics.changesState && (operation.semantics.changesOnlyWith == nil || writing != nil)
      && (status < 300 || status == 412 || status == 409)
    if let request = operation.documentation.body {
      fields = ["Content-Type: \(request.mediaType)"]
      body = request.examples.first?.value.text ?? "{}"
    }
    switch status {
    case 200..<300:
      let forms = operation.documentation.responses.first { $0.status == status }?.content.map(\.mediaType) ?? []
      if forms.first == "text/html" { fields.append("Accept: text/html") }
      if operation.id == "takeSnapshot", status == 200 { preparation = (method, path, nil) }
      if operation.id == "makeSandbox" { body = "{\"ttl\":\"1s\"}" }
      if isOther { preparation = ("POST", "/_mock/sandboxes", "{\"name\":\"\(Self.ownSandbox)-2\"}") }
      if operation.id == "removeFault" { preparation = ("POST", "/_mock/faults", "{\"effect\":{\"status\":503}}") }
      if operation.path.text.contains("/_mock/snapshots"), operation.method != .put {
        preparation = ("PUT", "/_mock/snapshots/synced", nil)
      }
    case 304: isConditional = true
    case 412: fields.append("If-Match: \"no-such-tag\"")
    case 400: if body != nil { body = "{" }
    case 404:
      if !isMissing, operation.documentation.body != nil { body = "{\"name\":\"no such room\"}" }
      // `/` has no JSON, so a request that accepts nothing else gets 404.
      if operation.id == "getFrontPage" { fields.append("Accept: application/json") }
      if operation.id == "getPlan" { path += "&operation=no-such-one" }
    case 409:
      if operation.path.text.hasPrefix("/book"), operation.documentation.body != nil { body = "{\"name\":\"Alexis\"}" }
      if operation.id == "makeSandbox" { body = "{\"name\":\"\(Self.ownSandbox)\"}" }
      if operation.id == "patchNetwork" { body = "{\"state\":\"offline\",\"as\":\"refused\"}" }
    default: return nil
    }
  }

  /// A placeholder for the name of the check's own sandbox, which is unknown before the check runs.
  private static let ownSandbox = "own-sandbox"

  func needs(_ group: String) -> Check.Requirement {
    group == "control" ? .control : changesState ? .sandbox : .nothing
  }

  func answer(of operation: Contract.Operation, in group: String, by session: Session) throws(EarlyEnd)
    -> Answer
  {
    let name = session.sandbox?.name ?? Self.ownSandbox
    let path = (isMerged ? self.path : try session.own(group, self.path)).replacing(Self.ownSandbox, with: name)
    if let preparation {
      let body = preparation.body?.replacing(Self.ownSandbox, with: name)
      _ = try session.exchange(preparation.method, preparation.path, [], body: body)
    }
    let body = body?.replacing(Self.ownSandbox, with: name)
    guard isConditional else { return try session.exchange(method, path, fields, body: body) }
    let currentTag = { () throws(EarlyEnd) in try session.get(path).expect(200).field("ETag") }
    let tag = try currentTag()
    let answer = try session.exchange(method, path, fields + ["If-None-Match: \(tag)"], body: body)
    // If the tag has changed since (the weather's does every minute), the check tries once more with the new tag.
    guard answer.status == 200, let other = answer["ETag"], other != tag else { return answer }
    return try session.exchange(method, path, fields + ["If-None-Match: \(try currentTag())"], body: body)
  }

  private static func path(of operation: Contract.Operation, _ replacement: String?) -> String {
    var replacement = replacement
    let segments = operation.path.segments.map { segment -> String in
      guard case .variable(let name) = segment else {
        if case .literal(let text) = segment { return text }
        return ""
      }
      defer { replacement = nil }
      let example = operation.documentation.parameters.first { $0.name == name }?.example?.value
      return replacement ?? example?.string ?? example?.text ?? name
    }
    return "/" + segments.joined(separator: "/")
      + (operation.path.text.count > 1 && operation.path.text.hasSuffix("/") ? "/" : "")
  }

  /// Returns the query that makes a GET a write, so that it returns the status. Without this query it returns 200 and
  /// does nothing.
  private static func query(of parameter: String, for status: Int) -> String? {
    switch status {
    case 400: "?\(parameter)="
    case 404: "?\(parameter)=no%20such%20room"
    case 409: "?\(parameter)=Alexis"
    case 412: "?\(parameter)=Ljerka"
    default: nil
    }
  }

  private static func query(of operation: Contract.Operation) -> String {
    let parameters = operation.documentation.parameters.filter { $0.location == .query }
    let needed = operation.documentation.needsParameter ? Array(parameters.prefix(1)) : parameters.filter(\.isRequired)
    let pairs = needed.map { parameter in
      let value = parameter.example?.value
      return parameter.name + "=" + (value?.string ?? value?.text ?? "")
    }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }
}
