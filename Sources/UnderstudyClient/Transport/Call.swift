import Contract
import Foundation
import JSON
import Primitives

/// A request of one operation, and the decoding of its response.
struct Call<Value: Sendable>: Sendable {
  let operation: Contract.Operation
  let url: URL
  var body: Data?
  var headers: [String: String] = [:]
  var repeatability: Repeatability
  /// The maximum number of attempts, if lower than the policy's, for callers that retry by themselves.
  var maximumAttempts: Int?
  /// The maximum age of a copy that is used without a request; nil always sends one.
  var acceptableAge: Duration?
  let decode: @Sendable (TransportResponse) throws -> Value
  private let hasEmptyArgument: Bool
  /// The statuses of success, if they differ from those of the operation.
  private var acceptedStatuses: Set<Int>?

  /// Creates a request of an operation.
  ///
  /// - Parameters:
  ///   - id: The operation's id in the contract.
  ///   - arguments: The values of the path's variables, in their order.
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

  /// Creates a read of a URL that a server returned. Its caller keeps copies and sends conditions by itself.
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

  /// The reason for which the request cannot be sent as HTTP; nil if it can. Foundation would silently omit an invalid
  /// field.
  var defect: String? {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", url.host?.isEmpty == false
    else {
      return "«\(url.absoluteString)» is not an http or https URL."
    }
    if hasEmptyArgument { return "The id is empty: «\(url.absoluteString)»." }
    // RFC 9110 section 5.5.
    let broken = headers.first { $0.value.unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" } }
    return broken.map { "The field \($0.key) contains a line break or NUL." }
  }

  /// True if the request may change the server's state.
  var changesState: Bool { operation.semantics.changesState || !operation.method.isSafe }

  /// The key under which the server's `Retry-After` holds.
  var retryAfterKey: RetryAfterCache.Key { RetryAfterCache.Key(method: operation.method.rawValue, url: url) }

  /// True if its response can be cached and validated later.
  var isCacheable: Bool { operation.method == .get && !changesState && acceptedStatuses == nil }

  func isSuccess(_ status: Int) -> Bool {
    if let acceptedStatuses { return acceptedStatuses.contains(status) }
    return (200..<300).contains(status) && operation.documentation.responses.contains { $0.status == status }
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

  /// Encodes everything except RFC 3986's unreserved characters, so that an id cannot change the meaning of a path.
  private static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? ""
  }
}

extension CharacterSet {
  fileprivate static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// A decoded response, and its freshness.
struct Response<Value: Sendable>: Sendable {
  let fetched: CachedValue<Value>
  let response: TransportResponse

  var value: Value { fetched.value }
  var etag: String? { response.header("ETag") }
}
