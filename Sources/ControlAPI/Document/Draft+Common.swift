import Contract
import JSON
import Primitives

/// Parts that many operations share, declared once under `components` and referenced.
extension Draft {
  mutating func commonParameters(of operation: Operation) -> [JSONValue] {
    var names: [(String, Parameter)] = []
    if operation.semantics.access != .probes { names.append(("Sandbox", .sandbox)) }
    if operation.caching.evaluatesPreconditions, operation.method.isSafe, operation.caching.validator != .none {
      names.append(("IfNoneMatch", .ifNoneMatch))
    }
    // Elsewhere no value matches, not even `*`: the resource has no tag.
    if operation.canWrite, operation.caching.evaluatesPreconditions,
      operation.documentation.responses.contains(where: { $0.status == 412 })
    {
      names.append(("IfMatch", .ifMatch))
    }
    let shared = names.map { name, parameter -> JSONValue in
      parameters[name] = self.parameter(parameter)
      return ["$ref": .string("#/components/parameters/" + name)]
    }
    return operation.canWrite ? shared + [parameter(.idempotencyKey(of: operation))] : shared
  }

  /// Returns the fields of a response in addition to those that its operation declares.
  func commonFields(of operation: Operation, besides declared: DeclaredResponse) -> [DeclaredField] {
    let hasOwnPolicy = declared.fields.contains { $0.name == PagePolicy.fieldName }
    let ofWrites: [DeclaredField] = operation.canWrite && declared.status < 500 ? [.idempotentReplayed] : []
    let ofEveryResponse: [DeclaredField] = ofWrites + (hasOwnPolicy ? [.noSniff] : [.noSniff, .pagePolicy])
    guard operation.semantics.access == .everyone else { return ofEveryResponse }
    // If the sandbox is unknown or ambiguous, there is no journal and no entry.
    let requestID = [400, 404].contains(declared.status) ? DeclaredField.requestIDIfAny : .requestID
    return [
      .allowOrigin, .allowCredentials, .vary(ofLinked: declared, in: operation), requestID, .fault, .serverTiming,
    ] + ofEveryResponse
  }

  /// Adds the responses that any operation may give.
  ///
  /// - Parameter declared: The statuses that the operation declares itself.
  mutating func commonResponses(
    of operation: Operation, in api: API, besides declared: Set<String>
  ) -> [JSONValue.Member] {
    var common = CommonResponse.ofEveryRequest
    if operation.semantics.access != .probes { common.append(.unknownSandbox) }
    if operation.documentation.body != nil || !operation.method.isSafe { common.append(.contentTooLarge) }
    if operation.documentation.body != nil { common.append(.codingUnknown(api.errors)) }
    if operation.semantics.access == .controllers { common += [.tokenMissing, .foreignPage] }
    if operation.canWrite {
      if !operation.onlyRefuses { common.append(.preconditionFailed(api.errors)) }
      common.append(.keyReused(api.errors))
      if operation.semantics.access == .everyone { common.append(.keyInUse(api.errors)) }
    }
    // The responses of idempotency keys are stored too, and every write may have a key.
    if operation.canWrite { common.append(.notStored(api.errors)) }
    if operation.semantics.access == .everyone { common += [.rateLimited, .injected] }
    return common.filter { !declared.contains($0.status) }.map { response in
      var content = [response.shape.content(response.problem)]
      var name = response.name
      if ["400", "413"].contains(response.status), api.errors == .emptyObject {
        content.append(api.errors.content(nil))
        name += api.errors.suffix
      }
      if responses[name] == nil {
        responses[name] = self.response(
          response.about, content, response.fields + [.noSniff, .pagePolicy], at: operation.example)
      }
      return JSONValue.Member(response.status, ["$ref": .string("#/components/responses/" + name)])
    }
  }
}

/// A response that no operation declares, because the server gives it before or instead of the operation.
private struct CommonResponse {
  let status: String
  let name: String
  let about: String
  let problem: Problem
  var shape = API.ErrorShape.problem
  var fields: [DeclaredField] = []

  private static let retryAfter = DeclaredField(
    "Retry-After", "The number of seconds to wait, or the date until which to wait.", always: false)

  static let ofEveryRequest = [
    CommonResponse(
      status: "400", name: "Malformed",
      about: "The request breaks the syntax of HTTP/1.1, or names two APIs or two sandboxes.", problem: .malformed),
    CommonResponse(status: "408", name: "TooSlow", about: "The request did not arrive in time.", problem: .timeout),
    CommonResponse(
      status: "414", name: "TargetTooLong", about: "The request line is longer than 8 KiB.", problem: .targetTooLong),
    CommonResponse(
      status: "417", name: "ExpectationUnknown", about: "`Expect` is not `100-continue`.",
      problem: .expectationFailed),
    CommonResponse(
      status: "431", name: "HeadTooLarge", about: "There are more than 128 fields, or 32 KiB of them.",
      problem: .fieldsTooLarge),
    CommonResponse(
      status: "503", name: "TooMuchContent",
      about: "The requests on all connections take too much memory, and this one is among the longest; or a scenario "
        + "or `Prefer` requests it.",
      problem: .tooMuchContent, fields: [retryAfter]),
  ]

  static let unknownSandbox = CommonResponse(
    status: "404", name: "UnknownSandbox", about: "The sandbox does not exist; the problem explains how to make it.",
    problem: .unknownSandbox("ci-43"))
  static let contentTooLarge = CommonResponse(
    status: "413", name: "ContentTooLarge",
    about: "The body is larger than 1 MiB, or a form of more than 1,000 parameters.", problem: .contentTooLarge)
  static let tokenMissing = CommonResponse(
    status: "401", name: "TokenMissing",
    about: "The server listens outside loopback, and `Authorization` does not contain its token.",
    problem: .unauthorized, fields: [DeclaredField("WWW-Authenticate", "`Bearer`.")])
  static let foreignPage = CommonResponse(
    status: "403", name: "ForeignPage",
    about: "`Host` is not this machine, or `Origin` is another site. Pages of other sites must not control tests.",
    problem: .foreignOrigin("https://example.com"))
  static let rateLimited = CommonResponse(
    status: "429", name: "RateLimited", about: "Only if a scenario or `Prefer` requests it.",
    problem: .injected(429),
    fields: [retryAfter])
  static let injected = CommonResponse(
    status: "5XX", name: "Injected", about: "Only if a scenario or `Prefer` requests it.",
    problem: .injected(503),
    fields: [retryAfter])

  static func codingUnknown(_ errors: API.ErrorShape) -> CommonResponse {
    CommonResponse(
      status: "415", name: "CodingUnknown" + errors.suffix,
      about: "The body has a `Content-Encoding`; the server accepts none.",
      problem: .unknownCoding("gzip"),
      shape: errors,
      fields: [DeclaredField("Accept-Encoding", "`identity`.")])
  }

  static func keyReused(_ errors: API.ErrorShape) -> CommonResponse {
    CommonResponse(
      status: "422", name: "KeyReused" + errors.suffix,
      about: """
        The `Idempotency-Key` was used before with another body. Bodies are the same if they are the same JSON value or \
        the same form, whatever the order of members and the spelling. For a GET that writes, the query is the body.
        """,
      problem: .mismatchedKey("tap-1"), shape: errors)
  }

  static func preconditionFailed(_ errors: API.ErrorShape) -> CommonResponse {
    CommonResponse(
      status: "412", name: "PreconditionFailed" + errors.suffix,
      about: "No tag in `If-Match` is current. Nothing was done.", problem: .noEntityTag, shape: errors)
  }

  static func notStored(_ errors: API.ErrorShape) -> CommonResponse {
    // Here even clients that do not read problems must not take an empty object for a successful response.
    let shape = errors == .emptyObject ? .problem : errors
    return CommonResponse(
      status: "507", name: "NotKept" + shape.suffix,
      about: "The server was started with `--state`, and its disk could not store the change. Nothing was done.",
      problem: .notStored("No space left on device"), shape: shape)
  }

  static func keyInUse(_ errors: API.ErrorShape) -> CommonResponse {
    CommonResponse(
      status: "409", name: "KeyInUse" + errors.suffix,
      about: "A request with this `Idempotency-Key` is in progress, or the sandbox was reset while the request waited.",
      problem: .keyInFlight("tap-1"), shape: errors)
  }
}

extension API.ErrorShape {
  /// The suffix that distinguishes a component's name from those of the other error shapes.
  var suffix: String {
    switch self {
    case .problem: ""
    case .problemWithMessage: "WithMessage"
    case .unsuccessfulProblem: "Unsuccessful"
    case .emptyObject: "Empty"
    }
  }
}
