public import Foundation

/// Sends a request to a server and returns its response: `URLSession` in an app, a script in a test.
public protocol Transport: Sendable {
  /// Sends one request, once, and waits for its complete response.
  ///
  /// - Parameters:
  ///   - request: The request, with all its fields.
  ///   - timeout: The maximum duration of the whole exchange. Afterwards it throws `.lost(.timedOut)`.
  /// - Throws: `TransportFailure`, if there is no complete response. If the task is cancelled, `.lost(.cancelled)`.
  func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse
}

/// A request as a value.
public struct TransportRequest: Sendable, Hashable {
  /// The method in upper case: `GET`, `PATCH`.
  public var method: String
  public var url: URL
  /// Header fields by name.
  public var headers: [String: String]
  public var body: Data?

  public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// A complete response.
public struct TransportResponse: Sendable, Hashable {
  public var status: Int
  public var headers: [String: String]
  public var body: Data

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
}
