import Foundation
import HTTP1
import UnderstudyClient

#if canImport(FoundationNetworking)
  import Dispatch
  import FoundationNetworking
#endif

/// Loads the requests of a session from a server in memory.
///
/// A session makes its loaders by itself, and knows only their class. So each server has a class of its own, which the
/// type parameter distinguishes.
final class InMemoryProtocol<Digits: Number>: URLProtocol {
  private let recipient = Recipient()
  private var loading: Task<Void, Never>?

  override class func canInit(with request: URLRequest) -> Bool {
    ["http", "https"].contains(request.url?.scheme?.lowercased())
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let loader = Loader(self, recipient)
    #if canImport(FoundationNetworking)
      if task is URLSessionDownloadTask {
        return loader.fail(.unsupportedURL, "On Linux, only data and upload tasks reach a server in memory.")
      }
    #endif
    guard let server = ServerTable.shared.server(of: Self.self),
      let message = TransportRequest(request, of: task)
    else {
      return loader.fail(.badURL, "The request has no URL or a body that cannot be read.")
    }
    let timeout = timeout(of: request, task)
    loading = Task { await loader.load(message, from: server, idleTimeout: timeout) }
  }

  override func stopLoading() {
    recipient.leave()
    loading?.cancel()
  }
}

/// A natural number as a type, of which there are as many as servers.
protocol Number {}
enum Zero: Number {}
enum Doubled<Rest: Number>: Number {}
enum DoubledPlusOne<Rest: Number>: Number {}

/// The servers by the class of their loaders. They live as long as the process, because a session never says that it
/// has released its configuration.
final class ServerTable: @unchecked Sendable {
  static let shared = ServerTable()

  private let lock = NSLock()
  private var servers: [ObjectIdentifier: InMemoryTransport] = [:]
  private var count = 0

  /// Returns the class of the loaders of a server.
  func add(_ server: InMemoryTransport) -> URLProtocol.Type {
    lock.withLock {
      count += 1
      let type = Self.type(count, Zero.self)
      servers[ObjectIdentifier(type)] = server
      return type
    }
  }

  func server(of type: URLProtocol.Type) -> InMemoryTransport? { lock.withLock { servers[ObjectIdentifier(type)] } }

  private static func type<Digits: Number>(_ number: Int, _ digits: Digits.Type) -> URLProtocol.Type {
    guard number > 0 else { return InMemoryProtocol<Digits>.self }
    return number % 2 == 0
      ? type(number / 2, Doubled<Digits>.self) : type(number / 2, DoubledPlusOne<Digits>.self)
  }
}

/// The session that waits for a response, until it stops the loading.
///
/// Foundation on Linux ends the process if its client is called afterwards.
private final class Recipient: @unchecked Sendable {
  // A session may stop the loading while it is called.
  private let lock = NSRecursiveLock()
  private var hasLeft = false

  func leave() { lock.withLock { hasLeft = true } }

  /// Calls `body` unless the session has stopped the loading.
  func call(_ body: () -> Void) { lock.withLock { if !hasLeft { body() } } }
}

/// Passes a response on to the session that waits for it.
///
/// A loader is used by one task at a time.
private final class Loader: @unchecked Sendable {
  private let urlProtocol: URLProtocol
  private let recipient: Recipient
  #if canImport(FoundationNetworking)
    private let queue: DispatchQueue?
  #endif
  /// The bytes that are not delivered yet. On Linux a completion handler receives only the bytes of the last delivery.
  private var content = Data()
  private var isStream = false

  init(_ urlProtocol: URLProtocol, _ recipient: Recipient) {
    self.urlProtocol = urlProtocol
    self.recipient = recipient
    #if canImport(FoundationNetworking)
      queue = urlProtocol.task?.workQueue
    #endif
  }

  func load(_ request: TransportRequest, from server: InMemoryTransport, idleTimeout: Duration) async {
    do throws(InMemoryFailure) {
      try await server.load(request, idleTimeout: idleTimeout) { receive($0, from: request.url) }
      deliverRest()
      tell { $0.client?.urlProtocolDidFinishLoading($0) }
    } catch {
      // A session reports the cancellation of a task by itself.
      if case .cancelled = error { return }
      deliverRest()
      fail(error.code, error.detail)
    }
  }

  func fail(_ code: URLError.Code, _ detail: String) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: detail]
    details[NSURLErrorFailingURLErrorKey] = urlProtocol.request.url
    let error = URLError(code, userInfo: details)
    tell { $0.client?.urlProtocol($0, didFailWithError: error) }
  }

  private func receive(_ part: InMemoryTransport.Part, from url: URL) {
    switch part {
    case .head(let status, let headers):
      isStream = headers.contains { $0.key.lowercased() == "content-type" && $0.value.hasPrefix("text/event-stream") }
      guard
        let response = HTTPURLResponse(
          url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: Self.shown(headers))
      else { return }
      tell { $0.client?.urlProtocol($0, didReceive: response, cacheStoragePolicy: .notAllowed) }
    case .content(let piece):
      content += piece
      #if canImport(FoundationNetworking)
        if isStream { deliverRest() }
      #else
        deliverRest()
      #endif
    }
  }

  /// Returns the fields for the session: on Linux without `WWW-Authenticate`, at which Foundation would wait without end.
  private static func shown(_ headers: [String: String]) -> [String: String] {
    #if canImport(FoundationNetworking)
      headers.filter { $0.key.lowercased() != "www-authenticate" }
    #else
      headers
    #endif
  }

  private func deliverRest() {
    let piece = content
    content = Data()
    if !piece.isEmpty { tell { $0.client?.urlProtocol($0, didLoad: piece) } }
  }

  /// Calls the session's client, on Linux on the task's own queue, where the session also stops the loading.
  private func tell(_ body: @escaping @Sendable (URLProtocol) -> Void) {
    #if canImport(FoundationNetworking)
      if let queue { return queue.async { [self] in recipient.call { body(urlProtocol) } } }
    #endif
    recipient.call { body(urlProtocol) }
  }
}

extension InMemoryFailure {
  /// The code with which a session reports the failure on this platform.
  fileprivate var code: URLError.Code {
    switch self {
    case .offline: .notConnectedToInternet
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .networkLost, .reset: .networkConnectionLost
    #if canImport(FoundationNetworking)
      // As measured with libcurl; a test compares them with those of a connection.
      case .response(.empty): .badServerResponse
      case .response(.statusLine): .unsupportedURL
      case .response: .unknown
    #else
      case .response(.empty), .response(.cut): .networkConnectionLost
      case .response: .cannotParseResponse
    #endif
    }
  }

  fileprivate var detail: String {
    switch self {
    case .offline: "The Internet connection appears to be offline."
    case .timedOut: "The request timed out."
    case .cancelled: "cancelled"
    case .networkLost, .reset: "The network connection was lost."
    case .response(let error): error.reason
    }
  }
}
