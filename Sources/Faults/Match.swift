import JSON
import Primitives

/// The requests to which a rule applies; a missing member matches every request.
public struct Match: Sendable, Equatable {
  package var api: String?
  package var methods: [String]
  package var path: PathGlob?
  /// A pattern for the name that a file of semantics gives the operation.
  package var operation: Glob?
  /// True to match writes from the client's point of view, including those whose data is not stored; false to match all
  /// other requests.
  package var changes: Bool?
  package var headers: [Header]

  package init(
    api: String? = nil, methods: [String] = [], path: PathGlob? = nil, operation: Glob? = nil,
    changes: Bool? = nil, headers: [Header] = []
  ) {
    self.api = api
    self.methods = methods
    self.path = path
    self.operation = operation
    self.changes = changes
    self.headers = headers
  }

  /// A required field, with a value that the glob matches.
  package struct Header: Sendable, Equatable {
    package let name: String
    package let value: Glob

    package init(_ name: String, _ value: Glob) {
      self.name = name
      self.value = value
    }
  }

  /// The methods that a rule may name, the ones of most APIs first.
  package static let knownMethods = RegisteredMethod.all.map(\.name)

  package var isEverything: Bool { self == Match() }
}

extension Match {
  package static let members = [
    api.member, method.member, path.member, operation.member, changes.member, header.member,
  ]
  static let maximumHeaders = 16

  private static let api = Key<String>(
    "api", .form(.api, expectation: "an API's name"), "The name of the API.", expectation: "an API's name"
  ) { value in
    value.string.flatMap { $0.isEmpty ? nil : $0 }
  }
  private static let method = Key<JSONValue>(
    "method", .oneOf([.choice(knownMethods), .array(of: .choice(knownMethods), 1...knownMethods.count)]),
    "A method, or several different ones.",
    expectation: "a method or an array of methods, as in \"PATCH\" or [\"PUT\", \"PATCH\"]"
  ) { $0 }
  private static let path = Key<PathGlob>(
    "path", .form(.pathGlob, expectation: PathGlob.expectation),
    "A path, percent-decoded, without labels and query. `*` matches any text within one segment, `**` any number of "
      + "segments. The pattern must match a path of an operation.",
    expectation: PathGlob.expectation
  ) {
    $0.string.flatMap(PathGlob.init)
  }
  private static let operation = Key<Glob>(
    "operation", .form(.operationGlob, expectation: operationExpectation),
    "The name that `--semantics` gives an operation of a backend. `*` matches any text.",
    expectation: operationExpectation
  ) { value in
    value.string.flatMap { (1...200).contains($0.utf8.count) ? Glob($0) : nil }
  }
  private static let operationExpectation = "the name of an operation, in which * stands for any run"
  private static let changes = Key.flag(
    "changes",
    "True matches writes, false all other requests. Writes to users count as writes, although they are not stored.")
  private static let header = Key<JSONValue.Object>(
    "header",
    .map(
      of: .form(.textGlob, expectation: "a text in which * stands for any run"), named: .fieldName, 1...maximumHeaders),
    "Patterns by field name: each field must be present with a value that matches its pattern, in which `*` matches "
      + "any text.",
    expectation: "an object of globs by field name, as in {\"X-Build\": \"*\"}", read: \.object)

  init(_ json: JSONValue, at pointer: JSONPointer, apis: [String]) throws(ValidationError) {
    let reader = try Reader(json, at: pointer, "an object, as in {\"api\": \"devices\"}")
    try reader.allow(Self.members.map(\.name))
    let name = try reader.optional(Self.api)
    if let name, !apis.isEmpty, !apis.contains(name) {
      throw reader.mismatch(Self.api.name, "one of \(apis.joined(separator: ", "))")
    }
    self.init(
      api: name, methods: try Self.methods(reader), path: try reader.optional(Self.path),
      operation: try reader.optional(Self.operation), changes: try reader.optional(Self.changes),
      headers: try Self.headers(reader))
  }

  private static func methods(_ reader: Reader) throws(ValidationError) -> [String] {
    let pointer = reader.pointer / method.name
    switch reader.object[method.name] {
    case nil: return []
    case .string(let name): return [try method(.string(name), at: pointer)]
    case .array(let values) where !values.isEmpty:
      var methods: [String] = []
      for (index, value) in values.enumerated() {
        let method = try method(value, at: pointer / index)
        guard !methods.contains(method) else { throw ValidationError(pointer / index, "expected each method once") }
        methods.append(method)
      }
      return methods
    default: throw reader.mismatch(method.name, method.expectation)
    }
  }

  private static func method(_ value: JSONValue, at pointer: JSONPointer) throws(ValidationError) -> String {
    guard let method = value.string, knownMethods.contains(method) else {
      let usual = knownMethods.prefix(7).joined(separator: ", ")
      let advice = value.string.map { Spelling.suggestion(for: $0.uppercased(), among: knownMethods) } ?? ""
      throw ValidationError(pointer, "expected one of \(usual), found \(Reader.found(value))\(advice)")
    }
    return method
  }

  private static func headers(_ reader: Reader) throws(ValidationError) -> [Header] {
    guard reader.object[header.name] != nil else { return [] }
    let fields = try reader.object(header)
    guard (1...maximumHeaders).contains(fields.object.members.count) else {
      throw ValidationError(
        fields.pointer, "expected 1 to \(maximumHeaders) header fields, found \(fields.object.members.count)")
    }
    var headers: [Header] = []
    for member in fields.object.members {
      let pointer = fields.pointer / member.name
      guard isToken(member.name) else { throw ValidationError(pointer, "expected the name of a header field") }
      guard let glob = member.value.string, glob.utf8.count <= 1_000 else {
        throw ValidationError(
          pointer, "expected a text in which * stands for any run, found \(Reader.found(member.value))")
      }
      headers.append(Header(member.name, Glob(glob)))
    }
    return headers
  }

  /// Returns true if the text is a token (RFC 9110 section 5.6.2).
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(ByteSet.token.contains)
  }

  var json: JSONValue? {
    var members: [JSONValue.Member] = []
    if let api { members.append(JSONValue.Member("api", .string(api))) }
    if !methods.isEmpty { members.append(JSONValue.Member("method", .array(methods.map(JSONValue.string)))) }
    if let path { members.append(JSONValue.Member("path", .string(path.text))) }
    if let operation { members.append(JSONValue.Member("operation", .string(operation.text))) }
    if let changes { members.append(JSONValue.Member("changes", .bool(changes))) }
    if !headers.isEmpty {
      let fields = headers.map { JSONValue.Member($0.name, .string($0.value.text)) }
      members.append(JSONValue.Member("header", .object(JSONValue.Object(fields))))
    }
    return members.isEmpty ? nil : .object(JSONValue.Object(members))
  }

  /// Returns true if some request for the operation matches.
  func canMatch(_ operation: OperationContext) -> Bool {
    if let api, api != operation.api { return false }
    if !methods.isEmpty, !methods.contains(operation.method) { return false }
    if let changes, let always = operation.changes, changes != always { return false }
    return path?.canMatch(template: operation.path) ?? true
  }
}

/// The properties of an operation against which the rules of a scenario are checked.
package struct OperationContext: Sendable, Hashable {
  package let api: String
  package let method: String
  /// The path as a template: `/devices/{id}`.
  package let path: String
  /// True if its requests are writes; nil if only some are.
  package let changes: Bool?

  package init(api: String, method: String, path: String, changes: Bool?) {
    self.api = api
    self.method = method
    self.path = path
    self.changes = changes
  }
}
