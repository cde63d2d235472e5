#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `understudy health`: sends one request to a server, like a container's health check.
struct Probe {
  /// The server's host as in its options; for a wildcard address the probe uses loopback.
  let host: String
  let port: Int

  /// The timeout of each step: connect, send, each read.
  private static let patience: Duration = .seconds(5)
  /// A longer response comes from another server.
  private static let maximumBytes = 64 << 10

  /// Returns the error as a sentence; nil if the server is healthy.
  func complaint() -> String? {
    // If the server closes the connection, the writing call reports it.
    signal(SIGPIPE, SIG_IGN)
    guard let descriptor = connected() else { return "no server accepts connections at \(address):\(port)" }
    defer { close(descriptor) }
    let request = "GET /_mock/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    guard send(Array(request.utf8), descriptor), let response = receive(descriptor) else {
      return "the server at \(address):\(port) did not respond"
    }
    let status = response.prefix { $0 != "\r\n" && $0 != "\n" }
    guard status.hasPrefix("HTTP/1.1 200 "), response.contains("\"status\":\"ok\"") else {
      return "the server at \(address):\(port) is not a healthy understudy: \(Self.shown(status))"
    }
    return nil
  }

  /// Returns a line of an unknown server for a terminal: shortened, and without control characters.
  private static func shown(_ line: some StringProtocol) -> String {
    String(String.UnicodeScalarView(line.unicodeScalars.prefix(120).map { (" "..."~").contains($0) ? $0 : "\u{FFFD}" }))
  }

  private var address: String {
    switch host {
    case "0.0.0.0", "*": "127.0.0.1"
    case "::", "[::]": "::1"
    default: host
    }
  }

  /// Connects to the first of the host's addresses that accepts a connection.
  private func connected() -> Int32? {
    var wish = unsafe addrinfo()
    #if canImport(Glibc)
      unsafe wish.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      unsafe wish.ai_socktype = SOCK_STREAM
    #endif
    var first: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(address, "\(port)", &wish, &first) == 0 else { return nil }
    defer { unsafe freeaddrinfo(first) }
    var next = unsafe first
    while let index = unsafe next {
      let (family, type) = unsafe (index.pointee.ai_family, index.pointee.ai_socktype)
      let descriptor = socket(family, type, 0)
      limit(descriptor)
      if unsafe connect(descriptor, index.pointee.ai_addr, index.pointee.ai_addrlen) == 0 { return descriptor }
      close(descriptor)
      unsafe next = index.pointee.ai_next
    }
    return nil
  }

  private func limit(_ descriptor: Int32) {
    var limit = timeval(tv_sec: Int(Self.patience.components.seconds), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  private func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    return count == bytes.count
  }

  /// Reads until the server closes the connection; nil if it breaks or times out.
  private func receive(_ descriptor: Int32) -> String? {
    var response: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while response.count < Self.maximumBytes {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { return nil }
      if count == 0 { return response.isEmpty ? nil : String(decoding: response, as: UTF8.self) }
      response += buffer[..<count]
    }
    return String(decoding: response, as: UTF8.self)
  }
}
