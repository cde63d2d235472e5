package import JSON

/// A problem detail (RFC 9457): the error in a request, for a program and for its developer.
package struct Problem: Sendable, Equatable {
  package var status: Int
  /// The last segment of `type`, equal for every occurrence: `validation`, `unknown-device`.
  package var kind: String
  package var title: String
  package var detail: String
  /// For validation: the errors in the body, each with its position.
  package var errors: [ValidationError]
  /// The number of further errors that are not in `errors`.
  package var furtherErrors = 0
  /// A registered problem type, if there is one for this error.
  package var type: String?
  /// The quota policies that were exceeded (draft-ietf-httpapi-ratelimit-headers).
  package var violatedPolicies: [String] = []
  /// True if the server refuses the request, not the API: the body then states the reason even if the API's errors are
  /// empty objects.
  package private(set) var isOfServer = false

  package init(_ status: Int, _ kind: String, _ title: String, _ detail: String, errors: [ValidationError] = []) {
    self.status = status
    self.kind = kind
    self.title = title
    self.detail = detail
    self.errors = errors
  }

  /// The same problem, stated by the server.
  package var ofServer: Problem {
    var problem = self
    problem.isOfServer = true
    return problem
  }

  /// Returns the members of the problem in the order of RFC 9457.
  ///
  /// - Parameter instance: The path of the request.
  package func members(instance: String) -> JSONValue.Object {
    var members = JSONValue.Object([
      JSONValue.Member("type", .string(type ?? "urn:understudy:problem:" + kind)),
      JSONValue.Member("title", .string(title)),
      JSONValue.Member("status", .int(status)),
      JSONValue.Member("detail", .string(detail.abbreviated(to: Self.maximumDetail))),
      JSONValue.Member("instance", .string(instance)),
    ])
    if !violatedPolicies.isEmpty { members["violated-policies"] = .array(violatedPolicies.map(JSONValue.string)) }
    if !errors.isEmpty {
      members["errors"] = .array(
        errors.map {
          [
            "pointer": .string($0.pointer.description),
            "detail": .string($0.detail.abbreviated(to: Self.maximumDetail)),
          ]
        })
    }
    if furtherErrors > 0 { members["furtherErrors"] = .int(furtherErrors) }
    return members
  }

  /// The maximum number of characters of a detail. A detail repeats the client's text and must stay short.
  private static let maximumDetail = 2_000

  package static func invalid(_ violations: Violations) -> Problem {
    var problem = invalid(violations.listed)
    problem.furtherErrors = violations.furtherCount
    return problem
  }

  package static func invalid(_ errors: [ValidationError]) -> Problem {
    let detail = errors.map { error in
      (error.pointer == .root ? "the body" : error.pointer.description) + ": " + error.detail
    }
    return Problem(400, "validation", "The body is not valid", detail.joined(separator: "; "), errors: errors)
  }
}

extension Problem {
  /// Parses a body that must be JSON of the given shape.
  package static func decode(_ body: ArraySlice<UInt8>, as schema: Schema) throws(Problem) -> JSONValue {
    guard !body.isEmpty else {
      throw Problem(400, "validation", "The body is missing", "Expected \(schema.expectation) as JSON, found no body.")
    }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body, naming: schema.memberNames)
    } catch {
      throw Problem(400, "malformed-json", "The body is not JSON", "At byte \(error.offset): \(error.detail).")
    }
    try check(value, against: schema)
    return value
  }

  /// Returns the problem of a body that is a form where JSON is expected.
  package static func form(_ mediaType: String) -> Problem {
    Problem(
      400, "malformed-json", "The body is not JSON",
      "The body is a form (\(mediaType)). Send JSON instead, with Content-Type: application/json.")
  }

  /// Throws if the value violates the schema.
  package static func check(_ value: JSONValue, against schema: Schema) throws(Problem) {
    let violations = schema.boundedViolations(in: value)
    guard violations.isEmpty else { throw .invalid(violations) }
  }
}

extension Problem: Error {}
