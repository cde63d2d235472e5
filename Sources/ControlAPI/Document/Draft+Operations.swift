import Contract
import JSON
import Primitives

extension Draft {
  /// Returns the path items of `apis`, in the order in which their paths are first declared.
  mutating func paths(_ apis: [API]) -> JSONValue {
    var paths = JSONValue.Object()
    var templates: [String: String] = [:]
    for api in apis {
      for operation in api.operations {
        let path = (operation.semantics.isMerged ? "" : "/@" + api.name) + operation.path.text
        let template = templates[Self.shape(of: path), default: path]
        precondition(template == path, "\(template) and \(path) are one path")
        templates[Self.shape(of: path)] = path
        var item = paths[path]?.object ?? JSONValue.Object()
        let method = operation.method.rawValue.lowercased()
        precondition(item[method] == nil, "\(operation.method.rawValue) \(path) is declared twice")
        item[method] = self.operation(operation, of: api)
        paths[path] = .object(item)
      }
    }
    return .object(paths)
  }

  /// Returns a path without the names of its variables: two paths that are then equal are one path.
  private static func shape(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { $0.hasPrefix("{") ? "{}" : $0 }
      .joined(separator: "/")
  }

  private mutating func operation(_ operation: Operation, of api: API) -> JSONValue {
    let variables = operation.path.segments.compactMap { if case .variable(let name) = $0 { name } else { nil } }
    let declared = operation.documentation.parameters.filter { $0.location == .path }.map(\.name)
    precondition(
      variables == declared, "the variables in the path of \(operation.id) differ from its declared parameters")
    let parameters = operation.documentation.parameters.map { parameter($0) } + commonParameters(of: operation)
    return .object(
      Self.members(
        ("tags", [.string(api.name)]), ("operationId", .string(operation.id)),
        ("summary", .string(operation.documentation.summary)),
        ("description", operation.documentation.about.isEmpty ? .none : .string(operation.documentation.about)),
        ("security", operation.semantics.access == .controllers ? [[:], ["adminToken": []]] : .none),
        ("parameters", parameters.isEmpty ? .none : .array(parameters)),
        ("requestBody", operation.documentation.body.map { requestBody($0) }),
        ("responses", responses(of: operation, in: api))))
  }

  mutating func parameter(_ parameter: Parameter) -> JSONValue {
    .object(
      Self.members(
        ("name", .string(parameter.name)), ("in", .string(parameter.location.rawValue)),
        ("description", .string(parameter.about)), ("required", parameter.isRequired ? true : .none),
        ("schema", schema(parameter.schema)), ("examples", parameter.example.flatMap { Self.examples([$0]) })))
  }

  private mutating func requestBody(_ body: RequestBody) -> JSONValue {
    let mediaTypes = [body.mediaType] + (body.acceptsForms ? [RequestBody.formType] : [])
    let content = mediaTypes.map {
      JSONValue.Member($0, mediaType(DeclaredResponse.Content($0, body.schema, examples: body.examples), at: ""))
    }
    return .object(
      Self.members(
        ("description", body.about.isEmpty ? .none : .string(body.about)), ("required", .bool(body.isRequired)),
        ("content", .object(JSONValue.Object(content)))))
  }

  /// Returns the media type object. Raw bytes have no schema in OpenAPI 3.1; their media type is sufficient.
  ///
  /// - Parameter mayBeOfServer: True if the server can refuse the request with a problem before an API is selected.
  private mutating func mediaType(
    _ content: DeclaredResponse.Content, at path: String, mayBeOfServer: Bool = false
  ) -> JSONValue {
    var isBinary = false
    if case .string(let text) = content.schema.shape { isBinary = text.format === Schema.Format.binary }
    return .object(
      Self.members(
        (
          "schema", isBinary ? .none : self.schema(mayBeOfServer ? .oneOf([content.schema, .problem]) : content.schema)
        ),
        ("examples", Self.examples(content.examples) ?? problemExamples(content, at: path))))
  }

  /// Returns an error's example with the server's wording. The first example of a problem becomes a component, which
  /// others reference.
  private mutating func problemExamples(_ content: DeclaredResponse.Content, at path: String) -> JSONValue? {
    let shape = API.ErrorShape.allCases.first { $0.schema.name == content.schema.name }
    if shape == .emptyObject { return Self.examples([JSONExample("empty", [:])]) }
    guard let shape, let problem = content.problem else { return .none }
    let words = problem.kind.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let name = words.joined() + shape.suffix
    let example: JSONValue = ["value": problem.document(instance: path, shape)]
    let known = examples[name]
    if known == nil { examples[name] = example }
    // A reference is correct if the details are equal: then only `instance`, the path, may differ.
    let isKnown = known.map { $0["value"]?["detail"] == example["value"]?["detail"] } ?? true
    return .object(
      JSONValue.Object([
        JSONValue.Member(problem.kind, isKnown ? ["$ref": .string("#/components/examples/" + name)] : example)
      ]))
  }

  private static func examples(_ examples: [JSONExample]) -> JSONValue? {
    guard !examples.isEmpty else { return .none }
    let members = examples.map { example in
      let value = Self.members(
        ("summary", example.summary.isEmpty ? .none : .string(example.summary)),
        ("value", example.address == nil ? example.value : .none),
        ("externalValue", example.address.map(JSONValue.string)))
      return JSONValue.Member(example.name, .object(value))
    }
    return .object(JSONValue.Object(members))
  }

  /// Returns the declared responses and those that any request of this kind may get, by status.
  private mutating func responses(of operation: Operation, in api: API) -> JSONValue {
    let declared = operation.documentation.responses.map {
      JSONValue.Member(String($0.status), response($0, of: operation, errors: api.errors))
    }
    let common = commonResponses(of: operation, in: api, besides: Set(declared.map(\.name)))
    return .object(JSONValue.Object((declared + common).sorted { $0.name < $1.name }))
  }

  private mutating func response(_ response: DeclaredResponse, of operation: Operation, errors: API.ErrorShape)
    -> JSONValue
  {
    var content = response.content
    if content.isEmpty, response.status >= 400 { content = [errors.content(nil)] }
    // A malformed request and an unknown sandbox are refused before an API is selected, as an RFC 9457 problem.
    if [400, 404].contains(response.status), content.allSatisfy({ $0.mediaType == "application/json" }) {
      content.append(API.ErrorShape.problem.content(response.status == 400 ? .malformed : .unknownSandbox("ci-43")))
    }
    return self.response(
      response.about, content, response.fields + commonFields(of: operation, besides: response),
      at: operation.example, mayBeOfServer: response.status == 400 && errors == .unsuccessfulProblem)
  }

  mutating func response(
    _ about: String, _ content: [DeclaredResponse.Content], _ fields: [DeclaredField], at path: String,
    mayBeOfServer: Bool = false
  ) -> JSONValue {
    let headers = fields.map { JSONValue.Member($0.name, header($0)) }
    let bodies = content.map { JSONValue.Member($0.mediaType, mediaType($0, at: path, mayBeOfServer: mayBeOfServer)) }
    return .object(
      Self.members(
        ("description", .string(about)), ("headers", headers.isEmpty ? .none : .object(JSONValue.Object(headers))),
        ("content", bodies.isEmpty ? .none : .object(JSONValue.Object(bodies)))))
  }

  /// Returns a reference to a field. The first field of a name becomes a component, which equal fields reference.
  private mutating func header(_ field: DeclaredField) -> JSONValue {
    let definition = JSONValue.object(
      Self.members(
        ("description", .string(field.about)), ("required", field.isAlwaysSent ? true : .none),
        ("schema", schema(field.schema))))
    if headers[field.name] == nil { headers[field.name] = definition }
    return headers[field.name] == definition
      ? ["$ref": .string("#/components/headers/" + field.name)] : definition
  }
}
