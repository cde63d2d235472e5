#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends requests through one `URLSession`, without an HTTP cache and without cookies: the client validates by itself.
public final class URLSessionTransport: Transport {
  let session: URLSession

  /// Creates a transport.
  ///
  /// - Parameter configuration: The configuration of the session; the default is ephemeral, without cache and cookies.
  public init(configuration: URLSessionConfiguration? = nil) {
    session = URLSession(configuration: configuration ?? Self.plain)
  }

  deinit { session.finishTasksAndInvalidate() }

  static var plain: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return configuration
  }

  public func send(
    _ request: TransportRequest, timeout: Duration
  ) async throws(TransportFailure) -> TransportResponse {
    let message = Self.message(request, timeout)
    let requestTask = RequestTask()
    let arrival = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        requestTask.begin(continuation)
        let task = session.dataTask(with: message) { data, response, error in
          requestTask.end(Self.result(data, response, error, to: request))
        }
        DispatchQueue.afterTimeout(timeout) { [weak requestTask] in requestTask?.end(.failure(.lost(.timedOut))) }
        requestTask.onEnd { task.cancel() }
        if !requestTask.hasEnded { task.resume() }
      }
    } onCancel: {
      requestTask.end(.failure(.lost(.cancelled)))
    }
    return try arrival.get()
  }

  static func message(_ request: TransportRequest, _ timeout: Duration) -> URLRequest {
    var message = URLRequest(url: request.url)
    message.httpMethod = request.method
    message.httpBody = request.body
    for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
    // The session's own timeout restarts with every byte, so it is only a second safeguard.
    message.timeoutInterval = Double(timeout.components.seconds) + 5
    return message
  }

  private static func result(
    _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, to request: TransportRequest
  ) -> RequestTask.Arrival {
    if let error { return .failure(failure(error)) }
    guard let response else {
      return .failure(.lost(.connectionLost("The loading system returned neither a response nor an error.")))
    }
    return checked(data ?? Data(), response, to: request)
  }

  private static func checked(
    _ data: Data, _ response: URLResponse, to request: TransportRequest
  ) -> Result<TransportResponse, TransportFailure> {
    guard let response = response as? HTTPURLResponse else {
      return .failure(.lost(.connectionLost("The response is not HTTP.")))
    }
    if request.method != "GET", let url = response.url, !Self.isSameResource(url, request.url) {
      return .failure(.lost(.unreadable("The write was redirected to \(url.host ?? "another host").")))
    }
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields { headers[name] = value }
    let received = TransportResponse(status: response.statusCode, headers: headers, body: data)
    if let length = received.header("Content-Length").flatMap({ Int($0) }), received.header("Content-Encoding") == nil,
      data.count < length, received.status != 304
    {
      return .failure(.lost(.connectionLost("\(data.count) of \(length) bytes came.")))
    }
    return .success(received)
  }
}

extension URLSessionTransport {
  /// Returns true if two URLs name the same path of the same origin.
  private static func isSameResource(_ url: URL, _ other: URL) -> Bool {
    url.path == other.path && url.port == other.port && url.scheme?.lowercased() == other.scheme?.lowercased()
      && url.host?.lowercased() == other.host?.lowercased()
  }

  /// Classifies an error of the loading system. An error counts as *not sent* only if that is certain: Linux reports
  /// incomplete bodies, broken chunks and bytes that are not HTTP under many codes, «unsupported URL» among them.
  static func failure(_ error: any Error) -> TransportFailure {
    if error is CancellationError { return .lost(.cancelled) }
    guard let error = error as? URLError else { return .lost(.connectionLost(error.localizedDescription)) }
    let text = "\(error.localizedDescription) (\(error.code.rawValue))"
    switch error.code {
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive: return .notSent(.offline)
    case .cannotConnectToHost where !isSurelyRefused(error): return .lost(.connectionLost(text))
    case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .appTransportSecurityRequiresSecureConnection,
      .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
      .serverCertificateHasUnknownRoot:
      return .notSent(.unreachable(text))
    case .timedOut: return .lost(.timedOut)
    case .cancelled: return .lost(.cancelled)
    default: return .lost(.connectionLost(text))
    }
  }

  /// Returns true if the connection was certainly refused. Linux also reports *refused* if one address of a host
  /// refused the connection and the connection to another broke later; only libcurl's text distinguishes the two.
  private static func isSurelyRefused(_ error: URLError) -> Bool {
    #if canImport(FoundationNetworking)
      error.localizedDescription.contains("onnect to ")
    #else
      true
    #endif
  }
}

extension DispatchQueue {
  /// Calls `body` when a timeout is over, on time even while the program keeps every thread of Swift's own pool busy.
  static func afterTimeout(_ timeout: Duration, _ body: @escaping @Sendable () -> Void) {
    let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
    global(qos: .userInitiated).asyncAfter(deadline: .now() + seconds, execute: body)
  }
}
