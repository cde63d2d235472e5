import Foundation
import UnderstudyClient

#if canImport(FoundationNetworking)
  import Dispatch
  import FoundationNetworking
#endif

extension TransportRequest {
  /// Reads the request of a session's task, as the session would send it.
  ///
  /// - Returns: Nil if it has no URL, or a body that cannot be read.
  init?(_ request: URLRequest, of task: URLSessionTask?) {
    guard let url = request.url else { return nil }
    self.init(method: request.httpMethod ?? "GET", url: url, headers: request.allHTTPHeaderFields ?? [:])
    #if canImport(FoundationNetworking)
      for (name, value) in task?.configuration?.httpAdditionalHeaders ?? [:] {
        if let name = name as? String, header(name) == nil { headers[name] = "\(value)" }
      }
      if request.httpBody == nil, request.httpBodyStream == nil, task is URLSessionUploadTask {
        guard let content = task?.content else { return nil }
        body = content
      }
    #endif
    body = body ?? request.httpBody
    if body == nil, let stream = request.httpBodyStream {
      guard let content = Data(reading: stream) else { return nil }
      body = content
    }
    // A session adds this type to a POST with content and without a type.
    if method == "POST", body != nil, header("Content-Type") == nil {
      headers["Content-Type"] = "application/x-www-form-urlencoded"
    }
    // The links in responses keep the scheme.
    if url.scheme?.lowercased() == "https" { headers["Forwarded"] = headers["Forwarded"] ?? "proto=https" }
  }

  private func header(_ name: String) -> String? {
    headers.first { $0.key.caseInsensitiveCompare(name) == .orderedSame }?.value
  }
}

/// Returns the time without a byte after which a request fails.
func timeout(of request: URLRequest, _ task: URLSessionTask?) -> Duration {
  var seconds = request.timeoutInterval
  #if canImport(FoundationNetworking)
    // Foundation on Linux does not show if the request has a timeout of its own. 60 seconds are those of a request without.
    if seconds == 60, let configuration = task?.configuration { seconds = configuration.timeoutIntervalForRequest }
  #endif
  // An app may set `.infinity`, or the greatest number, for no timeout; a `Duration` does not hold either.
  return .seconds(seconds.isNaN ? 60 : min(max(seconds, 0), 1e9))
}

extension Data {
  /// Reads a stream to its end; nil if it fails.
  fileprivate init?(reading stream: InputStream) {
    self.init()
    stream.open()
    defer { stream.close() }
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = unsafe stream.read(&buffer, maxLength: buffer.count)
      guard count >= 0 else { return nil }
      if count == 0 { return }
      append(contentsOf: buffer[..<count])
    }
  }
}

#if canImport(FoundationNetworking)
  /// The properties that Foundation on Linux does not show to loaders, read by reflection: the content of upload tasks, the
  /// configuration of the session, and the queue of the task.
  extension URLSessionTask {
    fileprivate var configuration: URLSessionConfiguration? {
      (property("session") as? URLSession)?.configuration
    }

    /// The queue on which alone a session's client may be called.
    var workQueue: DispatchQueue? { property("workQueue") as? DispatchQueue }

    /// The content of an upload task; nil if it cannot be read.
    fileprivate var content: Data? {
      guard let body = property("knownBody"), let value = Mirror(reflecting: body).children.first?.value else {
        return nil
      }
      switch value {
      case let data as DispatchData: return Data(data)
      case let url as URL: return try? Data(contentsOf: url)
      case let stream as InputStream: return Data(reading: stream)
      default: return nil
      }
    }

    /// Returns the value of a stored property, without its optional.
    private func property(_ name: String) -> Any? {
      var mirror: Mirror? = Mirror(reflecting: self)
      while let current = mirror {
        if let value = current.children.first(where: { $0.label == name })?.value {
          let reflection = Mirror(reflecting: value)
          return reflection.displayStyle == .optional ? reflection.children.first?.value : value
        }
        mirror = current.superclassMirror
      }
      return nil
    }
  }
#endif
