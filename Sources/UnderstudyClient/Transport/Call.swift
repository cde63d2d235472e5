import Contract
import Foundation
import JSON

/// A request of one operation, and how its reply is read.
struct Call<Value: Sendable>: Sendable {
  let operation: Contract.Operation
  let url: URL
  var body: Data?
  var headers: [String: String] = [:]
  var repeatability: Repeatability
  /// Fewer tries than the policy's, for callers that repeat by themselves.
  var maximumAttempts: Int?
  /// How old a copy may be that is used without asking the server; nil asks always.
  var acceptableAge: Duration?
  let decode: @Sendable (TransportResponse) throws -> Value
  private let hasEmptyArgument: Bool
  /// The statuses of success, where they are not those of the operation.
  private var acceptedStatuses: Set<Int>?

  /// - Parameters:
  ///   - id: The operation's id in the contract.
  ///   - arguments: What takes the place of the path's variables, in their order.
  init(
    _ id: String, of api: API, at base: URL, arguments: [String] = [], query: [(String, String)] = [],
    repeatability: Repeatability? = nil, decode: @escaping @Sendable (TransportResponse) throws -> Value
  ) {
    guard let operation = api.operations.first(where: { $0.id == id }) else {
      preconditionFailure("the contract has no operation \(id)")
    }
    self.operation = operation
    hasEmptyArgument = arguments.contains("")
    url = Self.url(operation.path, at: base, arguments: arguments, query: query)
    self.repeatability = repeatability ?? (operation.method.isSafe ? .always : .ifNotApplied)
    self.decode = decode
  }

  /// A read of a URL that a server gave, whose caller keeps copies and sends conditions by itself.
  init(
    _ id: String, at url: URL, acceptedStatuses: Set<Int>,
    decode: @escaping @Sendable (TransportResponse) throws -> Value
  ) {
    guard let operation = API.booking.operations.first(where: { $0.id == id }) else {
      preconditionFailure("the contract has no operation \(id)")
    }
    self.operation = operation
    self.url = url
    self.acceptedStatuses = acceptedStatuses
    self.decode = decode
    repeatability = .always
    hasEmptyArgument = false
  }

  /// Why no HTTP request can say this, if none can. Foundation would leave out a field that it cannot send, in silence.
  var defect: String? {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", url.host?.isEmpty == false
    else {
      return "«\(url.absoluteString)» is no http or https URL."
    }
    if hasEmptyArgument { return "An empty id names nothing: «\(url.absoluteString)»." }
    // RFC 9110 section 5.5.
    let broken = headers.first { $0.value.unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" } }
    return broken.map { "The field \($0.key) cannot hold a line break or NUL." }
  }

  /// Whether the server may be another after it.
  var changesState: Bool { operation.changesState || !operation.method.isSafe }

  /// What a server means that asks to be left alone.
  var embargoKey: Embargoes.Key { Embargoes.Key(method: operation.method.rawValue, url: url) }

  /// Whether its reply can be validated later and its copy used again.
  var isCacheable: Bool { operation.method == .get && !changesState && acceptedStatuses == nil }

  func isSuccess(_ status: Int) -> Bool {
    if let acceptedStatuses { return acceptedStatuses.contains(status) }
    return (200..<300).contains(status) && operation.responses.contains { $0.status == status }
  }

  private static func url(
    _ path: PathTemplate, at base: URL, arguments: [String], query: [(String, String)]
  ) -> URL {
    var rest = arguments[...]
    let segments = path.segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .variable: encode(rest.popFirst() ?? "")
      }
    }
    precondition(rest.isEmpty, "\(path.text) has fewer variables than arguments")
    var components = URLComponents(url: base, resolvingAgainstBaseURL: true) ?? URLComponents()
    let prefix = components.percentEncodedPath
    let closing = path.text.hasSuffix("/") ? "/" : ""
    components.percentEncodedPath =
      (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + "/" + segments.joined(separator: "/") + closing
    components.percentEncodedQuery =
      query.isEmpty ? nil : query.map { encode($0.0) + "=" + encode($0.1) }.joined(separator: "&")
    components.fragment = nil
    return components.url ?? base
  }

  /// Keeps only what RFC 3986 calls unreserved, so that no id can change the meaning of a path.
  private static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? ""
  }
}

extension CharacterSet {
  fileprivate static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// What a reply said, and how fresh it is.
struct Reply<Value: Sendable>: Sendable {
  let fetched: Fetched<Value>
  let response: TransportResponse

  var value: Value { fetched.value }
  var etag: String? { response.header("ETag") }
}
