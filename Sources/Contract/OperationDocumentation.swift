import JSON

extension Operation {
  /// The request and the responses, for the OpenAPI document, its readers and the conformance suite.
  package struct Documentation: Sendable {
    package let summary: String
    package let about: String
    package let parameters: [Parameter]
    /// True if a request must have at least one of the query parameters.
    package let needsParameter: Bool
    package let body: RequestBody?
    package let responses: [DeclaredResponse]

    package init(
      summary: String, about: String = "", parameters: [Parameter] = [], needsParameter: Bool = false,
      body: RequestBody? = nil, responses: [DeclaredResponse]
    ) {
      self.summary = summary
      self.about = about
      self.parameters = parameters
      self.needsParameter = needsParameter
      self.body = body
      self.responses = responses
    }

    /// Returns the documentation with a `Cache-Control` declared for each success.
    func declaring(cacheControl value: String) -> Documentation {
      Documentation(
        summary: summary, about: about, parameters: parameters, needsParameter: needsParameter, body: body,
        responses: responses.map { $0.caching(value) })
    }
  }
}

/// A parameter in the path, the query or the header section.
package struct Parameter: Sendable {
  package let name: String
  package let location: Location
  package let about: String
  package let isRequired: Bool
  package let schema: Schema
  package let example: JSONExample?

  package enum Location: String, Sendable {
    case path, query, header
  }

  package init(
    _ name: String, in location: Location, _ about: String, required: Bool? = nil, schema: Schema = .string(),
    example: JSONExample? = nil
  ) {
    self.name = name
    self.location = location
    self.about = about
    isRequired = required ?? (location == .path)
    self.schema = schema
    self.example = example
  }
}

/// The body of a request.
package struct RequestBody: Sendable {
  package let about: String
  package let isRequired: Bool
  package let mediaType: String
  /// True if a form (`application/x-www-form-urlencoded`) may carry the same members as text.
  package let acceptsForms: Bool
  package let schema: Schema
  package let examples: [JSONExample]

  package static let formType = "application/x-www-form-urlencoded"

  package init(
    _ schema: Schema, about: String = "", required: Bool = true, mediaType: String = "application/json",
    acceptsForms: Bool = false, examples: [JSONExample] = []
  ) {
    self.about = about
    isRequired = required
    self.mediaType = mediaType
    self.acceptsForms = acceptsForms
    self.schema = schema
    self.examples = examples
  }
}

/// One status of an operation.
package struct DeclaredResponse: Sendable {
  package let status: Int
  package let about: String
  package let content: [Content]
  package let fields: [DeclaredField]

  package init(_ status: Int, _ about: String, content: [Content] = [], fields: [DeclaredField] = []) {
    self.status = status
    self.about = about
    self.content = content
    self.fields = fields
  }

  /// A body in one media type.
  package struct Content: Sendable {
    package let mediaType: String
    package let schema: Schema
    package let examples: [JSONExample]
    /// An example of the problem that a response with an error status states.
    package let problem: Problem?

    package init(
      _ mediaType: String = "application/json", _ schema: Schema, examples: [JSONExample] = [],
      problem: Problem? = nil
    ) {
      self.mediaType = mediaType
      self.schema = schema
      self.examples = examples
      self.problem = problem
    }
  }
}

extension DeclaredResponse {
  /// Returns the response with `Cache-Control` declared if it is a success. The field is optional: a server without it
  /// conforms.
  fileprivate func caching(_ value: String) -> DeclaredResponse {
    guard status < 400 else { return self }
    let field = DeclaredField(
      "Cache-Control", "The time for which the response may be reused.", always: false,
      schema: .constant(.string(value)))
    return DeclaredResponse(status, about, content: content, fields: fields + [field])
  }
}

/// A header field of a response.
package struct DeclaredField: Sendable {
  package let name: String
  package let about: String
  package let isAlwaysSent: Bool
  package let schema: Schema

  package init(_ name: String, _ about: String, always: Bool = true, schema: Schema = .string()) {
    self.name = name
    self.about = about
    isAlwaysSent = always
    self.schema = schema
  }
}
