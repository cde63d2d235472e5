import Contract
import JSON

/// What checks demand of an answer; each names what was expected and shows what came.
extension Answer {
  @discardableResult
  func expect(_ status: Int) throws(Finding) -> Answer {
    try require(self.status == status, "\(status)", found: evidence)
    return self
  }

  @discardableResult
  func expect(body: String) throws(Finding) -> Answer {
    try require(text == body, "the body «\(body.prefix(120))»", found: evidence)
    return self
  }

  @discardableResult
  func expect(_ field: String, _ value: String) throws(Finding) -> Answer {
    try require(self[field] == value, "\(field): \(value)", found: describe(field))
    return self
  }

  /// Expects the member of a JSON object: two answers may be alike, and neither what was asked for.
  @discardableResult
  func expect(member name: String, _ value: JSON) throws(Finding) -> Answer {
    try require(try json()[name] == value, "\(name): \(value.text)", found: evidence)
    return self
  }

  /// Expects another answer than a path gets below which nothing is: whoever answers everything alike has understood
  /// nothing of the request, however well the answer looks.
  @discardableResult
  func expect(ownOf path: String, by bench: Bench) throws(Finding) -> Answer {
    let unknown = try bench.get(path + "/no/such/path")
    try require(
      unknown.status != status || unknown.body != body, "another answer than to \(unknown.asked)", found: evidence)
    return self
  }

  func field(_ name: String) throws(Finding) -> String {
    try require(self[name], "the field \(name)", found: describe(name))
  }

  func describe(_ field: String) -> String {
    (self[field].map { "\(field): \($0)" } ?? "no \(field)") + " in the \(status) to \(asked)"
  }

  /// The body as JSON.
  func json() throws(Finding) -> JSON {
    do throws(JSONSyntaxError) {
      return try JSON(parsing: body)
    } catch {
      throw .failed(expected: "JSON", found: "\(error.detail) at byte \(error.offset) of \(evidence)")
    }
  }

  /// The body as an array of objects, or as one under the key `rooms`.
  func elements(of key: String? = nil) throws(Finding) -> [JSON] {
    let json = try json()
    return try require((key.flatMap { json[$0] } ?? json).array, "an array", found: evidence)
  }

  /// Holds the answer to what the contract declares of an operation.
  func hold(to operation: Contract.Operation) throws(Finding) {
    guard let response = operation.responses.first(where: { $0.status == status }) else {
      let statuses = operation.responses.map { String($0.status) }.joined(separator: ", ")
      throw .failed(expected: "a declared status (\(statuses))", found: evidence)
    }
    try hold(to: response)
  }

  /// Holds the answer to one declared response: media type, body, fields.
  func hold(to response: Contract.Response) throws(Finding) {
    try holdBody(to: response)
    for field in response.fields where field.isAlwaysSent || self[field.name] != nil {
      let value = try self.field(field.name)
      let violations = field.schema.violations(in: .string(value))
      try require(violations.isEmpty, "\(field.name) as \(field.schema.expectation)", found: describe(field.name))
    }
  }

  private func holdBody(to response: Contract.Response) throws(Finding) {
    if response.content.isEmpty || asked.hasPrefix("HEAD ") {
      return try require(body.isEmpty, "no byte of body", found: evidence)
    }
    let types = response.content.map(\.mediaType)
    guard let content = response.content.first(where: { $0.mediaType == mediaType }) else {
      throw .failed(expected: "Content-Type: \(types.joined(separator: " or "))", found: describe("Content-Type"))
    }
    guard content.mediaType.hasSuffix("json") else { return }
    let violations = content.schema.violations(in: try json())
    guard let first = violations.first else { return }
    let place = first.pointer == .root ? "the body" : first.pointer.description
    throw .failed(expected: "a body by its schema", found: "\(place): \(first.detail), in the \(status) to \(asked)")
  }
}

extension [JSON] {
  /// The element whose member has this value.
  func first(_ name: String, _ value: JSON) throws(Finding) -> JSON {
    try require(first { $0[name] == value }, "an element whose \(name) is \(value.text)", found: "none")
  }

  /// The values of one member, as they follow each other.
  func values(_ name: String) -> [JSON] { map { $0[name] ?? .null } }
}

/// Ends the check as failed unless both are equal as JSON, the order of members aside.
func require(_ found: JSON?, equals expected: JSON, _ what: String) throws(Finding) {
  try require(found == expected, "\(what) \(expected.text)", found: found?.text ?? "nothing")
}
