import JSON

/// What holds for many operations is declared once, under `components`, and referred to.
extension Draft {
  mutating func commonParameters(of operation: Operation) -> [JSON] {
    var names: [(String, Parameter)] = []
    if operation.access != .probes { names.append(("Sandbox", .sandbox)) }
    if !operation.method.isSafe { names.append(("IdempotencyKey", .idempotencyKey)) }
    if operation.heedsPreconditions, operation.method.isSafe, operation.validator != .none {
      names.append(("IfNoneMatch", .ifNoneMatch))
    }
    if !operation.method.isSafe, operation.responses.contains(where: { $0.status == 412 }) {
      names.append(("IfMatch", .ifMatch))
    }
    return names.map { name, parameter in
      parameters[name] = self.parameter(parameter)
      return ["$ref": .string("#/components/parameters/" + name)]
    }
  }

  /// The fields that a reply has beside those that its operation declares.
  func commonFields(of operation: Operation) -> [ResponseField] {
    guard operation.access == .everyone else { return [] }
    return [.allowOrigin, .requestID, .fault, .serverTiming]
  }

  /// - Parameter declared: The statuses that the operation says something about itself.
  mutating func commonResponses(
    of operation: Operation, in api: API, besides declared: Set<String>
  ) -> [JSON.Member] {
    var common = CommonResponse.ofEveryRequest
    if operation.access != .probes { common.append(.unknownSandbox) }
    if operation.body != nil || !operation.method.isSafe { common.append(.contentTooLarge) }
    if operation.body != nil { common.append(.codingUnknown(api.errors)) }
    if operation.access == .controllers { common += [.tokenMissing, .foreignPage] }
    if !operation.method.isSafe {
      common.append(.keyReused(api.errors))
      if operation.access == .everyone { common.append(.keyInUse(api.errors)) }
    }
    // A key's reply is kept too, and any request that is not safe may have a key.
    if operation.changesState || !operation.method.isSafe { common.append(.notKept(api.errors)) }
    if operation.access == .everyone { common += [.rateLimited, .injected] }
    return common.filter { !declared.contains($0.status) }.map { response in
      var content = [response.content]
      var name = response.name
      if response.status == "400", api.errors == .emptyObject {
        content.append(api.errors.content)
        name += api.errors.suffix
      }
      responses[name] = self.response(response.about, content, response.fields)
      return JSON.Member(response.status, ["$ref": .string("#/components/responses/" + name)])
    }
  }
}

/// A response that no operation declares, since it is not the operation that gives it.
private struct CommonResponse {
  let status: String
  let name: String
  let about: String
  var content = API.ErrorShape.problem.content
  var fields: [ResponseField] = []

  static let ofEveryRequest = [
    CommonResponse(
      status: "400", name: "Malformed",
      about: "The request breaks the syntax of HTTP/1.1, or names two APIs or two sandboxes."),
    CommonResponse(status: "408", name: "TooSlow", about: "The request did not arrive in time."),
    CommonResponse(status: "414", name: "TargetTooLong", about: "The request line is longer than 8 KiB."),
    CommonResponse(
      status: "417", name: "ExpectationUnknown", about: "`Expect` asks for something else than `100-continue`."),
    CommonResponse(status: "431", name: "HeadTooLarge", about: "There are more than 128 fields, or 32 KiB of them."),
  ]

  static let unknownSandbox = CommonResponse(
    status: "404", name: "UnknownSandbox", about: "There is no such sandbox; the problem says how to make one.")
  static let contentTooLarge = CommonResponse(
    status: "413", name: "ContentTooLarge", about: "The body is larger than 1 MiB.")
  static let tokenMissing = CommonResponse(
    status: "401", name: "TokenMissing",
    about: "The server does not listen on loopback alone, and `Authorization` does not carry its token.",
    fields: [ResponseField("WWW-Authenticate", "`Bearer`.")])
  static let foreignPage = CommonResponse(
    status: "403", name: "ForeignPage",
    about: "`Host` is no name or address of this machine, or `Origin` is another site: its pages may not drive tests.")
  static let rateLimited = CommonResponse(
    status: "429", name: "RateLimited", about: "Only when a scenario or `Prefer` asks for it.",
    fields: [ResponseField("Retry-After", "Seconds to wait, or the date to wait for.", always: false)])
  static let injected = CommonResponse(
    status: "5XX", name: "Injected", about: "Only when a scenario or `Prefer` asks for it.",
    fields: [ResponseField("Retry-After", "Seconds to wait, or the date to wait for.", always: false)])

  static func codingUnknown(_ errors: API.ErrorShape) -> CommonResponse {
    CommonResponse(
      status: "415", name: "CodingUnknown" + errors.suffix,
      about: "`Content-Encoding` says that the body is coded; bodies are taken as they are.", content: errors.content,
      fields: [ResponseField("Accept-Encoding", "`identity`.")])
  }

  static func keyReused(_ errors: API.ErrorShape) -> CommonResponse {
    CommonResponse(
      status: "422", name: "KeyReused" + errors.suffix,
      about: "The `Idempotency-Key` came before with another body.", content: errors.content)
  }

  static func notKept(_ errors: API.ErrorShape) -> CommonResponse {
    // Not even a client that reads no problems is to take an empty object for an answer here.
    let shape = errors == .emptyObject ? .problem : errors
    return CommonResponse(
      status: "507", name: "NotKept" + shape.suffix,
      about: "The server was started with `--state`, and its disk did not take the change. Nothing was done.",
      content: shape.content)
  }

  static func keyInUse(_ errors: API.ErrorShape) -> CommonResponse {
    CommonResponse(
      status: "409", name: "KeyInUse" + errors.suffix,
      about: "A request with this `Idempotency-Key` is under way and not applied yet.", content: errors.content)
  }
}

extension API.ErrorShape {
  /// What sets the name of a component apart from those of the other shapes.
  fileprivate var suffix: String {
    switch self {
    case .problem: ""
    case .problemWithMessage: "WithMessage"
    case .unsuccessfulProblem: "Unsuccessful"
    case .emptyObject: "Empty"
    }
  }
}
