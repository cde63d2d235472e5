public import Foundation

/// What carries a request to a server and brings its reply: `URLSession` in an app, a script in a test.
public protocol Transport: Sendable {
  /// Sends one request, once, and waits for its whole reply.
  ///
  /// - Parameters:
  ///   - request: What to send, complete with its fields.
  ///   - timeout: How long the whole exchange may take. Afterwards it throws `.lost(.timedOut)`.
  /// - Throws: `TransportFailure`, when there is no whole reply. When the task is cancelled, `.lost(.cancelled)`.
  func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse
}

/// A request as a value.
public struct TransportRequest: Sendable, Hashable {
  /// In upper case: `GET`, `PATCH`.
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

/// A reply that arrived whole.
public struct TransportResponse: Sendable, Hashable {
  public var status: Int
  public var headers: [String: String]
  public var body: Data

  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of a header field, whatever the case of its name.
  public func header(_ name: String) -> String? {
    headers[name] ?? headers.first { $0.key.caseInsensitiveCompare(name) == .orderedSame }?.value
  }
}

/// Why a request brought no reply. The two cases are what a write depends on.
public enum TransportFailure: Error, Sendable, Hashable {
  /// No byte of the request can have reached the server: no route, no such host, refused.
  case notSent(Obstacle)
  /// The request was begun, and its reply is lost, cut or no HTTP. The server may have carried it out.
  case lost(Obstacle)
}
