import JSON

extension Schema {
  /// The error body of RFC 9457, open to extension members.
  package static let problem = Schema.problem(named: "Problem")
    .described("The error in a request, for a program and for its developer (RFC 9457).")

  /// Returns the schema of a problem with further members before and after the standard ones.
  static func problem(named name: String, first: [Property] = [], last: [Property] = []) -> Schema {
    let violation = Schema.object([
      Property("pointer", .string().described("The position in the body, as a JSON pointer (RFC 6901).")),
      Property("detail", .string(minimumLength: 1)),
    ])
    let members = [
      Property("type", .string(minimumLength: 1)),
      Property("title", .string(minimumLength: 1)),
      Property("status", .integer(400...599)),
      Property("detail", .string(minimumLength: 1)),
      Property("instance", .string().described("The path of the request.")),
      .optional("errors", .array(of: violation, count: 0...Violations.maximumListed)),
      .optional(
        "furtherErrors", .integer(1...Int.max).described("The number of violations that `errors` does not list.")),
    ]
    return Schema.object(first + members + last, additional: .allowed).named(name)
  }
}

extension DeclaredField {
  package static let etag = DeclaredField(
    "ETag", "The tag of this representation, for `If-None-Match` and `If-Match`.",
    schema: .string(minimumLength: 3))

  /// Proxies send a stream's events on as they come: nginx buffers responses otherwise.
  package static let unbuffered = DeclaredField(
    "X-Accel-Buffering", "Tells proxies to send each event on at once.", schema: .constant("no"))

  package static func cacheControl(_ value: String) -> DeclaredField {
    DeclaredField("Cache-Control", "The time for which the response may be reused.", schema: .constant(.string(value)))
  }
}

extension DeclaredResponse {
  /// Returns a response with one JSON body.
  package static func json(
    _ about: String, _ schema: Schema, status: Int = 200, examples: [JSONExample] = [], fields: [DeclaredField] = []
  ) -> DeclaredResponse {
    DeclaredResponse(status, about, content: [Content("application/json", schema, examples: examples)], fields: fields)
  }

  /// Returns a response with a problem, and one such problem as its example.
  package static func problem(
    _ problem: Problem, _ about: String, _ schema: Schema = .problem, as mediaType: String = "application/problem+json",
    fields: [DeclaredField] = []
  ) -> DeclaredResponse {
    DeclaredResponse(problem.status, about, content: [Content(mediaType, schema, problem: problem)], fields: fields)
  }

  static func notModified(_ fields: [DeclaredField] = [.etag]) -> DeclaredResponse {
    DeclaredResponse(304, "The representation that `If-None-Match` names is still current.", fields: fields)
  }

  /// Returns the 412 of a write whose resource has no entity tag.
  static func tagUnknown(_ schema: Schema = .problem) -> DeclaredResponse {
    problem(.noEntityTag, "The request has `If-Match`, but the resource has no tag. Nothing was done.", schema)
  }

  static func preconditionFailed(
    _ schema: Schema = .problem, as mediaType: String = "application/problem+json"
  ) -> DeclaredResponse {
    let about = "No tag in `If-Match` is current, or a tag in `If-None-Match` is current."
    return problem(.preconditionFailed, about, schema, as: mediaType)
  }
}

extension API.ErrorShape {
  package var schema: Schema {
    switch self {
    case .problem: .problem
    case .problemWithMessage: .problemWithMessage
    case .unsuccessfulProblem: .bookingProblem
    case .emptyObject: .emptyObject
    }
  }

  /// Returns the content of an error response that declares none itself.
  package func content(_ problem: Problem?) -> DeclaredResponse.Content {
    let mediaType = self == .emptyObject ? "application/json" : "application/problem+json"
    return DeclaredResponse.Content(mediaType, schema, problem: problem)
  }
}
