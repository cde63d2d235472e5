#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
#else
  import Foundation
#endif

extension URLSessionTransport {
  /// Opens a stream on a session of its own, because a session's delegate serves all its tasks.
  ///
  /// The stream fails after 45 seconds without a byte: servers send a comment more often.
  public func open(
    _ request: TransportRequest, timeout: Duration
  ) async throws(TransportFailure) -> TransportStream {
    let receiver = StreamReceiver()
    var message = Self.message(request, timeout)
    message.timeoutInterval = 45
    let session = URLSession(configuration: session.configuration, delegate: receiver, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: message)
    receiver.onTermination { task.cancel() }
    DispatchQueue.afterTimeout(timeout) { [weak receiver] in receiver?.end(.lost(.timedOut), ifHeadless: true) }
    let head = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        receiver.begin(continuation)
        task.resume()
      }
    } onCancel: {
      receiver.end(.lost(.cancelled))
    }
    return try head.get()
  }
}

/// The delegate of a stream's task, which passes on the head and then each piece of the body.
private final class StreamReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Head = Result<TransportStream, TransportFailure>

  private let lock = NSLock()
  private var waiting: CheckedContinuation<Head, Never>?
  private var failure: TransportFailure?
  private let pieces: AsyncThrowingStream<Data, any Error>
  private let continuation: AsyncThrowingStream<Data, any Error>.Continuation

  override init() {
    (pieces, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
  }

  /// Calls `body` when the reader has left, or the stream has ended.
  func onTermination(_ body: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in body() } }

  func begin(_ head: CheckedContinuation<Head, Never>) {
    let failure = lock.withLock {
      if self.failure == nil { waiting = head }
      return self.failure
    }
    if let failure { head.resume(returning: .failure(failure)) }
  }

  /// Ends the stream.
  ///
  /// - Parameter isHeadless: True to do so only while the head has not arrived.
  func end(_ failure: TransportFailure?, ifHeadless isHeadless: Bool = false) {
    let (head, isIgnored) = lock.withLock { () -> (CheckedContinuation<Head, Never>?, Bool) in
      if isHeadless, waiting == nil { return (nil, true) }
      self.failure = self.failure ?? failure ?? .lost(.connectionLost("The stream has ended."))
      defer { waiting = nil }
      return (waiting, false)
    }
    if isIgnored { return }
    continuation.finish(throwing: failure)
    head?.resume(returning: .failure(failure ?? .lost(.connectionLost("There was no response."))))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse else {
      completionHandler(.cancel)
      return end(.lost(.connectionLost("The response is not HTTP.")))
    }
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields { headers[name] = value }
    let stream = TransportStream(status: response.statusCode, headers: headers, body: pieces)
    let head = lock.withLock { () -> CheckedContinuation<Head, Never>? in
      defer { waiting = nil }
      return waiting
    }
    completionHandler(.allow)
    head?.resume(returning: .success(stream))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    continuation.yield(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    end(error.map { URLSessionTransport.failure($0) })
  }
}
