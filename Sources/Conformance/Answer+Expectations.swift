import Contract
import JSON

/// The expectations of checks about a response. Each error names the expectation and shows the actual response.
extension Answer {
  @discardableResult
  func expect(_ status: Int) throws(EarlyEnd) -> Answer {
    try require(self.status == status, "\(status)", found: evidence)
    return self
  }

  /// Expects a body of these bytes.
  @discardableResult
  func expect(body wanted: [UInt8]) throws(EarlyEnd) -> Answer {
    guard let index = (0..<max(body.count, wanted.count)).first(where: { body.byte($0) != wanted.byte($0) }) else {
      return self
    }
    throw .failed(
      expected: "the body «\(String(decoding: wanted.prefix(120), as: UTF8.self))»",
      found:
        "\(Self.name(body.byte(index))) instead of \(Self.name(wanted.byte(index))) at byte \(index) of \(evidence)")
  }

  /// Names a byte so that a reader sees it.
  private static func name(_ byte: UInt8?) -> String {
    switch byte {
    case nil: "the end"
    case 0x09: "a tab"
    case 0x0A: "a line feed"
    case 0x0D: "a carriage return"
    case 0x20: "a space"
    case let byte? where byte > 0x20 && byte < 0x7F: "«\(Character(Unicode.Scalar(byte)))»"
    case let byte?: "0x" + String(byte, radix: 16, uppercase: true)
    }
  }

  /// Expects a body that is this value, however it is written.
  @discardableResult
  func expect(json value: JSONValue, _ what: String? = nil) throws(EarlyEnd) -> Answer {
    let difference = try json().difference(from: value)
    try require(
      difference == nil, what ?? "the JSON \(value.text.abbreviated(to: 200))",
      found: (difference ?? "") + ", in \(evidence)")
    return self
  }

  @discardableResult
  func expect(_ field: String, _ value: String) throws(EarlyEnd) -> Answer {
    try require(self[field] == value, "\(field): \(value)", found: describe(field))
    return self
  }

  /// Expects the member of a JSON object. Comparing two responses alone is not enough: both may be wrong in the same
  /// way.
  @discardableResult
  func expect(member name: String, _ value: JSONValue) throws(EarlyEnd) -> Answer {
    try require(try json()[name] == value, "\(name): \(value.text)", found: evidence)
    return self
  }

  /// Expects a response that differs from the one for an unknown path. A server that answers every request alike has
  /// not understood any of them, even if the response looks right.
  @discardableResult
  func expect(ownOf path: String, by session: Session) throws(EarlyEnd) -> Answer {
    let unknown = try session.get(path + "/no/such/path")
    try require(
      unknown.status != status || unknown.body != body, "another answer than to \(unknown.asked)", found: evidence)
    return self
  }

  func field(_ name: String) throws(EarlyEnd) -> String {
    try require(self[name], "the field \(name)", found: describe(name))
  }

  /// The response and its request, as the end of a finding.
  var place: String { "in the \(status) to \(asked)" }

  func describe(_ field: String) -> String {
    (self[field].map { "\(field): \($0)" } ?? "no \(field)") + " " + place
  }

  /// Returns the body as JSON.
  func json() throws(EarlyEnd) -> JSONValue {
    do throws(JSONSyntaxError) {
      return try JSONValue(parsing: body)
    } catch {
      throw .failed(expected: "JSON", found: "\(error.detail) at byte \(error.offset) of \(evidence)")
    }
  }

  /// Compares the response with the operation's declaration.
  func hold(to operation: Contract.Operation) throws(EarlyEnd) {
    guard let response = operation.documentation.responses.first(where: { $0.status == status }) else {
      let statuses = operation.documentation.responses.map { String($0.status) }.joined(separator: ", ")
      throw .failed(expected: "a declared status (\(statuses))", found: evidence)
    }
    try hold(to: response)
  }

  /// Compares the response with one declared response: media type, body, fields.
  func hold(to response: Contract.DeclaredResponse) throws(EarlyEnd) {
    try holdBody(to: response)
    for field in response.fields where field.isAlwaysSent || self[field.name] != nil {
      let value = try self.field(field.name)
      let violations = field.schema.violations(in: .string(value))
      try require(violations.isEmpty, "\(field.name) as \(field.schema.expectation)", found: describe(field.name))
    }
  }

  private func holdBody(to response: Contract.DeclaredResponse) throws(EarlyEnd) {
    if response.content.isEmpty || asked.hasPrefix("HEAD ") {
      return try require(body.isEmpty, "an empty body", found: evidence)
    }
    let types = response.content.map(\.mediaType)
    guard let content = response.content.first(where: { $0.mediaType == mediaType }) else {
      throw .failed(expected: "Content-Type: \(types.joined(separator: " or "))", found: describe("Content-Type"))
    }
    guard content.mediaType.hasSuffix("json") else { return }
    let violations = content.schema.violations(in: try json())
    guard let first = violations.first else { return }
    let index = first.pointer == .root ? "the body" : first.pointer.description
    throw .failed(
      expected: "a body that conforms to its schema", found: "\(index): \(first.detail), \(place)")
  }
}

extension [JSONValue] {
  /// Returns the values of one member, in order.
  func values(_ name: String) -> [JSONValue] { map { $0[name] ?? .null } }
}

extension [UInt8] {
  /// The byte at this position, or nil after the end.
  fileprivate func byte(_ index: Int) -> UInt8? { index < count ? self[index] : nil }
}

/// Ends the check as failed unless both values are equal as JSON; the order of members does not count.
func require(
  _ found: JSONValue?, equals expected: JSONValue, _ what: String, in answer: Answer? = nil
) throws(EarlyEnd) {
  let place = answer.map { " " + $0.place } ?? ""
  let isEqual = found.map { $0.difference(from: expected) == nil } ?? false
  try require(
    isEqual, "\(what) \(expected.text)",
    found: (found?.text ?? "nothing") + place)
}
