import JSON

extension Schema {
  /// The error body of RFC 9457, open to extension members.
  package static let problem = Schema.problem(named: "Problem")
    .described("What was wrong with a request, for a program and for its author (RFC 9457).")

  /// Returns a problem with further members before and after the standard ones.
  static func problem(named name: String, first: [Property] = [], last: [Property] = []) -> Schema {
    let violation = Schema.object([
      Property("pointer", .string().described("The place in the body, as a JSON pointer (RFC 6901).")),
      Property("detail", .string(minimumLength: 1)),
    ])
    let members = [
      Property("type", .string(minimumLength: 1)),
      Property("title", .string(minimumLength: 1)),
      Property("status", .integer(400...599)),
      Property("detail", .string(minimumLength: 1)),
      Property("instance", .string().described("The path that was asked.")),
      Property("errors", .array(of: violation, count: 0...Violations.maximumListed), required: false),
      Property(
        "furtherErrors", .integer(1...Int.max).described("The number of violations that `errors` does not list."),
        required: false),
    ]
    return Schema.object(first + members + last, additional: .allowed).named(name)
  }
}

extension ResponseField {
  static let etag = ResponseField(
    "ETag", "Names this very representation; send it back as `If-None-Match` or `If-Match`.",
    schema: .string(minimumLength: 3))

  static func cacheControl(_ value: String) -> ResponseField {
    ResponseField("Cache-Control", "How long the reply may be reused.", schema: .constant(.string(value)))
  }
}

extension Response {
  /// Returns a response with one JSON body.
  static func json(
    _ about: String, _ schema: Schema, status: Int = 200, examples: [JSONExample] = [], fields: [ResponseField] = []
  ) -> Response {
    Response(status, about, content: [Content("application/json", schema, examples: examples)], fields: fields)
  }

  /// Returns a response with a problem, and one such problem as its example.
  static func problem(
    _ problem: Problem, _ about: String, _ schema: Schema = .problem, as mediaType: String = "application/problem+json"
  ) -> Response {
    Response(problem.status, about, content: [Content(mediaType, schema, problem: problem)])
  }

  static func notModified(_ fields: [ResponseField] = [.etag]) -> Response {
    Response(304, "What `If-None-Match` names is still what stands.", fields: fields)
  }

  /// Returns the 412 of an operation that acts, and whose results have no tag.
  static func tagUnknown(_ schema: Schema = .problem) -> Response {
    problem(.noEntityTag, "`If-Match` is sent, and the result of this has no tag to match; nothing was done.", schema)
  }

  static func preconditionFailed(
    _ schema: Schema = .problem, as mediaType: String = "application/problem+json"
  ) -> Response {
    let about = "`If-Match` names another state than what stands, or `If-None-Match` names what stands."
    return problem(.preconditionFailed, about, schema, as: mediaType)
  }
}
