public import Foundation

/// Sends a request to a server and returns its response: `URLSession` in an app, scripted responses in a test.
public protocol Transport: Sendable {
  /// Sends one request, once, and waits for its complete response.
  ///
  /// - Parameters:
  ///   - request: The request, with all its fields.
  ///   - timeout: The maximum duration of the whole exchange. Afterwards it throws `.lost(.timedOut)`.
  /// - Throws: `TransportFailure`, if there is no complete response. If the task is cancelled, `.lost(.cancelled)`.
  func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse

  /// Sends a request whose response is a stream, and returns when the head has arrived.
  ///
  /// - Parameters:
  ///   - request: The request, with all its fields.
  ///   - timeout: The maximum duration until the head has arrived. Afterwards it throws `.lost(.timedOut)`.
  /// - Throws: `TransportFailure`. The default implementation has no streams, and throws `.notSent(.unsendable)`.
  func open(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportStream
}

extension Transport {
  public func open(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportStream {
    throw .notSent(.unsendable("The transport has no streams."))
  }
}

/// A request as a value.
public struct TransportRequest: Sendable, Hashable {
  /// The method in upper case: `GET`, `PATCH`.
  public var method: String
  /// The URL with its query.
  public var url: URL
  /// Header fields by name.
  public var headers: [String: String]
  /// The body; nil if there is none.
  public var body: Data?

  /// Creates a request.
  public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// A streamed response: its head, and its body in pieces as they arrive.
public struct TransportStream: Sendable {
  /// The status of the response.
  public var status: Int
  /// The fields of the response.
  public var headers: [String: String]
  /// The body. It throws `TransportFailure` if it ends before it is complete; leaving it closes the connection.
  public var body: AsyncThrowingStream<Data, any Error>

  /// Creates a response whose body comes in parts.
  public init(status: Int, headers: [String: String] = [:], body: AsyncThrowingStream<Data, any Error>) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A complete response.
public struct TransportResponse: Sendable, Hashable {
  /// The status of the response.
  public var status: Int
  /// The fields of the response.
  public var headers: [String: String]
  /// The whole body.
  public var body: Data

  /// Creates a response.
  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the value of a header field, ignoring the case of its name.
  public func header(_ name: String) -> String? {
    headers[name] ?? headers.first { $0.key.caseInsensitiveCompare(name) == .orderedSame }?.value
  }
}

/// The reason for which a request has no response. A write depends on the difference between the two cases.
public enum TransportFailure: Error, Sendable, Hashable {
  /// No byte of the request can have reached the server: no route, unknown host, connection refused.
  case notSent(FailureReason)
  /// The request was begun, and its response is lost, incomplete or not HTTP. The server may have applied it.
  case lost(FailureReason)

  var reason: FailureReason {
    switch self {
    case .notSent(let reason), .lost(let reason): reason
    }
  }
}
