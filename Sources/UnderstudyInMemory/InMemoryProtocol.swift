import Foundation
import HTTP1
import UnderstudyClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads the requests of a session from a server in memory.
///
/// A session makes its loaders by itself, and knows only their class. So each server has a class of its own, which the
/// type parameter distinguishes.
final class InMemoryProtocol<Digits: Number>: URLProtocol {
  private var loading: Task<Void, Never>?

  override class func canInit(with request: URLRequest) -> Bool {
    ["http", "https"].contains(request.url?.scheme?.lowercased())
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let loader = Loader(urlProtocol: self)
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
    let timeout = Duration.seconds(timeout(of: request, task))
    loading = Task { await loader.load(message, from: server, idleTimeout: timeout) }
  }

  override func stopLoading() { loading?.cancel() }
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

/// Passes a response on to the session that waits for it.
///
/// A loader is used by one task at a time.
private struct Loader: @unchecked Sendable {
  let urlProtocol: URLProtocol

  func load(_ request: TransportRequest, from server: InMemoryTransport, idleTimeout: Duration) async {
    let response = Response(urlProtocol, request.url)
    do throws(InMemoryFailure) {
      try await server.load(request, idleTimeout: idleTimeout) { response.receive($0) }
      response.finish()
    } catch {
      // A session reports the cancellation of a task by itself.
      if case .cancelled = error { return }
      response.deliverRest()
      fail(error.code, error.detail)
    }
  }

  func fail(_ code: URLError.Code, _ detail: String) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: detail]
    details[NSURLErrorFailingURLErrorKey] = urlProtocol.request.url
    urlProtocol.client?.urlProtocol(urlProtocol, didFailWithError: URLError(code, userInfo: details))
  }
}

/// A response as a session receives it.
private final class Response: @unchecked Sendable {
  private let urlProtocol: URLProtocol
  private let url: URL
  /// The bytes that are not delivered yet. On Linux a completion handler receives only the bytes of the last delivery.
  private var content = Data()
  private var isStream = false

  init(_ urlProtocol: URLProtocol, _ url: URL) {
    self.urlProtocol = urlProtocol
    self.url = url
  }

  func receive(_ part: InMemoryTransport.Part) {
    switch part {
    case .head(let status, let headers):
      isStream = headers.contains { $0.key.lowercased() == "content-type" && $0.value.hasPrefix("text/event-stream") }
      guard
        let response = HTTPURLResponse(
          url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
      else { return }
      urlProtocol.client?.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
    case .content(let piece):
      content += piece
      #if canImport(FoundationNetworking)
        if isStream { deliverRest() }
      #else
        deliverRest()
      #endif
    }
  }

  func deliverRest() {
    if !content.isEmpty { urlProtocol.client?.urlProtocol(urlProtocol, didLoad: content) }
    content = Data()
  }

  func finish() {
    deliverRest()
    urlProtocol.client?.urlProtocolDidFinishLoading(urlProtocol)
  }
}

extension InMemoryFailure {
  /// The code with which a session reports the failure on this platform.
  fileprivate var code: URLError.Code {
    switch self {
    case .offline: .notConnectedToInternet
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .broken: .networkConnectionLost
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
    case .broken: "The network connection was lost."
    case .response(let error): error.reason
    }
  }
}
