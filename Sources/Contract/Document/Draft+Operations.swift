import JSON

extension Draft {
  /// The path items of `apis`, in the order in which their paths are first declared.
  mutating func paths(_ apis: [API]) -> JSON {
    var paths = JSON.Object()
    var templates: [String: String] = [:]
    for api in apis {
      for operation in api.operations {
        let path = (operation.isMerged ? "" : "/@" + api.name) + operation.path.text
        let template = templates[Self.shape(of: path), default: path]
        precondition(template == path, "\(template) and \(path) are one path")
        templates[Self.shape(of: path)] = path
        var item = paths[path]?.object ?? JSON.Object()
        let method = operation.method.rawValue.lowercased()
        precondition(item[method] == nil, "\(operation.method.rawValue) \(path) is declared twice")
        item[method] = self.operation(operation, of: api)
        paths[path] = .object(item)
      }
    }
    return .object(paths)
  }

  /// A path without the names of its variables: two that then look alike are one path.
  private static func shape(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { $0.hasPrefix("{") ? "{}" : $0 }
      .joined(separator: "/")
  }

  private mutating func operation(_ operation: Operation, of api: API) -> JSON {
    let variables = operation.path.segments.compactMap { if case .variable(let name) = $0 { name } else { nil } }
    let declared = operation.parameters.filter { $0.place == .path }.map(\.name)
    precondition(variables == declared, "the path of \(operation.id) has other variables than those it declares")
    let parameters = operation.parameters.map { parameter($0) } + commonParameters(of: operation)
    return .object(
      Self.members(
        ("tags", [.string(api.name)]), ("operationId", .string(operation.id)),
        ("summary", .string(operation.summary)),
        ("description", operation.about.isEmpty ? .none : .string(operation.about)),
        ("security", operation.access == .controllers ? [[:], ["adminToken": []]] : .none),
        ("parameters", parameters.isEmpty ? .none : .array(parameters)),
        ("requestBody", operation.body.map { requestBody($0) }),
        ("responses", responses(of: operation, in: api))))
  }

  mutating func parameter(_ parameter: Parameter) -> JSON {
    .object(
      Self.members(
        ("name", .string(parameter.name)), ("in", .string(parameter.place.rawValue)),
        ("description", .string(parameter.about)), ("required", parameter.isRequired ? true : .none),
        ("schema", schema(parameter.schema)), ("examples", parameter.example.flatMap { Self.examples([$0]) })))
  }

  private mutating func requestBody(_ body: RequestBody) -> JSON {
    let content = JSON.Member(body.mediaType, mediaType(body.schema, body.examples))
    return .object(
      Self.members(
        ("description", body.about.isEmpty ? .none : .string(body.about)), ("required", .bool(body.isRequired)),
        ("content", .object(JSON.Object([content])))))
  }

  /// Raw bytes have no schema in OpenAPI 3.1: their media type says it all.
  private mutating func mediaType(_ schema: Schema, _ examples: [JSONExample]) -> JSON {
    var isBinary = false
    if case .string(let text) = schema.shape { isBinary = text.format == .binary }
    return .object(
      Self.members(("schema", isBinary ? .none : self.schema(schema)), ("examples", Self.examples(examples))))
  }

  private static func examples(_ examples: [JSONExample]) -> JSON? {
    guard !examples.isEmpty else { return .none }
    let members = examples.map { example in
      let value = Self.members(
        ("summary", example.summary.isEmpty ? .none : .string(example.summary)), ("value", example.value))
      return JSON.Member(example.name, .object(value))
    }
    return .object(JSON.Object(members))
  }

  /// The declared responses, and what any request of this kind may be answered with, by status.
  private mutating func responses(of operation: Operation, in api: API) -> JSON {
    let declared = operation.responses.map {
      JSON.Member(String($0.status), response($0, of: operation, errors: api.errors))
    }
    let common = commonResponses(of: operation, in: api, besides: Set(declared.map(\.name)))
    return .object(JSON.Object((declared + common).sorted { $0.name < $1.name }))
  }

  private mutating func response(_ response: Response, of operation: Operation, errors: API.ErrorShape) -> JSON {
    var content = response.content
    if content.isEmpty, response.status >= 400 { content = [errors.content] }
    // A malformed request and an unknown sandbox are refused before any API is asked, in the words of RFC 9457.
    if [400, 404].contains(response.status), content.allSatisfy({ $0.mediaType == "application/json" }) {
      content.append(API.ErrorShape.problem.content)
    }
    return self.response(response.about, content, response.fields + commonFields(of: operation))
  }

  mutating func response(_ about: String, _ content: [Response.Content], _ fields: [ResponseField]) -> JSON {
    let headers = fields.map { JSON.Member($0.name, header($0)) }
    let bodies = content.map { JSON.Member($0.mediaType, mediaType($0.schema, $0.examples)) }
    return .object(
      Self.members(
        ("description", .string(about)), ("headers", headers.isEmpty ? .none : .object(JSON.Object(headers))),
        ("content", bodies.isEmpty ? .none : .object(JSON.Object(bodies)))))
  }

  /// The first field of a name becomes a component, and those that are the same refer to it.
  private mutating func header(_ field: ResponseField) -> JSON {
    let definition = JSON.object(
      Self.members(
        ("description", .string(field.about)), ("required", field.isAlwaysSent ? true : .none),
        ("schema", schema(field.schema))))
    if headers[field.name] == nil { headers[field.name] = definition }
    return headers[field.name] == definition
      ? ["$ref": .string("#/components/headers/" + field.name)] : definition
  }
}

extension API.ErrorShape {
  /// How a response that says nothing about its body is filled.
  var content: Response.Content {
    switch self {
    case .problem: Response.Content("application/problem+json", .problem)
    case .problemWithMessage: Response.Content("application/problem+json", .problemWithMessage)
    case .unsuccessfulProblem: Response.Content("application/problem+json", .bookingProblem)
    case .emptyObject: Response.Content("application/json", .emptyObject)
    }
  }
}
