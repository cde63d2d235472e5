#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `understudy health`: asks a server once whether it serves, as a container's health check does.
struct Probe {
  /// Where the server listens, as it was told: an address that stands for all of them is asked at loopback.
  let host: String
  let port: Int

  /// How long each step may take: to connect, to send, to read on.
  private static let patience: Duration = .seconds(5)
  /// A reply that is longer comes from another server.
  private static let mostBytes = 64 << 10

  /// What is wrong, in words; nil when it serves.
  func complaint() -> String? {
    // A server that goes meanwhile is told of by the call that writes.
    signal(SIGPIPE, SIG_IGN)
    guard let descriptor = connected() else { return "nobody answers at \(address):\(port)" }
    defer { close(descriptor) }
    let request = "GET /_mock/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    guard send(Array(request.utf8), descriptor), let reply = receive(descriptor) else {
      return "the server at \(address):\(port) took the question and gave no answer"
    }
    let status = reply.prefix { $0 != "\r\n" && $0 != "\n" }
    guard status.hasPrefix("HTTP/1.1 200 "), reply.contains("\"status\":\"ok\"") else {
      return "what answers at \(address):\(port) is no understudy that serves: \(Self.shown(status))"
    }
    return nil
  }

  /// A stranger's line as a terminal may have it: short, and without what would steer it.
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

  /// A connection to the first of the host's addresses that takes one.
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
    while let place = unsafe next {
      let (family, type) = unsafe (place.pointee.ai_family, place.pointee.ai_socktype)
      let descriptor = socket(family, type, 0)
      limit(descriptor)
      if unsafe connect(descriptor, place.pointee.ai_addr, place.pointee.ai_addrlen) == 0 { return descriptor }
      close(descriptor)
      unsafe next = place.pointee.ai_next
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

  /// Everything until the server closes; nil when it breaks off or keeps silent.
  private func receive(_ descriptor: Int32) -> String? {
    var reply: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while reply.count < Self.mostBytes {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { return nil }
      if count == 0 { return reply.isEmpty ? nil : String(decoding: reply, as: UTF8.self) }
      reply += buffer[..<count]
    }
    return String(decoding: reply, as: UTF8.self)
  }
}
